"""Progress on stderr: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import typer

from cutline.api import OnEvent, RunEvent, StageDone, StageStarted
from cutline.cli.logs import in_json
from cutline.wording import printable_lines


class Live:
    """A line that moves while a stage works, and stays with its numbers when it is done."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._now = contextlib.ExitStack()

    def __call__(self, event: RunEvent) -> None:
        """Shows an event: the line of a stage, or a sentence above it."""
        if isinstance(event, StageStarted):
            self._start(event.stage)
        elif isinstance(event, StageDone):
            self.close()
            mark = "[dim]=[/dim]" if event.complete_before else "[green]✓[/green]"
            self._console.print(f"{mark} {event.stage:<10} {event.summary}")
        else:
            self._console.print(printable_lines(event.text), markup=False)

    def _start(self, stage: str) -> None:
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.close()
        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<10}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        bar.add_task(stage, total=None)
        self._now.enter_context(bar)

    def close(self) -> None:
        """Ends the line of a stage that did not end itself."""
        self._now.close()


def show_line(event: RunEvent) -> None:
    """One plain line when a stage begins and one when it is done."""
    typer.echo(printable_lines(str(event)), err=True)


@contextlib.contextmanager
def progress() -> Iterator[OnEvent]:
    """What shows events on stderr as it suits it, ended in good order whatever happens.

    Nothing where stderr holds JSON lines: they say the same.
    """
    if in_json():
        yield lambda _event: None
        return
    if not sys.stderr.isatty():
        yield show_line
        return
    live = Live()
    try:
        yield live
    finally:
        live.close()
