"""How far a long piece of work has got, on standard error: a live bar, plain lines, JSON lines, or nothing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from patchstats.analysis.shares import Share
from patchstats.errors import RunError

STYLES = ("auto", "plain", "json", "off")

#: Called with the number of games done since the last call.
Report = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 2.0


@contextmanager
def progress(
    style: str, what: str, games: int, done: int = 0, share: Callable[[], Share | None] = lambda: None
) -> Iterator[Report]:
    """Show the progress of work on so many games, of which `done` were there before.

    `auto` is a live bar on a terminal and plain lines elsewhere; `plain` prints a line every two seconds and one at the
    end; `json` prints the same as objects with the keys what, games, of, games_per_second and seconds_left, and, of
    games being played, the share that seat 0 won so far (share_0) with its interval (low, high).
    """
    if style not in STYLES:
        raise RunError(f"progress {style!r} is none of {', '.join(STYLES)}")
    if style == "off":
        yield lambda _: None
    elif style == "auto" and sys.stderr.isatty():
        with _bar(what, games, done, share) as report:
            yield report
    else:
        lines = _Lines(what, games, done, share, as_json=style == "json")
        try:
            yield lines.report
        finally:
            lines.show()


def say(style: str, text: str) -> None:
    """Tell something in a line, or, in the style `json`, in an object with the key message."""
    if style != "off":
        print(json.dumps({"message": text}) if style == "json" else text, file=sys.stderr, flush=True)


class _Lines:
    """Prints a line now and then."""

    def __init__(self, what: str, games: int, done: int, share: Callable[[], Share | None], *, as_json: bool) -> None:
        self.what = what
        self.games = games
        self.before = done
        self.done = done
        self.share = share
        self.as_json = as_json
        self.started = time.monotonic()
        self.shown = self.started

    def report(self, games: int) -> None:
        self.done += games
        if time.monotonic() - self.shown >= _SECONDS_BETWEEN_LINES and self.done < self.games:
            self.show()

    def show(self) -> None:
        self.shown = time.monotonic()
        rate = (self.done - self.before) / max(self.shown - self.started, 1e-9)
        left = (self.games - self.done) / rate if rate else None
        share = self.share()
        if self.as_json:
            values = {
                "what": self.what,
                "games": self.done,
                "of": self.games,
                "games_per_second": round(rate, 1),
                "seconds_left": None if left is None else round(left, 1),
            }
            if share:
                values |= dict(zip(("share_0", "low", "high"), (round(end, 6) for end in share), strict=True))
            line = json.dumps(values)
        else:
            line = f"{self.what}: {self.done:,} of {self.games:,} games, {rate:,.0f} games/s"
            line += f", seat 0 wins {share}" if share else ""
            line += f", {left:,.0f} s left" if left else ""
        print(line, file=sys.stderr, flush=True)


@contextmanager
def _bar(what: str, games: int, done: int, share: Callable[[], Share | None]) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Figures(ProgressColumn):
        """How many games a second, and how often seat 0 won."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            wins = share()
            speed = f"{task.speed:,.0f} games/s" if task.speed else "games"
            return Text(f"{speed}, seat 0 wins {wins}" if wins else speed)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Figures(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=games, completed=done)
        yield lambda finished: bar.advance(task, finished)
