"""The notebooks as they are committed: executed in order, without an error, and opening with question and answer."""

import json
from pathlib import Path

import pytest

#: Those that answer a question; the first look, 00, does not, and is committed without figures.
NOTEBOOKS = sorted(Path(__file__).parents[2].joinpath("notebooks").glob("0[1-9]*.ipynb"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def told_by(cell):
    """What a code cell printed or displayed, as text."""
    data = [output.get("data", {}) for output in cell["outputs"]]
    shown = ["".join(one.get("text/markdown", one.get("text/plain", ""))) for one in data]
    return "\n".join([*shown, *("".join(output.get("text", "")) for output in cell["outputs"])])


@by_name
def test_all_cells_were_executed_in_order_without_an_error(path):
    code = [cell for cell in cells_of(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell["outputs"] if output["output_type"] == "error"]


@by_name
def test_a_notebook_opens_with_the_question_the_answer_and_the_picture(path):
    first, *others = cells_of(path)
    assert "**Question.**" in "".join(first["source"])
    code = [cell for cell in others if cell["cell_type"] == "code"]
    [place] = [place for place, cell in enumerate(code) if told_by(cell).lstrip().startswith("**Answer.**")]
    assert any("image/png" in output.get("data", {}) for output in code[place + 1]["outputs"])


@by_name
def test_then_it_says_how_to_change_it_and_last_it_checks_its_numbers(path):
    cells = cells_of(path)
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    titles = [line for text in texts for line in text.splitlines() if line.startswith("## ")]
    assert titles[0] == "## For a ruleset of one's own"
    assert titles[-1] == "## Checks"
    assert "ranges.check(" in "".join(cells[-1]["source"])
