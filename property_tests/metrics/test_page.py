"""The page that documents the columns of the shipped metrics."""

from pathlib import Path

from patchstats.metrics.page import COMMAND, shipped_metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_page_ends_with_the_columns_that_the_metrics_have():
    assert PAGE.read_text(encoding="utf-8").endswith(f"\n{shipped_metrics()}"), f"its end must be what {COMMAND} prints"


def test_the_page_names_the_command_that_writes_its_end():
    assert COMMAND in shipped_metrics()
