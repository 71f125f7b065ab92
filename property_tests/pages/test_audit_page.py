"""The page about games of others does what it says, and names every kind of departure."""

from pathlib import Path

from patchstats.conformance.departures import KINDS

PAGE = "docs/audit.md"
TEXT = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")


def test_every_example_of_the_page_prints_what_it_shows(tmp_path, monkeypatch, blocks_of, run_python, run_commands):
    monkeypatch.chdir(tmp_path)
    names = {}
    kinds = []
    for kind, text in blocks_of(PAGE):
        kinds.append(kind)
        if kind == "python":
            run_python(text, names, PAGE)
        else:
            run_commands(text, tmp_path)
    assert set(kinds) == {"python", "console"}


def test_the_page_names_every_kind_in_order():
    rows = [f"| `{kind}` | {words} |" for kind, words in KINDS.items()]
    assert "\n".join(rows) in TEXT
