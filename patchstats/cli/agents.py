"""patchstats agents: who can play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from patchstats.cli.options import json_option

if TYPE_CHECKING:
    from patchstats.agents import Card, Parameter
    from patchstats.agents.registry import Entry

_COSTS = {
    "lots": "over 100,000 games a second on one core",
    "rule": "over 1,000 games a second on one core",
    "search": "up to 1,000 games a second on one core",
}


@click.command()
@click.argument("name", required=False)
@json_option
def agents(name: str | None, as_json: bool) -> None:
    """List the agents: how each is named, and what it does; or tell all of the one with this NAME.

    Of the agents of patchstats it is said how quick they are (lots: over 100,000 games a second on one core; rule: over
    1,000; search: fewer), what they play for, and whether they draw lots. The restrictions, which can stand before
    their names with a +, come last.
    """
    import difflib
    import json

    from patchstats.agents import AGENTS, RESTRICTIONS

    if name is not None and name not in AGENTS:
        close = difflib.get_close_matches(name, AGENTS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(AGENTS)}"
        raise click.UsageError(f"agent {name!r} is unknown; {hint}")
    if as_json and name is None:
        told = {"agents": {each: _values(entry) for each, entry in AGENTS.items()}, "restrictions": RESTRICTIONS}
        click.echo(json.dumps(told, indent=1))
    elif as_json:
        click.echo(json.dumps(_values(AGENTS[name or ""]), indent=1))
    elif name is not None:
        click.echo("\n".join(_page(AGENTS[name])))
    else:
        for entry in AGENTS.values():
            click.echo(f"{entry.usage}\n    {entry.line}")
            if entry.card:
                click.echo(f"    {entry.card.cost}; style: {entry.card.style}; {_lots(entry.card)}")
        click.echo("\nBefore the name of an agent of patchstats, with a +:")
        for restriction, line in RESTRICTIONS.items():
            click.echo(f"{restriction}\n    {line}")


def _lots(card: Card) -> str:
    return "draws lots" if card.stochastic else "draws no lots"


def _page(entry: Entry) -> list[str]:
    """Everything of one agent."""
    lines = [entry.usage, f"    {entry.line}"]
    if entry.card is None:
        return lines
    card = entry.card
    lines += [
        f"cost    {card.cost}: {_COSTS[card.cost]}",
        f"style   {card.style}; {_lots(card)}",
        f"source  {card.source}",
    ]
    for one in card.parameters:
        default = "none" if one.default is None else one.default
        lines += [f"{one.name}={default}", f"    {one.line}; {one.bounds}"]
    return lines


def _values(entry: Entry) -> dict[str, Any]:
    """The same as plain values; of an agent that is none of patchstats no more than how it is named."""
    values: dict[str, Any] = {"usage": entry.usage, "line": entry.line}
    if entry.card:
        card = entry.card
        values |= {"cost": card.cost, "style": card.style, "stochastic": card.stochastic, "source": card.source}
        values["parameters"] = {one.name: _parameter(one) for one in card.parameters}
    return values


def _parameter(one: Parameter) -> dict[str, Any]:
    values: dict[str, Any] = {"line": one.line, "default": one.default, "kind": one.kind.__name__}
    if one.choices:
        values["choices"] = list(one.choices)
    elif one.kind is not str:
        values |= {"least": one.least, "greatest": None if one.greatest == float("inf") else one.greatest}
    return values
