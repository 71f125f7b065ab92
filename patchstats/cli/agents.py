"""patchstats agents: who can play."""

from __future__ import annotations

import click

from patchstats.cli.options import json_option


@click.command()
@json_option
def agents(as_json: bool) -> None:
    """List the agents: how each is named, and what it does."""
    import json

    from patchstats.agents import AGENTS

    if as_json:
        click.echo(json.dumps({name: {"usage": one.usage, "line": one.line} for name, one in AGENTS.items()}, indent=1))
        return
    for entry in AGENTS.values():
        click.echo(f"{entry.usage}\n    {entry.line}")
