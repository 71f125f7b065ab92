"""The command line: one small module a command. A command imports what it needs when it runs, so that help is quick."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import click

from patchstats import __version__
from patchstats.cli.agents import agents
from patchstats.cli.audit import audit
from patchstats.cli.bench import bench
from patchstats.cli.conform import conform
from patchstats.cli.engine import engine
from patchstats.cli.ladder import ladder
from patchstats.cli.metrics import metrics
from patchstats.cli.perft import perft
from patchstats.cli.power import power
from patchstats.cli.replay import replay
from patchstats.cli.report import report
from patchstats.cli.rules import rules
from patchstats.cli.rulesets import rulesets
from patchstats.cli.screen import screen
from patchstats.cli.simulate import simulate
from patchstats.cli.train import train
from patchstats.cli.verify import verify
from patchstats.cli.whatif import whatif
from patchstats.errors import PatchstatsError, VerificationError
from patchstats.simulation.threads import are_left


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def patchstats() -> None:
    """Verify the rules of the board game Patchwork and analyse its balance."""


for command in (
    *(simulate, verify, metrics, report, ladder, whatif, screen, power, replay, perft),
    *(engine, conform, audit, rules, rulesets, agents, train, bench),
):
    patchstats.add_command(command)


def main() -> NoReturn:
    """Run the command line: results on standard output, anything else on standard error, and the exit status.

    0: done; 1: a check failed; 2: wrong usage or input, said in one line; 130: interrupted.
    """
    try:
        patchstats.main(prog_name="patchstats", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(2)
    except click.ClickException as error:
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "patchstats"
        _fail(f"{' '.join(error.format_message().split())} (see {path} --help)", 2)
    except VerificationError as error:
        _fail(str(error), 1)
    except PatchstatsError as error:
        _fail(str(error), 2)
    except (KeyboardInterrupt, click.Abort):
        _interrupted()
    except BrokenPipeError:
        _close_standard_output()
        sys.exit(141)
    except OSError as error:
        _close_standard_output()
        _fail(f"standard output cannot be written: {error.strerror or error}", 1)
    sys.exit(0)


def _close_standard_output() -> None:
    """Let nothing more be written there, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupted() -> NoReturn:
    """Say so and end, without waiting for threads that compute: what they would write is never half there."""
    left = are_left()
    if left:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends now
    try:
        click.echo(
            "patchstats: interrupted; what was finished is kept, and the same command goes on from there", err=True
        )
    finally:
        if left:
            os._exit(130)
    sys.exit(130)


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"patchstats: {message}", err=True)
    sys.exit(status)
