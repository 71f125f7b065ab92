"""patchstats rulesets: what can be played."""

from __future__ import annotations

import click

from patchstats.cli.options import json_option


@click.command()
@json_option
def rulesets(as_json: bool) -> None:
    """List the shipped rulesets: name, id and title; with --json, each in full."""
    import json

    from patchstats.rules import Ruleset
    from patchstats.rules.loading import shipped_rulesets

    shipped = [Ruleset.load(name) for name in shipped_rulesets()]
    if as_json:
        click.echo(json.dumps([{"ruleset_id": one.ruleset_id, **one.to_dict()} for one in shipped], indent=1))
        return
    for ruleset in shipped:
        click.echo(f"{ruleset.name}  {ruleset.ruleset_id}  {ruleset.title}")
