"""The demo after both of its runs: NO-GO, then GO. Run once per state of the product."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

import cutline
from cutline.run.outcome import RunOutcome
from support.cached_folders import copy_cached_folder

ORDERS, SEED = 400, 7


@dataclass(frozen=True)
class FinishedDemo:
    """A copy of the demo's project, its two runs, and what they told while they worked.

    What the runs wrote names the folder in which they were made, `run_in`.
    """

    project: Path
    run_in: Path
    first: RunOutcome
    second: RunOutcome
    events: tuple[cutline.RunEvent, ...]


def finished_demo(spark: SparkSession, to: Path) -> FinishedDemo:
    """The demo, copied to a folder that must not exist yet, where it may be changed.

    `spark` is the session in which it is run if nobody has before.
    """

    def make(folder: Path) -> FinishedDemo:
        events: list[cutline.RunEvent] = []
        demo = cutline.demo(folder, orders=ORDERS, seed=SEED, on_event=events.append)
        outcomes = demo.first.outcome, demo.second.outcome
        return FinishedDemo(folder, folder, *outcomes, tuple(events))

    demo = copy_cached_folder("demo", make, to)
    return replace(
        demo,
        project=to,
        first=_moved(demo.first, demo.run_in, to),
        second=_moved(demo.second, demo.run_in, to),
    )


def _moved(outcome: RunOutcome, run_in: Path, to: Path) -> RunOutcome:
    """The outcome with the paths of the copy."""
    lake, report = (
        str(to / Path(path).relative_to(run_in)) for path in (outcome.lake, str(outcome.report))
    )
    return replace(outcome, lake=lake, report=report)
