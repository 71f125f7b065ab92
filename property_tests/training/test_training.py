"""Learning an evaluation from nothing: lessons are what games show, the fit is right, and a training can be gone on."""

import json
import os
import runpy
import shutil
import signal
import threading
import time
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from patchstats import simulate
from patchstats.agents import make_agent
from patchstats.agents.uniform import choose_patch_first
from patchstats.errors import PatchstatsError, RunError
from patchstats.kernel.asking import Asked
from patchstats.kernel.deciders.puct import puct
from patchstats.kernel.lessons import Teacher
from patchstats.kernel.search.dense import HIDDEN
from patchstats.kernel.search.features import FEATURES
from patchstats.kernel.search.weights import HEADS, network_in, rounded
from patchstats.notation.action_log import decode_action
from patchstats.rules import Position, Ruleset
from patchstats.simulation.game import ring_of
from patchstats.simulation.threads import are_left
from patchstats.streams import SEATS, Stream
from patchstats.training import Round, train

features = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "test_features.py"))
training = import_module("patchstats.training.train")
fitting = import_module("patchstats.training.fit")

ORIGINAL = Ruleset.load("original")
SMALL = ORIGINAL.with_changes({"quilt_size": 7, "bonus_square": 5, "income_marks": [3, 53], "empty_cell_penalty": 3})
#: Beyond what the compiled engine plays.
TALL = ORIGINAL.with_changes({"quilt_size": 11, "patches.p01.rows": "/".join("1" * 6), "name": "tall"})
TINY = (Round(8, 3, 2), Round(4, 2, 3))
SEED = 5


# Lessons


def replayed(ruleset, decider, most_random, index):
    """The positions with a choice of a game that the reference plays, behind the moves that are drawn, and its end."""
    position = Position.start(ruleset, ring_of(ruleset, SEED, index))
    streams = [Stream(SEED, kind, index) for kind in SEATS]
    asked = [Asked(ruleset, decider, SEED, index) for _ in SEATS]
    drawn, chosen = streams[0].below(most_random + 1), []
    left = drawn
    while (seat := position.seat_on_turn) is not None:
        if left and not position.waiting:
            left -= 1
            action = choose_patch_first(position, position.legal_actions, streams[seat])
        else:
            if not position.waiting:
                chosen.append(position)
            action = decode_action(position, asked[seat].choose(position).code)
        position = position.apply(action).position
    return drawn, chosen, position


@pytest.mark.parametrize("ruleset", [ORIGINAL, SMALL], ids=["original", "small"])
def test_a_lesson_is_each_position_with_a_choice_behind_the_drawn_moves_and_how_the_game_ended(ruleset):
    decider = puct(ruleset, None, 4)
    rows, outcomes = Teacher(ruleset, decider, 5).lessons(SEED, 0, 6)
    begun, numbers = 0, set()
    for index in range(6):
        drawn, chosen, end = replayed(ruleset, decider, 5, index)
        numbers.add(drawn)
        part = slice(begun, begun + len(chosen))
        begun = part.stop
        movers = [position.seat_on_turn for position in chosen]
        described = [features["described"](position, seat) for position, seat in zip(chosen, movers, strict=True)]
        assert rows[part].tolist() == described
        assert outcomes[part].tolist() == [
            [end.score(seat), end.score(1 - seat), int(end.winner == seat)] for seat in movers
        ]
    assert begun == len(rows) == len(outcomes)
    assert len(numbers) > 2
    assert (rows.dtype, outcomes.dtype) == (np.int16, np.int32)


def test_a_game_gives_the_same_lessons_with_whatever_others_it_is_played_and_each_gives_its_own():
    decider = puct(ORIGINAL, None, 4)
    teacher = Teacher(ORIGINAL, decider, 6)
    together = teacher.lessons(SEED, 10, 4)
    alone = [teacher.lessons(SEED, index, 1) for index in (13, 10, 12, 11)]
    in_order = [alone[place] for place in (1, 3, 2, 0)]
    fresh = Teacher(ORIGINAL, decider, 6).lessons(SEED, 11, 2)
    for place in (0, 1):
        assert together[place].tolist() == np.concatenate([one[place] for one in in_order]).tolist()
        assert fresh[place].tolist() == np.concatenate([one[place] for one in in_order[1:3]]).tolist()
    assert all(before[0].tolist() != after[0].tolist() for before, after in pairwise(in_order))
    other_seed = teacher.lessons(SEED + 1, 10, 1)
    assert other_seed[0].tolist() != in_order[0][0].tolist()


def test_without_drawn_moves_the_first_lesson_is_the_start_of_the_game():
    rows, _ = Teacher(ORIGINAL, puct(ORIGINAL, None, 2), 0).lessons(SEED, 3, 1)
    start = Position.start(ORIGINAL, ring_of(ORIGINAL, SEED, 3))
    assert rows[0].tolist() == features["described"](start, 0)


# The fit


def linear_lessons(count):
    """Lessons whose points are a linear function of the features, rounded."""
    generator = np.random.default_rng(3)
    rows = generator.integers(-10, 40, (count, 12)).astype(np.int16)
    rows[:, 4] = 7  # one that never varies
    own, other = (rows @ generator.normal(size=12) * 0.4 for _ in range(2))
    outcomes = np.column_stack([own.round(), other.round(), own > other]).astype(np.int16)
    return rows, outcomes, np.arange(count) % 10 == 0


def told(fit, rows):
    return fit.heads[:, 0] + np.maximum(fit.hidden[0] + rows @ fit.hidden[1:], 0) @ fit.heads[:, 1:].T


def test_a_linear_function_of_the_features_is_learned():
    rows, outcomes, held_out = linear_lessons(6000)
    losses = []
    fit = fitting.fit(rows, outcomes, held_out, 1, 30, lambda epoch, loss: losses.append((epoch, loss)))
    assert fit.explained > 0.95
    assert fit.linear > 0.99
    assert fit.hits > 0.9
    assert [epoch for epoch, _ in losses] == list(range(30))
    assert losses[-1][1] < losses[0][1] / 2
    found = told(fit, rows[held_out])
    margin, true = found[:, 0] - found[:, 1], outcomes[held_out, 0] - outcomes[held_out, 1]
    assert fit.explained == pytest.approx(1 - np.mean((margin - true) ** 2) / np.var(true), abs=1e-3)
    assert fit.hits == pytest.approx(np.mean((found[:, 2] > 0) == (outcomes[held_out, 2] > 0)), abs=1e-2)
    for head in (0, 1):
        assert np.mean((found[:, head] - outcomes[held_out, head]) ** 2) < 0.05 * np.var(outcomes[:, head])


def test_nothing_is_learned_from_what_is_held_out():
    rows, outcomes, held_out = linear_lessons(400)
    changed_rows, changed_outcomes = rows.copy(), outcomes.copy()
    changed_rows[held_out], changed_outcomes[held_out] = 1, [[3, 9, 0], [50, 9, 1]] * 20
    first, second = (
        fitting.fit(*lessons, held_out, 1, 2, lambda *_: None)
        for lessons in ((rows, outcomes), (changed_rows, changed_outcomes))
    )
    assert (first.hidden == second.hidden).all()
    assert (first.heads == second.heads).all()
    assert first.explained != second.explained
    other = fitting.fit(rows, outcomes, held_out, 2, 2, lambda *_: None)
    assert (first.hidden != other.hidden).any()


@pytest.mark.parametrize("seed", range(4))
def test_the_gradients_are_those_of_the_loss(seed):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(9, 4))
    # Some points far off and some near, on either side, so that each part of the losses is met.
    outcomes = np.column_stack([generator.integers(-60, 60, (9, 2)), generator.integers(0, 2, 9)]).astype(np.int16)
    weights = [generator.normal(size=shape) * 0.7 for shape in ((4, 6), (6,), (6, 3), (3,))]
    _, gradients = fitting._gradients(x, outcomes, weights)
    step = 1e-6
    for weight, gradient in zip(weights, gradients, strict=True):
        for place in np.ndindex(weight.shape):
            kept, losses = weight[place], []
            for sign in (1, -1):
                weight[place] = kept + sign * step
                losses.append(fitting._gradients(x, outcomes, weights)[0])
            weight[place] = kept
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / (2 * step), rel=1e-3, abs=1e-5)


# Whole trainings


@pytest.fixture(autouse=True)
def few_games_a_file(monkeypatch):
    monkeypatch.setattr(training, "_GAMES_PER_FILE", 2)


def trained(out, **changes):
    return Path(train(**({"out": out, "plan": TINY, "seed": 3} | changes)))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a whole training of twelve files."""
    out = tmp_path_factory.mktemp("training") / "finished"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "_GAMES_PER_FILE", 2)
        trained(out)
    return out


@pytest.fixture
def teachers(monkeypatch):
    """The files that are played, and how many may be before something breaks."""

    class Breaking(Teacher):
        played, most = [], 10**6

        def lessons(self, seed, first, count):
            if len(self.played) == self.most:
                raise RuntimeError("broken off")
            self.played.append((seed, first, count))
            return super().lessons(seed, first, count)

    monkeypatch.setattr(training, "Teacher", Breaking)
    return Breaking


def learned_and_lessons(folder):
    """What each file of a training holds; a compressed one may hold the same in other bytes."""
    texts = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.json")}
    lessons = {}
    for path in folder.rglob("*.npz"):
        with np.load(path) as arrays:
            lessons[path.relative_to(folder)] = arrays["features"].tolist(), arrays["outcomes"].tolist()
    return texts, lessons


def test_a_training_gives_the_same_again_with_any_number_of_workers(tmp_path, finished):
    place = trained(tmp_path / "again", workers=2)
    assert learned_and_lessons(place.parent) == learned_and_lessons(finished)
    assert len(list(finished.rglob("*.npz"))) == 2 * (8 // 2 + 4 // 2)
    texts = [
        (finished / name).read_bytes() for name in ("network.json", "round-1/network.json", "round-0/network.json")
    ]
    assert texts[0] == texts[1] != texts[2]
    other = trained(tmp_path / "other", seed=4)
    assert other.read_bytes() != place.read_bytes()


def test_what_was_learned_says_by_which_training_and_for_which_rulesets(finished):
    text = (finished / "network.json").read_text(encoding="utf-8")
    assert network_in(text, "here").ruleset_ids == (ORIGINAL.ruleset_id, Ruleset.load("revised").ruleset_id)
    notes = json.loads(text)["notes"]
    assert (notes["seed"], [Round(**one) for one in notes["plan"]]) == (3, list(TINY))
    for path in finished.rglob("*.npz"):
        with np.load(path) as lessons:
            assert lessons["features"].shape == (len(lessons["outcomes"]), len(FEATURES))


@pytest.mark.parametrize("most", [3, 10])
def test_a_training_goes_on_after_whatever_broke_it_off(tmp_path, teachers, finished, most):
    teachers.most = most
    with pytest.raises(RuntimeError):
        trained(tmp_path)
    assert len(list(tmp_path.rglob("*.npz"))) == most
    teachers.most = 10**6
    trained(tmp_path)
    assert (len(teachers.played), len(set(teachers.played))) == (12, 12)
    assert learned_and_lessons(tmp_path) == learned_and_lessons(finished)


@pytest.mark.parametrize(
    ("lost", "played_again"),
    [
        (["network.json"], 0),
        (["round-0/*"], 8),
        (["round-0/lessons-*"], 0),
        (["round-1/network.json", "network.json"], 0),
        (["round-1/*"], 4),
        (["round-0/lessons-00002-1.npz", "round-1/network.json"], 1),
        (["round-0/lessons-*", "round-1/*"], 12),
    ],
)
def test_what_is_lost_is_made_again_where_it_is_needed(tmp_path, teachers, finished, lost, played_again):
    out = Path(shutil.copytree(finished, tmp_path / "out"))
    for pattern in lost:
        for path in list(out.glob(pattern)):
            path.unlink()
    assert trained(out).read_bytes() == (finished / "network.json").read_bytes()
    assert len(teachers.played) == played_again


@pytest.mark.parametrize(
    ("damaged", "bytes_left", "reason"),
    [
        ("training.json", 1, "is damaged, and does not say what was trained"),
        ("round-1/network.json", 100, "no network of `patchstats train`"),
        ("round-1/lessons-00000-1.npz", 0, "is damaged; without it, its games are played again"),
        ("round-1/lessons-00000-1.npz", 100, "is damaged; without it, its games are played again"),
    ],
)
def test_a_damaged_file_is_named_in_one_line(tmp_path, finished, damaged, bytes_left, reason):
    out = Path(shutil.copytree(finished, tmp_path / "out"))
    if damaged.endswith(".npz"):
        (out / "round-1" / "network.json").unlink()
    (out / damaged).write_bytes((out / damaged).read_bytes()[:bytes_left])
    with pytest.raises(PatchstatsError, match=reason) as error:
        trained(out)
    assert str(error.value).startswith(f"{out / damaged}")
    assert "\n" not in str(error.value)


def test_other_files_in_the_folder_do_not_matter(tmp_path, finished):
    out = Path(shutil.copytree(finished, tmp_path / "out"))
    for name in ("mine.npz", "round-1/mine.npz", "round-x.npz"):
        (out / name).write_text("mine", encoding="utf-8")
    (out / "round-1" / "network.json").unlink()
    assert trained(out).read_bytes() == (finished / "network.json").read_bytes()


def test_another_training_in_the_same_place_is_refused_with_what_differs(contents, finished):
    before = contents(finished)
    for changes, differing in (
        ({"plan": TINY[:1]}, "plan"),
        ({"plan": (TINY[0], Round(4, 2, 4))}, "plan"),
        ({"seed": 4}, "seed"),
        ({"rulesets": ["original"]}, "rulesets"),
        ({"rulesets": ["revised", "original"], "seed": 2}, "rulesets, seed"),
    ):
        with pytest.raises(RunError) as error:
            trained(finished, **changes)
        assert str(error.value) == f"{finished} holds another training; it differs in {differing}"
    assert contents(finished) == before


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"plan": ()}, "a round and a ruleset at least"),
        ({"rulesets": []}, "a round and a ruleset at least"),
        ({"plan": (Round(2, 1, 1),), "rulesets": ["original"]}, "to hold some out"),
        ({"plan": (Round(600, 1, 1), Round(0, 1, 1))}, "a round needs a whole number of games from 1 on, not 0"),
        ({"plan": (Round(600, 0, 1),)}, "a round needs a whole number of iterations from 1 on, not 0"),
        ({"plan": (Round(600, 1, 0.5),)}, "a round needs a whole number of epochs from 1 on, not 0.5"),
        ({"workers": 0}, "workers"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": "3"}, "seed must be a whole number from 0"),
        ({"seed": 2**64}, "seed must be a whole number from 0"),
        ({"rulesets": [TALL]}, "the compiled engine cannot play this: ruleset tall"),
    ],
)
def test_a_training_that_cannot_be_is_refused_before_anything_is_written(tmp_path, changes, reason):
    with pytest.raises(RunError, match=reason):
        trained(tmp_path / "out", **changes)
    assert not (tmp_path / "out").exists()


# Rulesets with nothing to teach


def hopeless(**changes):
    """A ruleset of two patches on a quilt of nine cells, whose games are over after a few moves."""
    patches = {
        "a": {"rows": "1", "cost": 1, "time": 1, "income": 0},
        "b": {"rows": "11", "cost": 2, "time": 1, "income": 0},
    }
    settings = {**ORIGINAL.to_dict(), "quilt_size": 3, "bonus_square": 3, "finish": 2, "start_patch": "a"}
    settings |= {"income_marks": [], "leather_marks": [], "patches": patches, "name": "hopeless"}
    return Ruleset.from_dict({**settings, **changes})


#: Nobody can ever buy anything, so that all games are the same one.
DEAR = hopeless(finish=40, start_buttons=0, patches={"a": {"rows": "1", "cost": 1000, "time": 255, "income": 0}})
FEW = r"the games (to learn from|held out) have \d+ positions after their first moves, .* and 20 are needed"
SAME = "all games to learn from end with the same margin, so that there is nothing to learn"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("ruleset", "games", "reason"), [(hopeless(), 4, FEW), (DEAR, 30, SAME)], ids=["few", "same"])
def test_games_that_teach_nothing_are_told_in_one_line_and_nothing_is_learned(tmp_path, ruleset, games, reason):
    plan = (Round(games, 1, 1),)
    with pytest.raises(RunError, match=f"round 1: {reason}") as error:
        trained(tmp_path, rulesets=[ruleset], plan=plan)
    assert str(error.value).startswith(f"{tmp_path}: round 1: ")
    assert "\n" not in str(error.value)
    assert not list(tmp_path.rglob("network.json"))


def lessons_of(margins):
    return np.array([[margin, 0, margin > 0] for margin in margins], dtype=np.int32)


@pytest.mark.parametrize(
    ("margins", "held_out", "reason"),
    [
        ([1, 2] * 19 + [3], 19, "the games held out have 19 positions"),
        ([1, 2] * 19 + [3], 20, "the games to learn from have 19 positions"),
        ([1, 2] * 10 + [3] * 20, 20, "all games held out end with the same margin"),
        ([3] * 20 + [1, 2] * 10, 20, "all games to learn from end with the same margin"),
        ([1, 2] * 20, 20, None),
    ],
)
def test_lessons_must_be_many_and_differ_on_both_sides(margins, held_out, reason):
    held = np.arange(len(margins)) >= len(margins) - held_out
    if reason is None:
        training._check_lessons(lessons_of(margins), held, "here")
        return
    with pytest.raises(RunError, match=f"^here: {reason}"):
        training._check_lessons(lessons_of(margins), held, "here")


def test_weights_that_are_too_large_to_be_written_are_told_in_one_line(tmp_path, monkeypatch):
    def fit(*arguments):
        found = fitting.fit(*arguments)
        return replace(found, hidden=found.hidden * 1e9)

    monkeypatch.setattr(training, "fit", fit)
    with pytest.raises(RunError, match="cannot be written in whole numbers: its hidden numbers may be too large"):
        trained(tmp_path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [0, 1e-200, 1e-12])
def test_weights_near_nothing_are_written_all_the_same(size):
    weights = np.full((len(FEATURES) + 1, HIDDEN), size), np.full((HEADS, HIDDEN + 1), 150.0)
    network = rounded(*weights, ())
    assert network.heads[:, 0].tolist() == [150 * 2**network.shift] * HEADS


def test_a_network_of_other_bytes_than_text_is_told_in_one_line(tmp_path, finished):
    out = Path(shutil.copytree(finished, tmp_path / "out"))
    (out / "round-1" / "network.json").write_bytes(b"\xff")
    with pytest.raises(PatchstatsError, match="no network of `patchstats train`"):
        trained(out)


def test_an_interrupted_training_does_not_wait_for_its_games(tmp_path, monkeypatch, finished):
    begins, goes = threading.Event(), threading.Event()

    class Slow(Teacher):
        def lessons(self, seed, first, count):
            begins.set()
            goes.wait(30)
            return super().lessons(seed, first, count)

    def interrupt():
        begins.wait()
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(training, "Teacher", Slow)
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            trained(tmp_path, workers=2)
    assert not list(tmp_path.rglob("*.npz"))
    goes.set()
    while are_left():
        time.sleep(0.01)
    assert len(list(tmp_path.rglob("*.npz"))) <= 2
    trained(tmp_path)
    assert learned_and_lessons(tmp_path) == learned_and_lessons(finished)


# The command


@pytest.fixture
def command(monkeypatch, run_command, tmp_path):
    """`patchstats train` in an empty folder, with a plan of a few games."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(train.__kwdefaults__, "plan", TINY)
    return lambda *arguments: run_command("train", *arguments)


def test_the_command_says_what_it_does(command):
    answer = command("--help")
    assert answer.status == 0
    assert all(option in answer.out for option in ("--out", "--ruleset", "--seed", "--workers", "puct:network=FILE"))


def test_the_command_learns_a_network_that_puct_plays_with(command):
    answer = command("--out", "here", "--seed", "3", "--workers", "1", "--json")
    assert answer.status == 0
    assert json.loads(answer.out) == {"network": "here/network.json"}
    assert "round 2: epoch 3 of 3, loss " in answer.err
    again = command("--out", "here", "--seed", "3", "--progress", "off")
    assert (again.status, again.out, again.err) == (0, "here/network.json\n", "")
    spec = "puct:iterations=5,network=here/network.json"
    assert make_agent(spec, ORIGINAL).remark == ""
    run = simulate(agents=(spec, "random"), games=2, seed=1, out="run")
    assert len(run.games()) == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--ruleset", "orignal"], "ruleset: orignal: no such ruleset"),
        (["--workers", "0"], "workers"),
        (["--seed", "-1"], "seed must be a whole number"),
        (["--seed", "many"], "seed"),
    ],
)
def test_bad_input_ends_the_command_with_status_2_in_a_line_and_nothing_is_written(command, arguments, reason):
    answer = command("--out", "here", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert reason in answer.err.splitlines()[-1]
    assert not Path("here").exists()


def test_the_command_tells_of_a_ruleset_with_nothing_to_teach(command):
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in DEAR.to_dict().items() if key != "patches")
    patches = "id,rows,cost,time,income\na,1,1000,255,0\n"
    Path("dear").mkdir()
    Path("dear", "ruleset.toml").write_text(f'{text}patches = "patches.csv"\n', encoding="utf-8")
    Path("dear", "patches.csv").write_text(patches, encoding="utf-8")
    answer = command("--out", "here", "--ruleset", "dear", "--progress", "off")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith(f"patchstats: here: round 1: {SAME}; ")


def test_the_command_refuses_a_place_with_another_training(command):
    assert command("--out", "here", "--seed", "3", "--ruleset", "original").status == 0
    answer = command("--out", "here", "--seed", "3")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.splitlines() == ["patchstats: here holds another training; it differs in rulesets"]
