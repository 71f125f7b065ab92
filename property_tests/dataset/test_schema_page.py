"""The page that documents every column."""

from pathlib import Path

import pytest

from patchstats.dataset.jitter import JITTERS
from patchstats.dataset.schema import JITTER, LOG_LEVELS, PATCHES, SCHEMA_VERSION, TABLES, schema_page, tables_of
from patchstats.notation.action_log import FORMAT

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"
COMMAND = "python -m patchstats.dataset.schema > docs/schema.md"


def test_the_page_is_what_the_schema_says():
    assert PAGE.read_text(encoding="utf-8") == schema_page(), f"docs/schema.md is out of date; write it with: {COMMAND}"


def test_the_page_names_the_command_that_writes_it():
    assert COMMAND in schema_page()


def test_every_column_has_a_line_on_the_page_and_a_meaning():
    page = schema_page()
    assert f"Schema version {SCHEMA_VERSION}." in page
    for columns in (*TABLES.values(), PATCHES, [JITTER]):
        for column in columns:
            assert column.meaning
            assert f"| `{column.name}` | {column.type} | {column.unit} | {column.bounds} | {column.meaning} |" in page
    assert FORMAT in page


def test_the_levels_of_logging_add_to_each_other():
    names = {
        level: {table: [c.name for c in columns] for table, columns in LOG_LEVELS[level].items()}
        for level in LOG_LEVELS
    }
    assert names["summary"] == {"games": [name for name in names["games"]["games"] if name != "actions"]}
    assert names["turns"] == {**names["games"], "turns": [column.name for column in TABLES["turns"]]}
    assert names["offers"] == {**names["turns"], "offers": [column.name for column in TABLES["offers"]]}


@pytest.mark.parametrize("log", LOG_LEVELS)
def test_where_prices_change_the_games_have_a_last_column_more(log):
    assert tables_of(log, "") == LOG_LEVELS[log]
    for jitter in JITTERS:
        there = tables_of(log, jitter)
        assert there.pop("games") == (*LOG_LEVELS[log]["games"], JITTER)
        assert there == {table: columns for table, columns in LOG_LEVELS[log].items() if table != "games"}
