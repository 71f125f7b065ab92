"""patchstats rules: the rulebook."""

from __future__ import annotations

import click

from patchstats.cli.options import json_option


@click.command()
@click.argument("numbers", metavar="[NUMBER]...", nargs=-1)
@json_option
def rules(numbers: tuple[str, ...], as_json: bool) -> None:
    """Print the rulebook's clauses, all or those of some numbers such as 5.8, or of whole sections."""
    import json
    import textwrap

    from patchstats.rules.rulebook import clauses

    chosen = [
        clause for clause in clauses() if not numbers or {clause.number, clause.number.split(".")[0]} & set(numbers)
    ]
    if not chosen:
        raise click.UsageError(f"no clause has the number {' or '.join(numbers)}")
    if as_json:
        fields = [{"number": one.number, "title": one.title, "text": one.text, "ruling": one.ruling} for one in chosen]
        click.echo(json.dumps(fields, indent=1))
        return
    for clause in chosen:
        click.echo(f"{clause.number} {clause.title}")
        for paragraph in filter(None, (clause.text, clause.ruling)):
            click.echo(textwrap.fill(paragraph, 96, initial_indent="    ", subsequent_indent="    "))
