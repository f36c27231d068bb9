"""The removal of the tables of runs that nobody needs any more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutline.api.choice import require_declared
from cutline.control import Control
from cutline.display import ResultList
from cutline.project import LoadedProject, load_recorded, load_shared, slices
from cutline.run.clean import RunInLake, remove_run, runs_in_lake
from cutline.secrets import document_as_written
from cutline.spark.machine import amount


@dataclass(frozen=True)
class CleanedRun:
    """A run whose tables were in the lake; `removed` says that they are not any more.

    `kept_because` is a reason, and None where they were removed, or would be but for `dry_run`.
    """

    run_id: str
    context: str
    region: str
    bytes: int
    removed: bool
    kept_because: str | None

    @property
    def size(self) -> str:
        """The bytes as people read them."""
        return amount(self.bytes)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline clean --json`."""
        return {
            "run_id": self.run_id,
            "context": self.context,
            "slice": self.region,
            "bytes": self.bytes,
            "removed": self.removed,
            "kept_because": self.kept_because,
        }


def clean_lake(
    folder: Path, keep: int, context: str | None, region: str | None, *, dry_run: bool
) -> ResultList[CleanedRun]:
    """What became of each run, slice by slice; a slice that somebody works on is refused.

    Slices that cutline.yaml declares no more are among them.
    """
    project = load_shared(folder)
    control = Control.peek(project.file.control, project.folder)
    worked_on = [] if control is None else list(control.worked_on())
    wanted = set(require_declared([*slices(folder), *worked_on], context, region))
    if control is None:
        return ResultList()
    return ResultList(
        run
        for name, place in worked_on
        if (name, place) in wanted
        for run in _cleaned(load_recorded(folder, place), control, name, place, keep, dry_run)
    )


def _cleaned(
    project: LoadedProject,
    control: Control,
    context: str,
    region: str,
    keep: int,
    dry_run: bool,
) -> Iterator[CleanedRun]:
    if dry_run:
        runs = runs_in_lake(project, control, context, region, keep)
        yield from (_cleaned_run(run, removed=False) for run in runs)
        return
    # Nobody begins a run meanwhile that would take an extract over, or compare with another.
    with control.lease(context, region) as lease:
        for run in runs_in_lake(project, control, context, region, keep):
            if run.kept_because is None:
                control.confirm(lease)
                remove_run(run, project.lake)
            yield _cleaned_run(run, removed=run.kept_because is None)


def _cleaned_run(run: RunInLake, *, removed: bool) -> CleanedRun:
    record = run.record
    return CleanedRun(
        record.run_id, record.context, record.region, run.size, removed, run.kept_because
    )
