"""How metrics are named, and what a class and its rows must be."""

import hashlib
from pathlib import Path

import pytest

from patchstats.agents import make_agent
from patchstats.columns import OF_RUNS
from patchstats.errors import MetricError
from patchstats.metrics import METRICS, line_about, make_metric
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game

ORIGINAL = Ruleset.load("original")
LEVEL = """
    name = "level"
    columns = (Column("level", "int16"),)
"""


def plies():
    agent = make_agent("random", ORIGINAL)
    return play_game(ORIGINAL, (agent, agent), seed=1, game_index=3, ring_index=3).plies


def refusal(spec):
    with pytest.raises(MetricError) as error:
        make_metric(spec)
    return str(error.value)


def failure(spec):
    metric = make_metric(spec)
    with pytest.raises(MetricError) as error:
        metric.rows(3, plies())
    return str(error.value)


@pytest.mark.parametrize("name", METRICS)
def test_a_shipped_metric_is_found_by_its_name_and_says_in_a_line_what_it_tells(name):
    metric = make_metric(name)
    assert (metric.spec, metric.name, metric.sha256) == (name, name, None)
    assert line_about(metric.kind).endswith(".")
    assert all(column.meaning and column.bounds for column in metric.columns)


def test_a_metric_of_ones_own_is_found_in_the_current_folder_with_the_hash_of_its_module(script):
    script(
        """
        class Advances(Metric):
            name = "advances"
            columns = [Column("advances", "int16")]

            def before(self, position):
                self.advances = 0

            def ply(self, ply):
                self.advances += ply.action == Advance()

            def after(self, position):
                return {"advances": self.advances}
        """
    )
    metric = make_metric("mine:Advances")
    assert metric.name == "advances"
    assert metric.sha256 == hashlib.sha256(Path("mine.py").read_bytes()).hexdigest()
    assert [column.name for column in metric.columns] == ["game_index", "advances"]
    expected = sum(type(ply.action).__name__ == "Advance" for ply in plies())
    assert metric.rows(3, plies()) == [{"game_index": 3, "advances": expected}]


def test_each_game_is_watched_by_a_new_instance_from_the_first_position_to_the_last(script):
    script(
        """
        seen = []

        class Watching(Metric):
            name = "watching"
            columns = (Column("plies", "int16"),)

            def __init__(self):
                self.plies = []

            def before(self, position):
                seen.append(position)

            def ply(self, ply):
                self.plies.append(ply)
                seen.append(ply)

            def after(self, position):
                seen.append(position)
                return {"plies": len(self.plies)}
        """
    )
    metric = make_metric("mine:Watching")
    game = plies()
    for _ in range(2):
        assert metric.rows(3, game) == [{"game_index": 3, "plies": len(game)}]
    whole = [game[0].before, *game, game[-1].after]
    from patchstats_script_mine import seen  # the module as it was run

    assert seen == whole + whole


@pytest.mark.parametrize(("returned", "rows"), [("[]", 0), ("[{'level': 1}, {'level': 2}]", 2), ("iter([])", 0)])
def test_a_game_may_give_any_number_of_rows(script, returned, rows):
    script(f"class Level(Metric):{LEVEL}    def after(self, position): return {returned}")
    assert len(make_metric("mine:Level").rows(3, plies())) == rows


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("hole", "metric 'hole' is unknown; did you mean holes?"),
        ("", "is unknown; there are lead-changes, streaks, holes, income-curve, and module:Class"),
        ("mine:", "is unknown; there are"),
        ("no_such_module:Level", "metric 'no_such_module:Level': module no_such_module cannot be imported: No module"),
        ("mine:Nothing", "metric 'mine:Nothing': module mine has no class Nothing"),
        ("mine:function", "module mine has no class function"),
        ("mine:Stranger", "its class must be derived from patchstats.Metric"),
        ("sys:Metric", "module sys has no file of Python text"),
    ],
)
def test_what_names_no_metric_is_refused(script, spec, reason):
    script("def function(): pass\nclass Stranger: pass")
    assert reason in refusal(spec)


def test_a_module_that_raises_is_refused_with_its_line(script):
    script("level = 1 / 0")
    assert refusal("mine:Level").endswith(f"ZeroDivisionError: division by zero ({Path('mine.py').resolve()} line 2)")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("name = 'level'; columns = (Column('level', 'int16'),)", "must have a method after"),
        (
            "columns = (Column('level', 'int16'),)",
            "name must be a word of lower case letters, digits, - and _, not None",
        ),
        ("name = 'Level'; columns = (Column('level', 'int16'),)", "not 'Level'"),
        ("name = '../level'; columns = (Column('level', 'int16'),)", "not '../level'"),
        ("name = 'holes'; columns = (Column('level', 'int16'),)", "name 'holes' is that of a shipped metric"),
        ("name = 'level'", "columns must be a tuple of patchstats.Column, not None"),
        ("name = 'level'; columns = ()", "columns must be a tuple of patchstats.Column, not ()"),
        ("name = 'level'; columns = ('level',)", "columns must hold patchstats.Column, not 'level'"),
        ("name = 'level'; columns = (Column('a level', 'int16'),)", "not 'a level'"),
        ("name = 'level'; columns = (Column('level', 'int'),)", "column 'level': type 'int' is none of bool, int8"),
        ("name = 'level'; columns = (Column('level', 'int16', 3),)", "unit, bounds and meaning must be texts"),
        ("name = 'level'; columns = (Column('level', 'int16', nullable=1),)", "nullable must be True or False"),
        ("name = 'level'; columns = (Column('game_index', 'int64'),)", "the column game_index is put in front"),
        ("name = 'level'; columns = (Column('x', 'int8'), Column('x', 'int8'))", "there are 2 columns 'x'"),
    ],
)
def test_a_class_that_is_no_metric_is_refused(script, body, reason):
    after = "" if "method after" in reason else "\n    def after(self, position): return []"
    script(f"class Level(Metric):\n    {body}{after}\n")
    assert reason in refusal("mine:Level")
    assert "\n" not in refusal("mine:Level")


@pytest.mark.parametrize("name", [*OF_RUNS, "game_index"])
def test_a_column_named_like_one_that_is_put_in_front_of_the_others_is_refused(script, name):
    script(
        f"class Level(Metric):\n    name = 'level'\n    columns = (Column('level', 'int16'), Column('{name}', 'int16'))"
        "\n    def after(self, position): return []"
    )
    assert refusal("mine:Level").startswith(f"metric 'mine:Level': the column {name} is put in front of the others")


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ("None", "game 3: after must return a row, a mapping from columns to values, or several rows, not None"),
        ("7", "or several rows, not 7"),
        ("'row'", "or several rows, not 'r'"),
        ("[7]", "or several rows, not 7"),
        ("{}", "metric 'mine:Level': game 3: its row has no value for column 'level'"),
        ("{'level': 1, 'extra': 2}", "its row has a value for 'extra', and its columns are level"),
        ("{'level': 1, 'game_index': 2}", "its row has a value for 'game_index'"),
        ("[{'level': 1}, {'level': 2**15}]", "column 'level' holds int16, not 32768 of type int"),
        ("{'level': -(2**15) - 1}", "not -32769 of type int"),
        ("{'level': True}", "column 'level' holds int16, not True of type bool"),
        ("{'level': 1.0}", "not 1.0 of type float"),
        ("{'level': '1'}", "not '1' of type str"),
        ("{'level': None}", "column 'level' holds int16, not None of type NoneType"),
    ],
)
def test_what_is_no_row_is_an_error_with_the_game_and_the_column(script, returned, reason):
    script(f"class Level(Metric):{LEVEL}    def after(self, position): return {returned}")
    assert reason in failure("mine:Level")
    assert failure("mine:Level").startswith("metric 'mine:Level'")


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        ("bool", ["True"], ["1", "None"]),
        ("int8", ["-128", "127"], ["128", "-129"]),
        ("int64", ["2**63 - 1", "-(2**63)"], ["2**63"]),
        ("float64", ["0.5", "float('nan')", "float('inf')", "3", "2**53"], ["2**53 + 1", "'0.5'", "True"]),
        ("string", ["''", "'ä'"], ["b''", "'\\ud800'", "1"]),
        ("binary", ["b''", "b'\\xff'"], ["''", "bytearray(1)"]),
    ],
)
def test_a_value_must_fit_the_type_of_its_column(script, type_, good, bad):
    for value in (*good, *bad):
        script(
            f"class Level(Metric):\n    name = 'level'\n    columns = (Column('level', '{type_}'),)\n"
            f"    def after(self, position): return {{'level': {value}}}"
        )
        if value in good:
            [row] = make_metric("mine:Level").rows(3, plies())
            assert set(row) == {"game_index", "level"}
        else:
            assert f"column 'level' holds {type_}, not " in failure("mine:Level")


def test_a_nullable_column_may_hold_nothing(script):
    columns = LEVEL.replace('"int16"', '"int16", nullable=True')
    script(f"class Level(Metric):{columns}    def after(self, position): return {{'level': None}}")
    assert make_metric("mine:Level").rows(3, plies()) == [{"game_index": 3, "level": None}]


@pytest.mark.parametrize(
    ("method", "where"),
    [
        ("def __init__(self): raise KeyError('now')", "game 3"),
        ("def before(self, position): raise KeyError('now')", "game 3"),
        ("def ply(self, ply):\n        if ply.before.players[0].space: raise KeyError('now')", "game 3, ply 1"),
        ("def after(self, position): raise KeyError('now')", "game 3"),
        ("def after(self, position):\n        yield {'level': 1}\n        raise SystemExit('now')", "game 3"),
    ],
)
def test_an_error_in_a_metric_is_told_in_a_line_with_the_game_and_the_line_of_the_module(script, method, where):
    after = "" if "after" in method else "\n    def after(self, position): return []"
    script(f"class Level(Metric):{LEVEL}    {method}{after}\n")
    message = failure("mine:Level")
    assert message.startswith(f"metric 'mine:Level' failed: {where}: ")
    lines = Path("mine.py").read_text(encoding="utf-8").splitlines()
    [number] = [number for number, line in enumerate(lines, start=1) if "raise" in line]
    assert message.endswith(f" ({Path('mine.py').resolve()} line {number})")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("method", "number"),
    [
        ("def __init__(self, level): self.level = level", 6),
        ("def __init__(self):\n        super().__init__(3)", 7),
        ("def before(self): pass", 6),
        ("def ply(self): pass", 6),
        ("def after(self): pass", 6),
        ("@abstractmethod\n    def level(self): pass", 3),
    ],
)
def test_a_call_that_a_metric_does_not_take_is_told_with_the_line_that_defines_what_was_called(script, method, number):
    after = "" if "after" in method else "\n    def after(self, position): return []"
    script(f"from abc import ABC, abstractmethod\nclass Level(Metric, ABC):{LEVEL}    {method}{after}\n")
    message = failure("mine:Level")
    assert message.startswith("metric 'mine:Level' failed: game 3")
    assert ": TypeError: " in message
    assert message.endswith(f" ({Path('mine.py').resolve()} line {number})")
