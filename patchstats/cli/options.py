"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from patchstats.rules import Ruleset


class Place(click.ParamType):  # type: ignore[type-arg]
    """Where a run lies: a path, or a URL. An empty text is none, although Python takes it for the current folder."""

    name = "path or URL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("an empty text is no path", param, ctx)
        return value if "://" in value else Path(value)


PLACE = Place()


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

progress_option: Decorator = click.option(
    "--progress",
    type=click.Choice(["auto", "plain", "json", "off"]),
    default="auto",
    show_default=True,
    help="How progress is shown on standard error; auto is a bar on a terminal and plain lines elsewhere.",
)

engine_option: Decorator = click.option(
    "--engine",
    type=click.Choice(["auto", "kernel", "reference"]),
    default="auto",
    show_default=True,
    help="The compiled engine (kernel), the reference engine, or (auto) the compiled one where it can.",
)

json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs to read.")

games_per_shard_option: Decorator = click.option(
    "--games-per-shard", type=int, default=0, help="How many games a file holds.  [default: what suits the agents]"
)

run_argument: Decorator = click.argument("run", type=PLACE)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


workers_option: Decorator = click.option(
    "--workers", type=int, default=processors, show_default="one a processor", help="How many play at a time."
)


def specs(_: click.Context, __: click.Parameter, agents: str) -> list[str]:
    """The spec strings that `--agents` names, as its callback."""
    from patchstats.agents import split_specs

    return split_specs(agents)


def seats_option(default: str) -> Decorator:
    """`--agents`, of two."""
    return click.option(
        "--agents",
        metavar="A,B",
        callback=specs,
        default=default,
        show_default=True,
        help="The agents at seat 0, which moves first, and seat 1 (see patchstats agents).",
    )


def pairing_option(text: str) -> Decorator:
    """`--pairing`, as of `patchstats simulate`, explained by a text."""
    return click.option("--pairing", metavar="none|mirrored|rings:K", default="none", show_default=True, help=text)


def log_option(text: str) -> Decorator:
    """`--log`, as of `patchstats simulate`, explained by a text."""
    levels = click.Choice(["summary", "games", "turns", "offers"])
    return click.option("--log", type=levels, default="games", show_default=True, help=text)


def ruleset_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--ruleset` and `--set`; `chosen_ruleset` makes a ruleset of their values."""
    command = click.option(
        "--set",
        "changes",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a key of the ruleset, such as patches.p21.cost=1; may be given several times.",
    )(command)
    return click.option(
        "--ruleset",
        metavar="NAME|FOLDER",
        default="original",
        show_default=True,
        help="A shipped ruleset (see patchstats rulesets), or a folder with a ruleset.toml.",
    )(command)


def chosen_ruleset(ruleset: str, changes: tuple[str, ...]) -> Ruleset:
    """Return the ruleset that `--ruleset` and `--set` ask for. Raises RulesetError when there is none such."""
    from patchstats.rules import Ruleset
    from patchstats.rules.loading import parse_change

    pairs = [parse_change(change) for change in changes]
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise click.UsageError(f"--set gives {key} twice")
    return Ruleset.load(ruleset).with_changes(dict(pairs))
