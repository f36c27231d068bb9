"""What a run tells while it works: events, which whoever listens gets one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cutline.results import ExtractResult, StageResult
from cutline.secrets import as_written


@dataclass(frozen=True)
class StageStarted:
    """A stage begins to work."""

    stage: str

    def __str__(self) -> str:
        return f"{self.stage}: started"


@dataclass(frozen=True)
class StageProgress:
    """How far a stage is, every two seconds while it works.

    `tasks` are those of the jobs that run at this moment, `tasks_done` those of them that are
    done: a stage is many jobs. Rows are counted over the whole stage, read from files and written
    to them. `seconds` have passed; `seconds_left` is reckoned from the newest other run of the
    slice, None where none did the stage, or where it takes longer by now.
    """

    stage: str
    seconds: float
    tasks_done: int
    tasks: int
    rows_read: int
    rows_written: int
    seconds_left: float | None = None

    @property
    def summary(self) -> str:
        """`31 s, tasks 12 of 40, 120,000 rows read, 80,000 written, about 20 s left`."""
        return f"{self.seconds:.0f} s, {self.work}"

    @property
    def work(self) -> str:
        """The same without the seconds that have passed."""
        parts = []
        if self.tasks:
            parts.append(f"tasks {self.tasks_done} of {self.tasks}")
        parts.append(f"{self.rows_read:,} rows read, {self.rows_written:,} written")
        if self.seconds_left is not None:
            parts.append(f"about {self.seconds_left:.0f} s left")
        return ", ".join(parts)

    def __str__(self) -> str:
        return f"{self.stage}: {self.summary}"


@dataclass(frozen=True)
class StageDone:
    """A stage is complete.

    `seconds` is its wall time; of a stage that was `complete_before` this run went on, that of back
    then. `taken_from` is the run whose extract served again, None where rows were read anew.
    """

    stage: str
    rows_in: int
    rows_out: int
    seconds: float
    complete_before: bool = False
    taken_from: str | None = None

    @classmethod
    def of(
        cls, stage: str, result: StageResult, seconds: float, *, complete_before: bool
    ) -> StageDone:
        """The event that tells of a stage's result."""
        taken_from = result.taken_from if isinstance(result, ExtractResult) else None
        return cls(stage, result.rows_in, result.rows_out, seconds, complete_before, taken_from)

    @property
    def summary(self) -> str:
        """`12,000 rows in, 31,000 out, 3.1 s, 3,871 rows/s`; the rate is of the rows that came in.

        Rows that were not read anew say where they are from instead.
        """
        rows = f"{self.rows_in:,} rows in, {self.rows_out:,} out"
        if self.complete_before:
            return f"{rows}, complete from before"
        if self.taken_from:
            return f"{rows}, taken over from run {self.taken_from}"
        read = self.rows_in or self.rows_out
        rate = f", {read / self.seconds:,.0f} rows/s" if self.seconds > 0 else ""
        return f"{rows}, {self.seconds:.1f} s{rate}"

    def __str__(self) -> str:
        return f"{self.stage}: {self.summary}"


@dataclass(frozen=True)
class Note:
    """One sentence for people, such as that what a stage wrote is made again."""

    text: str

    def __str__(self) -> str:
        return as_written(self.text)


RunEvent = StageStarted | StageProgress | StageDone | Note
"""What `on_event` is called with. `str()` of each is one line for people."""

OnEvent = Callable[[RunEvent], object]
"""Called in the thread of the run, between stages, and with `StageProgress` in another one while a
stage works, never by two at once. What it raises ends the run there, and the next run of the slice
goes on from that stage."""


def ignore_events(_event: RunEvent) -> None:
    """Listens to a run and says nothing."""
