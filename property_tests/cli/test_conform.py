"""patchstats engine and patchstats conform, as they are called."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

ENGINES = Path(__file__).parents[1] / "conformance" / "engines"
PATCHSTATS = str(Path(sys.executable).with_name("patchstats"))
PYTHON = [sys.executable, "-I", "-S"]
COMPACT = [*PYTHON, str(ENGINES / "compact.py")]
QUICK = ("conform", "--only", "drawn", "--examples", 3)


def conform(patchstats, *mistake, options=()):
    return patchstats(*QUICK, *options, "--", *COMPACT, *mistake)


def test_an_engine_that_plays_by_the_rules_gets_status_0(patchstats):
    answer = conform(patchstats)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("engine: compact 1; any ruleset; can count, list, perft, position, refuse\ndrawn: ")
    assert ", broken: 0, not covered: " in answer.out.splitlines()[-1]


def test_a_broken_clause_is_told_with_its_text_values_record_and_picture(patchstats):
    answer = conform(patchstats, "tie-goes-to-seat-0")
    assert answer.status == 1
    assert answer.err == "patchstats: clause 9.4 is broken\n"
    for part in (
        "9.4 broken: Equal scores",
        "If both scores are equal, the seat whose token reached the finish first wins.",
        "value   expected  found\n    winner  1         0",
        "patchstats game record 1\n    ruleset two-spaces ",
        "0 advance\n    1 advance\n    0 advance\n",
        "The game is over. The scores are equal, and seat 1 wins: it finished first.",
        "seat 0   ..0",
    ):
        assert part in answer.out
    assert ", broken: 1, not covered: " in answer.out.splitlines()[-1]


def test_junit_has_a_test_case_a_clause(patchstats):
    answer = conform(patchstats, "offer-of-four", options=("--junit", "report.xml"))
    assert answer.status == 1
    root = ElementTree.parse("report.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert len(cases) == 61 == int(root.get("tests"))
    failure = cases["5.1 The offer"].find("failure")
    assert failure.get("message").startswith("offer: expected [")
    assert "The offer is the next patches clockwise" in failure.text
    assert [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None] == ["5.1 The offer"]
    assert cases["2.7 Open information"].find("skipped").get("message") == "no test of an engine can hold it"
    assert int(root.get("skipped")) == len(list(root.iter("skipped")))
    assert os.listdir() == ["report.xml"]


def test_a_fault_is_an_error_in_junit_and_status_1(patchstats):
    files = ("--junit", "new/r.xml", "--out", "kept")
    answer = patchstats("conform", "--only", "games", *files, "--", *PYTHON, ENGINES / "odd.py", "crashes")
    assert answer.status == 1
    assert "crash: the engine ended before it answered: exit status 3" in answer.out
    assert answer.err == "patchstats: the engine ended before it answered: exit status 3, 3 times\n"
    root = ElementTree.parse("new/r.xml").getroot()
    assert [error.get("type") for error in root.iter("error")] == ["crash"]
    assert "out of memory in quilt.c" in root.find(".//system-err").text
    assert sorted(os.listdir("kept")) == [f"fault-{number}.{end}" for number in (1, 2, 3) for end in ("jsonl", "txt")]
    told = Path("kept/fault-1.txt").read_text(encoding="utf-8")
    assert "exit status 3" in told
    [before] = re.findall(r"asked, after (\d+) requests: ", told)
    assert len(Path("kept/fault-1.jsonl").read_text(encoding="utf-8").splitlines()) == 1 + int(before) + 1


def test_the_requests_that_are_kept_of_a_fault_bring_it_back(patchstats):
    Path("kept").mkdir()
    for name in ("fault-3.txt", "5.1.svg", "mine.txt"):
        Path("kept", name).write_text("of an earlier check", encoding="utf-8")
    engine = ["-c", "import sys\nfor line in sys.stdin: print('{', flush=True)"]
    answer = patchstats("conform", "--only", "games", "--out", "kept", "--", *PYTHON, *engine)
    assert answer.err == "patchstats: the engine wrote a line that is no JSON: '{'\n"
    assert sorted(os.listdir("kept")) == ["fault-1.jsonl", "fault-1.txt", "mine.txt"]
    requests = Path("kept/fault-1.jsonl").read_text(encoding="utf-8")
    ran = subprocess.run([*PYTHON, *engine], input=requests, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "{"


def test_a_check_that_is_cut_short_does_not_pass(patchstats):
    answer = patchstats("conform", "--limit", "0.01", "--junit", "r.xml", "--json", "--", *COMPACT)
    assert (answer.status, answer.err) == (1, "patchstats: the check was cut short, as its time was over\n")
    found = json.loads(answer.out)
    assert not found["passed"]
    assert found["pace"]["cut_short"]
    root = ElementTree.parse("r.xml").getroot()
    assert [error.get("type") for error in root.iter("error")] == ["time"] * int(root.get("errors")) == ["time"]


def test_json_has_everything_and_the_session_that_is_kept_shows_it(patchstats):
    Path("kept").mkdir()
    Path("kept/9.4.txt").write_text("of an earlier check", encoding="utf-8")
    answer = conform(patchstats, "bonus-twice", options=("--json", "--out", "kept"))
    assert answer.status == 1
    found = json.loads(answer.out)
    assert not found["passed"]
    assert found["engine"]["name"] == "compact"
    assert len(found["clauses"]) == 59
    [broken] = found["broken"]
    assert broken["clause"] == "7.3"
    assert [value["field"] for value in broken["values"] if value["tells"]] == ["bonus_owner"]
    assert broken["record"].startswith("patchstats game record 1\n")
    assert sorted(os.listdir("kept")) == ["7.3.jsonl", "7.3.svg", "7.3.txt"]
    picture = ElementTree.parse("kept/7.3.svg").getroot()
    assert "bonus" in "".join(picture.itertext())
    requests = Path("kept/7.3.jsonl").read_text(encoding="utf-8")
    assert json.loads(requests.splitlines()[0]) == {"id": 1, "ask": "hello", "protocol": 1}
    ran = [
        subprocess.run(command, input=requests, capture_output=True, text=True, check=True)
        for command in (COMPACT, [*COMPACT, "bonus-twice"])
    ]
    right, wrong = (json.loads(one.stdout.splitlines()[-1])["state"]["bonus_owner"] for one in ran)
    assert right == 1 - wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("conform",), "Missing argument '-- COMMAND...'"),
        (("conform", "--", "no-such-engine"), "no-such-engine cannot be started: No such file or directory"),
        (("conform", "--examples", "0", "--", "true"), "Invalid value for '--examples'"),
        (("conform", "--timeout", "0", "--", "true"), "Invalid value for '--timeout'"),
        (("conform", "--seed", "-1", "--", "true"), "Invalid value for '--seed'"),
        (("conform", "--only", "rules", "--", "true"), "Invalid value for '--only'"),
        (("engine", "--engine", "auto"), "Invalid value for '--engine'"),
        (("engine", "now"), "Got unexpected extra argument"),
    ],
)
def test_wrong_usage_gets_status_2_in_one_line(patchstats, arguments, message):
    answer = patchstats(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not os.listdir()


def test_the_engine_answers_and_ends_with_its_input(patchstats, monkeypatch):
    text = b'{"id": 5, "ask": "hello", "protocol": 1}\n\n{"id": 6, "ask": "\xff"}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    answer = patchstats("engine")
    assert (answer.status, answer.err) == (0, "")
    first, second = map(json.loads, answer.out.splitlines())
    assert (first["id"], first["name"]) == (5, "patchstats reference")
    assert (second["id"], second["error"]["kind"]) == (6, "request")


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_whoever_ends_the_check_ends_the_engine(tmp_path, sent, status):
    engine = tmp_path / "engine.sh"
    engine.write_text(f"echo $$ > {tmp_path}/pid.part; mv {tmp_path}/pid.part {tmp_path}/pid; exec sleep 600\n")
    command = [PATCHSTATS, "conform", "--timeout", "500", "--", "sh", str(engine)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as checking:
        limit = time.monotonic() + 60
        while not (tmp_path / "pid").exists() and time.monotonic() < limit:
            time.sleep(0.02)
        process = int((tmp_path / "pid").read_text())
        os.kill(process, 0)
        checking.send_signal(sent)
        out, err = checking.communicate(timeout=60)
    assert checking.returncode == status
    assert out == ""
    assert "Traceback" not in err
    assert err.count("\n") == (sent == signal.SIGINT)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
