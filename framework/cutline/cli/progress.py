"""Progress on stderr: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from cutline.api import OnEvent, RunEvent, StageDone, StageProgress, StageStarted
from cutline.cli.logs import in_json
from cutline.wording import printable_lines

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_QUIET_SECONDS = 30.0


class Live:
    """A line that moves while a stage works, and stays with its numbers when it is done."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._now = contextlib.ExitStack()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, event: RunEvent) -> None:
        """Shows an event: the line of a stage, or a sentence above it."""
        if isinstance(event, StageStarted):
            self._start(event.stage)
        elif isinstance(event, StageProgress):
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, description=f"{event.stage:<10} {event.work}")
        elif isinstance(event, StageDone):
            self.close()
            mark = "[dim]=[/dim]" if event.complete_before else "[green]✓[/green]"
            self._console.print(f"{mark} {event.stage:<10} {event.summary}")
        else:
            self._console.print(printable_lines(event.text), markup=False)

    def _start(self, stage: str) -> None:
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.close()
        self._bar = Progress(
            SpinnerColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description:<10}", markup=False),
            console=self._console,
            transient=True,
        )
        self._task = self._bar.add_task(stage, total=None)
        self._now.enter_context(self._bar)

    def close(self) -> None:
        """Ends the line of a stage that did not end itself."""
        self._now.close()
        self._bar = None


class PlainLines:
    """One plain line when a stage begins, one when it is done, and one each half minute between."""

    def __init__(self) -> None:
        self._next = _QUIET_SECONDS

    def __call__(self, event: RunEvent) -> None:
        """Writes the line of an event, if it is time for one."""
        if isinstance(event, StageProgress):
            if event.seconds < self._next:
                return
            self._next = event.seconds + _QUIET_SECONDS
        else:
            self._next = _QUIET_SECONDS
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
        yield PlainLines()
        return
    live = Live()
    try:
        yield live
    finally:
        live.close()
