"""The pages do what they say: the examples of each are run in order, in one folder, and print what it shows."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
#: CI runs the commands of the first block of the README; the others are to be read.
NOT_RUN_HERE = {"sh", "toml"}


@pytest.mark.parametrize(
    ("page", "expected_kinds"),
    [
        ("README.md", {"sh"}),
        ("docs/metrics.md", set()),
        ("docs/ladder.md", set()),
        ("docs/agents.md", set()),
        ("docs/whatif.md", set()),
        ("docs/report.md", set()),
        ("docs/pictures.md", set()),
    ],
)
def test_every_example_of_a_page_prints_what_it_shows(
    tmp_path, monkeypatch, blocks_of, run_python, run_commands, page, expected_kinds
):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = blocks_of(page)
    for kind, text in blocks:
        file = re.match(r"# (\w+\.py)\n", text)
        if kind == "python" and file:
            (tmp_path / file[1]).write_text(text, encoding="utf-8")
        elif kind == "python":
            run_python(text, names, page)
        elif kind == "console":
            run_commands(text, tmp_path)
        else:
            assert kind in NOT_RUN_HERE, f"a block of kind {kind} that nothing runs"
    assert {"python", "console"} | expected_kinds <= {block.kind for block in blocks}


def test_the_links_of_the_pages_lead_somewhere():
    pages = [CHECKOUT / "README.md", CHECKOUT / "property_tests" / "README.md", *(CHECKOUT / "docs").glob("*.md")]
    dead = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not dead
