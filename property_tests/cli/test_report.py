"""patchstats report: the page it writes, what it prints, and what it refuses."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from patchstats import open_run, simulate
from patchstats.analysis.report import collect, page
from patchstats.notation import format_record

#: What the file of an agent may be called.
HOSTILE = "<b onload=alert(1)>\"'&$x"


@pytest.fixture
def run(patchstats):  # noqa: ARG001
    """A run of ten games in the current folder, which `patchstats` has changed."""
    return simulate(games=10, seed=1, out="run", engine="reference", workers=1)


@pytest.fixture
def refused(patchstats):
    """A function that runs a report, checks that it is refused in one line and nothing is written, and returns that."""

    def refused(*arguments):
        before = sorted(Path().rglob("*"))
        answer = patchstats("report", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert sorted(Path().rglob("*")) == before
        [line] = answer.err.splitlines()
        return line.removeprefix("patchstats: ")

    return refused


def test_the_page_is_written_and_its_path_printed(patchstats, run):
    answer = patchstats("report", "run", "--out", "deep/page.html")
    assert (answer.status, answer.out.strip(), answer.err) == (0, str(Path("deep/page.html")), "")
    assert Path("deep/page.html").read_text(encoding="utf-8") == page(collect(run))
    assert [path.name for path in Path("deep").iterdir()] == ["page.html"]


def test_json_has_the_numbers_of_the_page(patchstats, run):
    answer = patchstats("report", "run", "--out", "page.html", "--json")
    found = json.loads(answer.out, parse_constant=pytest.fail)
    assert found == json.loads(json.dumps(collect(run).to_dict()))
    assert found["run_id"] == run.run_id
    share = found["first"]["share"]
    assert share["share"] == (run.games()["winner"] == 0).mean()
    assert f"{share['share']:.1%} [{share['low']:.1%}, {share['high']:.1%}]" in Path("page.html").read_text("utf-8")
    assert found["decided"]["missing"] == "the run has no table of turns"


def test_a_page_that_is_there_is_replaced_whole(patchstats, run):
    Path("page.html").write_text("x" * 10_000_000, encoding="utf-8")
    assert patchstats("report", run.path, "--out", "page.html").status == 0
    assert Path("page.html").read_text(encoding="utf-8") == page(collect(run))


@pytest.mark.usefixtures("run")
def test_a_page_that_cannot_be_written_leaves_the_one_before(refused, monkeypatch):
    Path("page.html").write_text("before", encoding="utf-8")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert refused("run", "--out", "page.html") == "page.html cannot be written: No space left on device"
    assert Path("page.html").read_text(encoding="utf-8") == "before"


def test_a_run_of_records_with_odd_names_has_a_page(patchstats, run):
    Path(HOSTILE).write_text(format_record(run.record(3)), encoding="utf-8")
    agents = f"scripted:{HOSTILE},scripted:{HOSTILE}"
    assert patchstats("simulate", "--games", 4, "--seed", 1, "--agents", agents, "--out", "odd").status == 0
    assert patchstats("report", "odd", "--out", "odd.html").status == 0
    seen = []

    class Seeing(HTMLParser):
        def handle_starttag(self, _, attributes):
            assert not any(name.startswith("on") for name, _ in attributes)

        def handle_data(self, data):
            seen.append(data)

    Seeing().feed(Path("odd.html").read_text(encoding="utf-8"))
    spec = open_run("odd").spec["agents"][0]["spec"]
    assert HOSTILE in spec
    assert f"Patchwork: {spec} against {spec}" in seen
    assert "It needs the files of the scripts" in "".join(seen)
    assert "A game record laid the ring, the same for all games" in "".join(seen)


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("out", ["page.txt", "page", "page.html.gz", "s3://bucket/page.svg"])
def test_a_page_of_another_name_is_refused(refused, out):
    assert f"--out {out}: the name of a page ends in .html" in refused("run", "--out", out)


@pytest.mark.usefixtures("run")
def test_what_is_no_run_is_refused(refused):
    assert "nowhere is no run" in refused("nowhere", "--out", "page.html")
    assert "Missing option '--out'" in refused("run")
    assert "an empty text is no path" in refused("run", "--out", "")


@pytest.mark.usefixtures("run")
def test_a_damaged_run_is_refused(refused):
    shard = Path("run/games/part-00000.parquet")
    data = shard.read_bytes()
    shard.write_bytes(data[: len(data) // 2])
    assert "part-00000.parquet" in refused("run", "--out", "page.html")
    shard.unlink()
    assert "part-00000.parquet" in refused("run", "--out", "page.html")
    Path("run/manifest.json").write_text("{}", encoding="utf-8")
    assert "manifest.json is damaged" in refused("run", "--out", "page.html")


@pytest.mark.usefixtures("run")
def test_a_place_that_cannot_be_written_is_refused(refused):
    Path("file").write_text("no folder", encoding="utf-8")
    assert "cannot be written" in refused("run", "--out", "file/page.html")
    Path("folder.html").mkdir()
    assert refused("run", "--out", "folder.html") == "folder.html cannot be written: Is a directory"
