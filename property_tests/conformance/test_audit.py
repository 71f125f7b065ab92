"""Games of others, audited: each kind of departure is named where it happens, and whole games become a run."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats import compute_metrics, open_run, simulate, verify
from patchstats.analysis.report import collect, page
from patchstats.conformance.audit import audit
from patchstats.conformance.departures import ABOUT_THE_RESULT, KINDS, check_game
from patchstats.errors import NotationError, PatchstatsError, RulesetError, RunError
from patchstats.notation import format_record, parse_record, replay_record
from patchstats.notation.foreign import CODES_HEADER, FORMATS, GameText, format_codes, format_letters
from patchstats.notation.foreign.codes import codes_reader
from patchstats.notation.foreign.letters import letters_reader
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.files import data_directory

ORIGINAL = Ruleset.load("original")
GOLDEN = data_directory() / "games"
READ = letters_reader(ORIGINAL)


def golden(name):
    """A shipped record of a game by the ruleset original."""
    return parse_record((GOLDEN / f"{name}.txt").read_text(encoding="utf-8"))


def of_shipped_rulesets():
    """The shipped records of games by a shipped ruleset, by their names."""
    found = {}
    for file in sorted(GOLDEN.glob("*.txt")):
        with suppress(NotationError):
            found[file.stem] = golden(file.stem)
    return found


SHIPPED = of_shipped_rulesets()
RECORD = golden("original-mixed")
PLIES = replay_record(RECORD)
LINE = format_letters(RECORD)
GAME = READ(GameText(LINE))
LEATHER = next(number for number, action in enumerate(RECORD.actions) if isinstance(action, PlaceLeather))


def changed(number, *words):
    """The game with other plies in the place of one, read from its text."""
    ring, _, *result = LINE.split(",")
    return READ(GameText(",".join([ring, "".join([*GAME.words[:number], *words, *GAME.words[number + 1 :]]), *result])))


def departs(game, ruleset=ORIGINAL):
    """The first departure of a game, which must have one: its kind, ply, seat and clause."""
    departure, plies = check_game(game, ruleset)
    assert (plies is not None) == (departure.kind in ABOUT_THE_RESULT)
    return departure.kind, departure.ply, departure.seat, departure.clause


@pytest.mark.parametrize("name", SHIPPED)
def test_the_golden_games_are_clean_under_their_own_rulesets(name):
    record = SHIPPED[name]
    departure, plies = check_game(
        FORMATS["records"].reader(record.ruleset)(GameText(format_record(record))), record.ruleset
    )
    assert departure is None
    assert plies == replay_record(record)


def test_a_leather_that_is_not_placed_is_missing_at_the_next_ply():
    seat = PLIES[LEATHER].seat
    assert departs(changed(LEATHER)) == ("missing leather", LEATHER, seat, "6.7")
    codes = format_codes(RECORD).split(",")
    actions = codes[1].split(" ")
    line = ",".join([codes[0], " ".join(actions[:LEATHER] + actions[LEATHER + 1 :]), *codes[2:]])
    read = codes_reader(ORIGINAL)(GameText(line, header=tuple(CODES_HEADER.split(","))))
    assert departs(read) == ("missing leather", LEATHER, seat, "6.7")


def test_a_record_that_ends_while_a_leather_waits_lacks_it():
    game = replace(GAME, plies=GAME.plies[:LEATHER], words=GAME.words[:LEATHER])
    assert departs(game) == ("missing leather", None, None, "6.7")


def test_a_leather_where_none_is_due_is_extra():
    assert departs(changed(0, "hAAA", GAME.words[0])) == ("extra leather", 0, 0, "6.5")


def test_a_patch_beside_the_quilt_and_one_on_covered_cells_are_placed_illegally():
    bought = next(number for number, ply in enumerate(PLIES) if isinstance(ply.action, Buy))
    seat = PLIES[bought].seat
    letter = GAME.words[bought][0]
    assert departs(changed(bought, f"{letter}IIA")) == ("illegal placement", bought, seat, "5.8")
    again = next(
        number
        for number, ply in enumerate(PLIES)
        if isinstance(ply.action, Buy) and ply.before.players[ply.seat].covered & 0b111
    )
    corner = next(
        f"{GAME.words[again][0]}{column}{row}A"
        for row in "ABCDEF"
        for column in "ABCDEF"
        if check_game(changed(again, f"{GAME.words[again][0]}{column}{row}A"), ORIGINAL).departure.kind
        == "illegal placement"
    )
    assert departs(changed(again, corner)) == ("illegal placement", again, PLIES[again].seat, "5.8")


def test_a_leather_on_a_covered_cell_is_placed_illegally():
    covered = PLIES[LEATHER].before.players[PLIES[LEATHER].seat].covered
    row, column = divmod(covered.bit_length() - 1, 9)
    word = f"h{'ABCDEFGHI'[column]}{'ABCDEFGHI'[row]}A"
    assert departs(changed(LEATHER, word)) == ("illegal placement", LEATHER, PLIES[LEATHER].seat, "6.5")


def test_a_patch_that_is_not_on_offer_or_too_dear_is_named_so():
    def bought(wanted, start=0):
        """The first turn in which a patch can be found that is wanted, and its letter."""
        letters = {patch: letter for letter, patch in zip(LINE, GAME.ring, strict=False)}
        for number, ply in enumerate(PLIES[start:], start):
            for patch in ply.before.ring:
                if not ply.before.waiting and wanted(ply, patch):
                    return number, ply.seat, letters[patch]
        raise AssertionError("no such turn")

    number, seat, letter = bought(lambda ply, patch: patch not in ply.before.offer)
    assert departs(changed(number, f"{letter}AAA")) == ("not on offer", number, seat, "5.1")
    number, seat, letter = bought(
        lambda ply, patch: patch in ply.before.offer and ORIGINAL[patch].cost > ply.before.players[ply.seat].buttons
    )
    assert departs(changed(number, f"{letter}AAA")) == ("not affordable", number, seat, "5.4")


def test_a_slot_that_is_empty_is_not_on_offer():
    game = replace(GAME, plies=(1 | 5 << 2, *GAME.plies[1:]))
    departure, _ = check_game(game, ORIGINAL)
    assert (departure.kind, departure.ply, departure.clause) == ("not on offer", 0, "5.1")
    assert "patch in slot 5 is not on offer" in departure.reason


def test_what_is_done_after_the_end_is_refused():
    game = replace(GAME, plies=(*GAME.plies, Advance()), words=(*GAME.words, "."))
    assert departs(game) == ("after the end", len(PLIES), None, "8.4")


def test_a_record_that_ends_too_early_says_how_far_it_came():
    finishing = next(number for number, ply in enumerate(PLIES, 1) if ply.after.first_finisher is not None)
    early = next(n for n in range(finishing, len(PLIES)) if not PLIES[n - 1].after.waiting)
    for plies, kind in ((early, "ends early"), (2, "not finished"), (0, "not finished")):
        game = replace(GAME, plies=GAME.plies[:plies], words=GAME.words[:plies])
        assert departs(game) == (kind, None, None, "8.1")


def test_a_seat_that_is_not_on_turn_is_wrong():
    for number in (0, LEATHER, len(PLIES) - 1):
        seats = [*RECORD.seats]
        seats[number] = 1 - seats[number]
        kind, ply, seat, clause = departs(replace(GAME, seats=tuple(seats)))
        assert (kind, ply, seat) == ("wrong seat", number, PLIES[number].seat)
        assert clause == {LEATHER: "6.7"}.get(number, "3.2" if number == 0 else "3.1")
    assert check_game(replace(GAME, seats=RECORD.seats), ORIGINAL).departure is None


def test_a_leather_that_was_passed_over_is_missing_also_where_the_other_seat_goes_on():
    game = changed(LEATHER)
    seats = tuple(1 - PLIES[LEATHER].seat if number == LEATHER else seat for number, seat in enumerate(RECORD.seats))
    assert departs(replace(game, seats=seats[: len(game.plies)]))[0] == "missing leather"


def test_scores_without_the_bonus_are_told_from_other_wrong_scores():
    record = golden("bonus-decides")
    ruleset = record.ruleset
    game = letters_reader(ruleset)(GameText(format_letters(record)))
    end = replay_record(record)[-1].after
    assert end.bonus_owner is not None
    less = tuple(score - 7 * (seat == end.bonus_owner) for seat, score in enumerate(record.result.scores))
    other = tuple(score - 7 * (seat != end.bonus_owner) for seat, score in enumerate(record.result.scores))
    assert departs(replace(game, scores=less), ruleset) == ("bonus missing", None, None, "7.4")
    assert departs(replace(game, scores=other), ruleset) == ("score differs", None, None, "9.1")
    unlike = replace(game, scores=None, difference=abs(less[0] - less[1]))
    assert departs(unlike, ruleset) == (
        "score differs",
        None,
        None,
        "9.1",
    )


def overshooting(record):
    """The record, and by how many spaces its first token overshot the finish; 0 if no advance ended the game."""
    plies = replay_record(record)
    first = next(ply for ply in plies if ply.after.first_finisher is not None)
    if not isinstance(plies[-1].action, Advance) or not isinstance(first.action, Buy):
        return record, 0
    end = first.before.players[first.seat].space + record.ruleset[first.action.patch].time
    return record, max(0, end - record.ruleset.finish)


def test_spaces_beyond_the_finish_are_told_from_other_wrong_scores():
    record, overshot = next(found for found in map(overshooting, SHIPPED.values()) if found[1])
    ruleset = record.ruleset
    game = letters_reader(ruleset)(GameText(format_letters(record)))
    last = replay_record(record)[-1]
    seat, scores = last.seat, record.result.scores
    for more in range(-1, overshot + 4):
        claimed = tuple(score + more * (number == seat) for number, score in enumerate(scores))
        found = check_game(replace(game, scores=claimed, difference=None), ruleset).departure
        expected = None if more == 0 else "past the finish" if 0 < more <= overshot + 1 else "score differs"
        assert (None if found is None else found.kind) == expected
        claimed = tuple(score + more * (number != seat) for number, score in enumerate(scores))
        found = check_game(replace(game, scores=claimed, difference=None), ruleset).departure
        assert (found is None) == (more == 0)
        assert found is None or found.kind == "score differs"
        both = replace(game, scores=tuple(score + max(more, 1) for score in scores), difference=None)
        assert check_game(both, ruleset).departure.kind == "score differs"


def test_a_tie_given_to_the_wrong_seat_is_told_from_another_winner():
    tie = golden("tie")
    game = READ(GameText(format_letters(tie)))
    assert tie.result.scores[0] == tie.result.scores[1]
    assert departs(replace(game, winner=1 - tie.result.winner)) == ("winner of a tie", None, None, "9.4")
    assert departs(replace(GAME, winner=1 - RECORD.result.winner)) == ("winner differs", None, None, "9.4")
    assert check_game(replace(GAME, winner=None, scores=None, difference=None), ORIGINAL).departure is None


def test_a_record_of_another_ruleset_is_not_replayed():
    assert departs(replace(GAME, ruleset=Ruleset.load("revised"))) == ("other ruleset", None, None, None)
    assert check_game(replace(GAME, ruleset=ORIGINAL), ORIGINAL).departure is None


@given(st.integers(0, len(PLIES) - 1), st.sampled_from(["", ".", "hAAA", "AAAA", "BCDE", "gIHG", "hEEA"]))
def test_whatever_stands_in_the_place_of_a_ply_what_is_before_it_is_no_departure(number, word):
    departure, plies = check_game(changed(number, word), ORIGINAL)
    if word == GAME.words[number]:
        assert departure is None
    assert departure is None or departure.kind in KINDS
    assert departure is None or departure.ply is None or departure.ply >= number
    assert (plies is not None) == (departure is None or departure.kind in ABOUT_THE_RESULT)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run of 30 games played here, with all tables."""
    folder = tmp_path_factory.mktemp("played")
    return simulate(games=30, seed=5, agents=["random-patch", "random"], log="offers", engine="reference", out=folder)


def written(run, file):
    lines = [format_letters(run.record(game)) for game in range(run.manifest.games)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return lines


#: What two runs of the same games differ in: who played, and what an agent told.
TOLD = ["agent_0", "agent_1", "value", "probability"]


def test_games_that_were_played_here_written_in_letters_come_back_as_the_same_run(played, tmp_path):
    written(played, tmp_path / "games.csv")
    found = audit(tmp_path / "games.csv", format="letters", out=tmp_path / "run", log="offers", tell=pytest.fail)
    assert (found.games, found.finished, found.departing, dict(found.kinds)) == (30, 30, 0, {})
    run = open_run(tmp_path / "run")
    assert found.run == run.path
    assert verify(tmp_path / "run") == 30
    for table in ("games", "turns", "offers"):
        frames = [getattr(one, table)().drop(columns=TOLD, errors="ignore") for one in (played, run)]
        pd.testing.assert_frame_equal(*frames)
    assert run.record(7).actions == played.record(7).actions
    assert set(run.games()["agent_0"]) == {"recorded"}
    assert run.offers()["value"].isna().all()


def test_metrics_and_a_report_can_be_made_of_recorded_games(played, tmp_path, monkeypatch):
    of_page = import_module("patchstats.analysis.report.page")
    for picture in ("inline", "plot_economy", "plot_scores", "plot_waiting"):  # they take long
        monkeypatch.setattr(of_page, picture, lambda *_: "")
    lines = written(played, tmp_path / "games.csv")
    (tmp_path / "games.csv").write_text("\n".join(lines[:4]), encoding="utf-8")
    audit(tmp_path / "games.csv", out=tmp_path / "run")
    compute_metrics(tmp_path / "run", ["holes"])
    assert len(open_run(tmp_path / "run").metric("holes")) == 4
    html = page(collect(open_run(tmp_path / "run")))
    assert f"patchstats audit FILE --log games --out {tmp_path / 'run'}" in html
    assert "patchstats simulate" not in html
    assert "limited by time" not in html


def test_a_run_has_the_whole_games_in_their_order_whatever_else_depart(played, tmp_path):
    lines = written(played, tmp_path / "games.csv")
    lines[0] = lines[0].replace(",", ",hAAA", 1)  # an extra leather
    lines[3] = lines[3].rpartition(",")[0] + ",1000"  # another difference
    lines[4] = "no game"
    (tmp_path / "games.csv").write_text("\n".join(lines), encoding="utf-8")
    findings = []
    found = audit(tmp_path / "games.csv", out=tmp_path / "run", tell=findings.append)
    assert [(one.game, one.where, one.departure.kind) for one in findings] == [
        (0, "line 1", "extra leather"),
        (3, "line 4", "score differs"),
        (4, "line 5", "unreadable"),
    ]
    assert str(findings[2]).startswith("line 5, column 1: unreadable: expected the letter of a patch")
    assert (found.games, found.departing, found.finished) == (30, 3, 28)
    assert list(found.kinds) == ["unreadable", "extra leather", "score differs"]
    run = open_run(tmp_path / "run")
    kept = [game for game in range(30) if game not in (0, 4)]
    assert run.games()["score_0"].tolist() == played.games()["score_0"][kept].tolist()
    assert run.games()["game_index"].tolist() == run.games()["ring_index"].tolist() == list(range(28))
    assert verify(tmp_path / "run") == 28


def test_more_workers_find_the_same_in_the_same_order(played, tmp_path, contents):
    lines = [
        line.replace(",", ",h", 1) if number % 7 == 3 else line
        for number, line in enumerate(written(played, tmp_path / "one"))
    ]
    (tmp_path / "games.csv").write_text("\n".join(lines * 9), encoding="utf-8")  # more than one piece
    told = []
    for workers in (1, 2):
        findings = []
        audit(tmp_path / "games.csv", workers=workers, out=tmp_path / f"run-{workers}", tell=findings.append)
        told.append(findings)
    assert told[0] == told[1]
    assert [one.game for one in told[0]] == [game for game in range(270) if game % 30 % 7 == 3]
    assert contents(tmp_path / "run-1") == contents(tmp_path / "run-2")


def test_shards_are_cut_at_a_thousand_games(played, tmp_path, monkeypatch):
    monkeypatch.setattr("patchstats.simulation.recorded.GAMES_PER_SHARD_OF_SCRIPTS", 12)
    written(played, tmp_path / "games.csv")
    audit(tmp_path / "games.csv", out=tmp_path / "run", log="turns")
    run = open_run(tmp_path / "run")
    assert [(shard.first_game, shard.games) for shard in run.manifest.shards] == [(0, 12), (12, 12), (24, 6)]
    assert verify(tmp_path / "run") == 30


def test_the_same_audit_writes_the_same_run_again_and_another_one_is_refused(played, tmp_path, contents):
    file, out = tmp_path / "games.csv", tmp_path / "run"
    lines = written(played, file)[:8]
    file.write_text("\n".join(lines), encoding="utf-8")
    audit(file, out=out)
    before = contents(out)
    (out / "games" / "part-00000.parquet").unlink()
    audit(file, out=out)
    assert contents(out) == before
    (out / "manifest.json").unlink()  # as after a killed audit
    audit(file, out=out)
    assert contents(out) == before
    with pytest.raises(RunError, match="holds another run"):
        audit(file, out=out, log="turns")
    file.write_text("\n".join(lines[:5]), encoding="utf-8")
    other_file = r"another run \(agents.0.sha256: .* asked for, that of another file; agents.1.sha256: [^;]*\);"
    with pytest.raises(RunError, match=other_file):
        audit(file, out=out)
    other_agents = r"another run \(agents.0.spec: 'recorded' there, 'random' asked for; agents.1.spec: .*; games_per_sh"
    with pytest.raises(RunError, match=other_agents):
        simulate(games=30, seed=0, out=out)
    assert contents(out) == before


def test_where_no_game_is_whole_there_is_no_run(tmp_path):
    (tmp_path / "games.csv").write_text(LINE.replace(",", ",.hAAA", 1), encoding="utf-8")
    found = audit(tmp_path / "games.csv", out=tmp_path / "deep" / "run")
    assert (found.run, found.finished, found.kinds) == (None, 0, Counter({"extra leather": 1}))
    assert not (tmp_path / "deep").exists()


def test_an_audit_that_is_broken_off_leaves_nothing(played, tmp_path, monkeypatch):
    written(played, tmp_path / "games.csv")
    monkeypatch.setattr("patchstats.simulation.recorded.GAMES_PER_SHARD_OF_SCRIPTS", 12)

    def stopped(_):
        raise KeyboardInterrupt

    (tmp_path / "bad.csv").write_text((tmp_path / "games.csv").read_text() + "\nno game", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        audit(tmp_path / "bad.csv", out=tmp_path / "run", tell=stopped)
    assert not (tmp_path / "run").exists()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunError, match="No space left on device"):
        audit(tmp_path / "games.csv", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_folders_of_records_are_audited_under_one_ruleset(tmp_path):
    for name in ("tie", "original-mixed", "revised-mixed"):
        (tmp_path / f"{name}.txt").write_text((GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), encoding="utf-8")
    text = format_record(RECORD).splitlines()
    text[10] = f"{1 - int(text[10][0])}{text[10][1:]}"
    (tmp_path / "wrong.txt").write_text("\n".join(text), encoding="utf-8")
    (tmp_path / "x.txt").write_text("patchstats game record 1\nruleset", encoding="utf-8")
    findings = []
    found = audit(tmp_path, out=tmp_path / "run", tell=findings.append)
    assert [(one.where, one.departure.kind) for one in findings] == [
        ("revised-mixed.txt", "other ruleset"),
        ("wrong.txt", "wrong seat"),
        ("x.txt", "unreadable"),
    ]
    assert str(findings[2]).startswith("x.txt, line 2, column 8: unreadable: expected the name of the ruleset")
    assert (found.format, found.finished) == ("records", 2)
    assert audit(tmp_path, ruleset="revised").finished == 1


def test_what_cannot_be_audited_is_refused(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("\n \n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "codes.csv").write_text("ring,actions,ring\n")
    (tmp_path / "games.csv").write_text(LINE)
    for file, asked, said in (
        (empty, {}, "holds no game in the format letters"),
        (tmp_path / "folder", {}, "holds no game in the format records"),
        (tmp_path / "folder", {"format": "letters"}, "is a folder, and games in letters stand in a file"),
        (tmp_path / "codes.csv", {}, "line 1, column 14: expected another column"),
        (tmp_path / "nowhere", {}, "nowhere cannot be read: No such file or directory"),
        (tmp_path / "games.csv", {"format": "words"}, "format 'words' is none of auto, letters, records, codes"),
        (tmp_path / "games.csv", {"workers": 0}, "workers must be"),
        (tmp_path / "games.csv", {"log": "summary", "out": tmp_path / "run"}, "log 'summary' is none of games"),
        (tmp_path / "games.csv", {"out": tmp_path}, "holds other files"),
    ):
        with pytest.raises(PatchstatsError, match=said):
            audit(file, **asked)
    with pytest.raises(RulesetError, match="letter A"):
        audit(tmp_path / "games.csv", ruleset=ORIGINAL.with_changes({"patches.p01.rows": "11/11"}))


def test_a_game_is_audited_under_the_ruleset_that_is_asked_for(tmp_path):
    record = golden("revised-mixed")
    file = tmp_path / "games.csv"
    file.write_text(format_letters(record), encoding="utf-8")
    assert audit(file, ruleset="revised", tell=pytest.fail).departing == 0
    assert set(audit(file).kinds) <= {"missing leather", "extra leather"}
    assert audit(file).departing == 1
    assert Path(audit(str(file)).file) == file
