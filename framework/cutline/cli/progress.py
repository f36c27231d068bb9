"""Progress on stderr: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import typer

from cutline.cli.output import printable_lines
from cutline.run.progress import Progress
from cutline.stage import StageResult


class Lines:
    """One plain line when a stage begins and one when it is done."""

    def stage_started(self, name: str) -> None:
        """Says that the stage began."""
        typer.echo(f"{name}: started", err=True)

    def stage_done(self, name: str, result: StageResult, seconds: float, skipped: bool) -> None:
        """Says what the stage did."""
        typer.echo(f"{name}: {what_was_done(result, seconds, skipped)}", err=True)

    def note(self, text: str) -> None:
        """Says it."""
        typer.echo(printable_lines(text), err=True)


class Live:
    """A line that moves while a stage works, and stays with its numbers when it is done."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._now = contextlib.ExitStack()

    def stage_started(self, name: str) -> None:
        """Starts the line."""
        from rich.progress import Progress as Bar
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        self.close()
        bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description:<10}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        bar.add_task(name, total=None)
        self._now.enter_context(bar)

    def stage_done(self, name: str, result: StageResult, seconds: float, skipped: bool) -> None:
        """Puts the stage's numbers in the line's place."""
        self.close()
        mark = "[dim]=[/dim]" if skipped else "[green]✓[/green]"
        self._console.print(f"{mark} {name:<10} {what_was_done(result, seconds, skipped)}")

    def note(self, text: str) -> None:
        """Says it, above the line."""
        self._console.print(printable_lines(text), markup=False)

    def close(self) -> None:
        """Ends the line of a stage that did not end itself."""
        self._now.close()


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """The progress that suits stderr, ended in good order whatever happens."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    live = Live()
    try:
        yield live
    finally:
        live.close()


def what_was_done(result: StageResult, seconds: float, skipped: bool) -> str:
    """`12,000 rows in, 31,000 out, 3.1 s, 3,871 rows/s`; the rate is of the rows that came in.

    Rows that were not read anew say where they are from instead.
    """
    rows = f"{result.rows_in:,} rows in, {result.rows_out:,} out"
    if skipped:
        return f"{rows}, complete from before"
    if result.facts.get("taken_from"):
        return f"{rows}, taken over from run {result.facts['taken_from']}"
    rate = f", {(result.rows_in or result.rows_out) / seconds:,.0f} rows/s" if seconds > 0 else ""
    return f"{rows}, {seconds:.1f} s{rate}"
