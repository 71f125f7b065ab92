"""patchstats engine: our engine, for other programs to play by."""

from __future__ import annotations

import click


@click.command()
@click.option(
    "--engine",
    "name",
    type=click.Choice(["reference", "kernel"]),
    default="reference",
    show_default=True,
    help="The reference engine, or the compiled one, which takes some seconds to start.",
)
def engine(name: str) -> None:
    """Answer requests on standard input, a line of JSON each, until it is closed: see docs/protocol.md.

    Any program can so use patchstats as its rules server.
    """
    import io
    import sys

    from patchstats.conformance.protocol.engines import engine_named
    from patchstats.conformance.protocol.server import answers

    requests = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    for answer in answers(requests, engine_named(name)):
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
