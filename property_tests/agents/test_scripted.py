"""Agents that follow a script: a game record, or a function of a Python module."""

import hashlib
import importlib
import re
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchstats import simulate
from patchstats.agents import make_agent
from patchstats.errors import AgentError, RunError
from patchstats.notation import format_record, record_of
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game, ring_of
from patchstats.streams import SEATS, Stream
from patchstats.testing import games

ORIGINAL = Ruleset.load("original")
REVISED = Ruleset.load("revised")
RING = ring_of(ORIGINAL, seed=1, ring_index=0)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A function that writes a module into the current folder and returns the spec of the agent `choose` in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    written = set()

    def write(text, name="mine"):
        Path(f"{name}.py").write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
        importlib.invalidate_caches()
        sys.modules.pop(name, None)
        written.add(name)
        return f"scripted:{name}:choose"

    yield write
    for name in written:
        sys.modules.pop(name, None)


@pytest.fixture
def record_file(tmp_path):
    """A function that writes a game record and returns the spec of the agent that plays it."""

    def write(record, name="game.txt"):
        path = tmp_path / name
        path.write_text(format_record(record), encoding="utf-8")
        return f"scripted:{path}"

    return write


def random_record(ruleset=ORIGINAL, seed=1):
    """The record of game 0 of a seed, played at random."""
    agent = make_agent("random", ruleset)
    game = play_game(ruleset, (agent, agent), seed, game_index=0, ring_index=0)
    return record_of(ruleset, game.ring, [ply.action for ply in game.plies])


def play(*specs, ruleset=ORIGINAL, seed=1, game_index=0):
    first, second = (make_agent(spec, ruleset) for spec in specs)
    return play_game(ruleset, (first, second), seed, game_index, ring_index=game_index)


def failure(*specs, **settings):
    with pytest.raises(AgentError) as error:
        play(*specs, **settings)
    return str(error.value)


def refusal(spec, ruleset=ORIGINAL):
    with pytest.raises(AgentError) as error:
        make_agent(spec, ruleset)
    return str(error.value)


# Game records


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(game=games(), seed=st.integers(0, 2**63))
def test_a_recorded_game_is_played_again_whatever_the_seed(record_file, game, seed):
    spec = record_file(record_of(game.ruleset, game.ring, game.actions))
    again = play(spec, spec, ruleset=game.ruleset, seed=seed)
    assert [ply.action for ply in again.plies] == list(game.actions)
    assert again.end == game.final


def test_a_recorded_game_gives_the_row_that_the_game_itself_gave(tmp_path, record_file):
    run = simulate(games=2, seed=1, out=tmp_path / "played")
    spec = record_file(run.record(1))
    again = simulate(games=1, seed=99, agents=[spec, spec], out=tmp_path / "again")
    columns = [name for name in run.games().columns if not name.startswith(("agent_", "game_index", "ring_index"))]
    assert again.games(columns).iloc[0].to_dict() == run.games(columns).iloc[1].to_dict()


def test_a_record_whose_ring_begins_elsewhere_gives_the_same_row(tmp_path, record_file):
    run = simulate(games=1, seed=1, out=tmp_path / "played")
    record = run.record(0)
    spec = record_file(replace(record, ring=record.ring[20:] + record.ring[:20]))
    again = simulate(games=1, seed=1, agents=[spec, spec], out=tmp_path / "again")
    columns = [name for name in run.games().columns if not name.startswith("agent_")]
    assert again.games(columns).iloc[0].to_dict() == run.games(columns).iloc[0].to_dict()


@pytest.mark.parametrize("seat", [0, 1])
def test_one_seat_may_follow_a_record_and_the_game_is_then_played_on_its_ring(script, record_file, seat):
    advancing = script("def choose(position, legal, stream): return legal[0]")
    game = play(advancing, advancing)
    specs = [advancing, advancing]
    specs[seat] = record_file(record_of(ORIGINAL, game.ring, [ply.action for ply in game.plies]))
    again = play(*specs, seed=2)
    assert again.ring == game.ring != play(advancing, advancing, seed=2).ring
    assert again.end == game.end


@pytest.mark.parametrize("plies", [1, 2, 30])
def test_a_record_without_further_moves_is_an_error_at_that_ply(record_file, plies):
    actions = random_record().actions
    spec = record_file(record_of(ORIGINAL, RING, actions[:plies]))
    last = record_of(ORIGINAL, RING, actions[: plies + 1])
    seat = last.seats[-1]
    assert failure(spec, spec, game_index=0) == (
        f"game 0, ply {plies}, seat {seat}: agent {spec!r}: the record holds no further move for seat {seat}"
    )


def test_a_recorded_move_that_is_illegal_now_names_game_ply_seat_and_clause(record_file):
    record = random_record()
    spec = record_file(replace(record, actions=(*record.actions[:2], record.actions[0], *record.actions[3:])))
    message = failure(spec, spec, game_index=7)
    patch = record.actions[0].patch
    assert message.startswith(f"game 7, ply 2, seat {record.seats[2]}: agent {spec!r}: patch {patch} is not on offer")
    assert message.endswith("(clause 5.1)")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "missing.txt"
    expected = f"{path}: no game record there and no module:function: No such file or directory"
    assert refusal(f"scripted:{path}") == f"agent 'scripted:{path}': {expected}"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text.replace("advance", "pass"), r"line \d+, column 7: expected '/'"),
        (lambda text: text.rpartition("result")[0], r"line \d+, column 1: expected a ply"),
        (lambda _: "", "line 1, column 1: expected the first line of a record"),
        (lambda _: "\udcff", "codec can't decode byte 0xff"),
    ],
    ids=["an unknown action", "no result", "empty", "no text"],
)
def test_a_file_that_is_no_record_is_refused_with_the_place_in_it(tmp_path, damage, reason):
    path = tmp_path / "game.txt"
    text = damage(format_record(random_record()))
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    message = refusal(f"scripted:{path}")
    assert message.startswith(f"agent 'scripted:{path}': {path}: ")
    assert re.search(reason, message)


def test_a_record_of_another_ruleset_is_refused(record_file):
    spec = record_file(random_record(REVISED))
    make_agent(spec, REVISED)
    message = refusal(spec, ORIGINAL)
    assert message.startswith(f"agent {spec!r}: ")
    assert ORIGINAL.ruleset_id in message
    assert REVISED.ruleset_id in message


def test_records_of_different_rings_cannot_sit_at_one_table(tmp_path, record_file):
    specs = [record_file(random_record(seed=seed), f"{seed}.txt") for seed in (1, 2)]
    with pytest.raises(RunError, match="play records of different rings"):
        simulate(games=1, seed=1, agents=specs, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# Functions of modules


@pytest.mark.parametrize("ruleset", [ORIGINAL, REVISED], ids=["original", "revised"])
def test_a_function_chooses_what_is_played(script, ruleset):
    spec = script(
        """
        def choose(position, legal, stream):
            return legal[0]
        """
    )
    end = play(spec, spec, ruleset=ruleset).end
    assert [player.buttons for player in end.players] == [58, 58]
    assert [player.leathers for player in end.players] == [0, 5]


def test_a_function_gets_the_position_its_legal_actions_and_the_stream_of_its_seat(script):
    spec = script(
        """
        calls = []

        def choose(position, legal, stream):
            calls.append((position, tuple(legal), stream.below(10**9)))
            return legal[-1]
        """
    )
    game = play("random", spec, seed=4, game_index=6)
    calls = sys.modules["patchstats_script_mine"].calls
    positions = [ply.before for ply in game.plies if ply.seat == 1]
    stream = Stream(4, SEATS[1], 6)
    assert calls == [(position, tuple(position.legal_actions), stream.below(10**9)) for position in positions]


def test_the_current_folder_is_searched_for_a_module_and_the_search_path_left_as_it_was(script):
    spec = script("def choose(position, legal, stream): return legal[0]")
    before = sys.path.copy()
    make_agent(spec, ORIGINAL)
    refusal("scripted:no_such_module:choose")
    assert sys.path == before


def test_a_module_in_a_package_can_be_named(script):
    Path("players").mkdir()
    script("def choose(position, legal, stream): return legal[0]", "players/careful")
    assert play("scripted:players.careful:choose", "random").agents[0] == "scripted:players.careful:choose"
    del sys.modules["players"]


@pytest.mark.parametrize(
    ("action", "clause", "reason"),
    [
        ("None", "3.5", "None is no action"),
        ("7", "3.5", "7 is no action"),
        ("'advance'", "3.5", "'advance' is no action"),
        ("Advance", "3.5", "is no action"),
        ("[Advance()]", "3.5", "[Advance()] is no action"),
        ("PlaceLeather(0)", "6.5", "no leather waits to be placed"),
        ("Buy('p99', 0, 0)", "5.1", "patch p99 is not on offer"),
        ("Buy(legal.purchases[0].patch, 8, 0)", "5.8", "orientation 8 is none of 0 to 7"),
        ("Buy(legal.purchases[0].patch, 0, 80)", "5.8", "leaves the quilt"),
        ("Buy(legal.purchases[0].patch, 0, -1)", "5.8", "leaves the quilt"),
        ("Buy(legal.purchases[0].patch, 0, 'a1')", "5.8", "leaves the quilt"),
        ("Buy(legal.purchases[0].patch, '0', 0)", "5.8", "orientation '0' is none of 0 to 7"),
    ],
)
def test_what_is_no_legal_action_is_an_error_with_the_clause_and_never_an_advance(script, action, clause, reason):
    spec = script(
        f"""
        from patchstats import Advance, Buy, PlaceLeather

        def choose(position, legal, stream):
            return {action}
        """
    )
    message = failure(spec, "random", game_index=3)
    assert message.startswith(f"game 3, ply 0, seat 0: agent {spec!r}: ")
    assert reason in message
    assert message.endswith(f"(clause {clause})")


def test_an_illegal_action_names_the_ply_and_the_seat_it_was_chosen_at(script):
    advancing = script("def choose(position, legal, stream): return legal[0]", "advancing")
    spec = script(
        """
        from patchstats import Advance, PlaceLeather

        def choose(position, legal, stream):
            return PlaceLeather(0) if position.players[1].space > 10 else Advance()
        """
    )
    # The tokens pass each other by one space: seat 1 stands on 12 after ply 11, and is on turn again at ply 13.
    assert failure(advancing, spec, game_index=5) == (
        f"game 5, ply 13, seat 1: agent {spec!r}: no leather waits to be placed (clause 6.5)"
    )


def test_a_run_with_an_illegal_action_ends_with_that_error_and_no_game_is_written(script, tmp_path):
    spec = script("def choose(position, legal, stream): return None")
    with pytest.raises(AgentError, match=r"game 0, ply 1, seat 1: .*\(clause 3\.5\)"):
        simulate(games=3, seed=1, agents=["random", spec], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_function_that_raises_is_named_with_the_error_and_its_file_and_line(script):
    spec = script(
        """
        def choose(position, legal, stream):
            return pick(legal)

        def pick(legal):
            raise LookupError("nothing suits me")
        """
    )
    where = f"{Path('mine.py').resolve()} line 5"
    assert failure("random", spec, game_index=2) == (
        f"game 2, ply 1, seat 1: agent {spec!r} failed: LookupError: nothing suits me ({where})"
    )


def test_a_function_that_calls_a_library_wrongly_is_named_with_its_own_line(script):
    spec = script(
        """
        from fractions import Fraction

        def choose(position, legal, stream):
            return legal[int(Fraction("half"))]
        """
    )
    assert "mine.py line 4" in failure(spec, "random")


def test_a_module_that_is_not_there_is_refused():
    message = refusal("scripted:no_such_module:choose")
    assert message.startswith("agent 'scripted:no_such_module:choose': module no_such_module cannot be imported: ")
    assert "No module named 'no_such_module'" in message


def test_a_module_that_raises_is_refused_with_the_error_and_its_file_and_line(script):
    spec = script(
        """
        rules = {}
        best = rules["best"]
        """
    )
    assert refusal(spec) == (
        f"agent {spec!r}: module mine cannot be imported: KeyError: 'best' ({Path('mine.py').resolve()} line 2)"
    )


def test_a_module_with_a_fault_of_syntax_is_refused_with_its_line(script):
    assert re.search(r"SyntaxError: .*mine\.py, line 1", refusal(script("def choose(:")))


@pytest.mark.parametrize("text", ["choose = 3", "def select(position, legal, stream): return legal[0]"])
def test_a_function_that_is_not_there_is_refused(script, text):
    assert refusal(script(text)) == "agent 'scripted:mine:choose': module mine has no function choose"


def test_a_module_without_a_file_is_refused():
    assert "module sys has no file" in refusal("scripted:sys:exit")


@pytest.mark.parametrize("name", ["", "mine", "mine:", ":choose", "mine:choose:again", "mine:2nd"])
def test_what_is_neither_a_file_nor_a_function_is_refused(script, name):
    script("def choose(position, legal, stream): return legal[0]")
    assert refusal(f"scripted:{name}").startswith(f"agent 'scripted:{name}': ")


def test_a_name_too_long_for_a_file_is_refused():
    assert "cannot be imported" in refusal(f"scripted:{'m' * 300}:choose")


def test_a_file_goes_before_a_function_of_the_same_name(script):
    spec = script("def choose(position, legal, stream): return legal[0]")
    Path("mine:choose").write_text(format_record(random_record()), encoding="utf-8")
    assert make_agent(spec, ORIGINAL).ring == RING


def test_an_error_of_several_lines_is_told_in_one(script):
    spec = script(
        """
        def choose(position, legal, stream):
            raise ValueError("first\\nsecond")
        """
    )
    message = failure(spec, "random")
    assert "first" in message
    assert "\n" not in message


# Hashes


def test_the_spec_of_a_run_holds_the_hash_and_the_ring_of_a_record(tmp_path, record_file):
    spec = record_file(random_record())
    run = simulate(games=1, seed=1, agents=[spec, spec], out=tmp_path / "run")
    sha256 = hashlib.sha256((tmp_path / "game.txt").read_bytes()).hexdigest()
    assert run.spec["agents"] == [{"spec": spec, "sha256": sha256, "ring": list(RING)}] * 2


def test_the_spec_of_a_run_holds_the_hash_of_a_script(script, tmp_path):
    spec = script("def choose(position, legal, stream): return legal[0]")
    run = simulate(games=1, seed=1, agents=["random", spec], out=tmp_path / "run")
    sha256 = hashlib.sha256(Path("mine.py").read_bytes()).hexdigest()
    assert run.spec["agents"] == [
        {"spec": "random", "sha256": None, "ring": None},
        {"spec": spec, "sha256": sha256, "ring": None},
    ]


def test_a_changed_script_is_refused_where_a_run_of_the_old_one_lies(script, tmp_path):
    spec = script("def choose(position, legal, stream): return legal[0]")
    settings = {"seed": 1, "agents": ["random", spec], "out": tmp_path / "run"}
    simulate(games=1, **settings)
    old = hashlib.sha256(Path("mine.py").read_bytes()).hexdigest()[:12]
    manifest = (tmp_path / "run" / "manifest.json").read_bytes()
    script("def choose(position, legal, stream): return legal[-1]")
    new = hashlib.sha256(Path("mine.py").read_bytes()).hexdigest()[:12]
    for games_asked in (1, 2):
        with pytest.raises(RunError, match=rf"another run \(agents\.1\.sha256: {old}... there, {new}... asked for, "):
            simulate(games=games_asked, **settings)
    assert (tmp_path / "run" / "manifest.json").read_bytes() == manifest


def test_a_changed_record_is_refused_where_a_run_of_the_old_one_lies(tmp_path, record_file):
    record = random_record()
    spec = record_file(record)
    settings = {"games": 1, "seed": 1, "agents": [spec, spec], "out": tmp_path / "run"}
    simulate(**settings)
    record_file(replace(record, agents=("random", "random")))
    with pytest.raises(RunError, match=r"agents\.0\.sha256: .*; agents\.1\.sha256: "):
        simulate(**settings)


def test_a_script_that_was_changed_in_the_same_session_is_played_as_it_is_now(script, tmp_path):
    spec = script("def choose(position, legal, stream): return legal[0]")
    simulate(games=1, seed=1, agents=[spec, spec], out=tmp_path / "first")
    # As an editor saves it: the module stays loaded.
    Path("mine.py").write_text("def choose(position, legal, stream): return legal[len(legal) - 1]\n", encoding="utf-8")
    run = simulate(games=1, seed=1, agents=[spec, spec], out=tmp_path / "second")
    assert run.games()["patches_0"].sum() > 0
