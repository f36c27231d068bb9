"""Which runs' tables are still needed, and the removal of those that are not.

The control database keeps every run, so one whose tables were removed is still listed; done again,
it makes them again.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cutline.control import Control, RunRecord, Trend
from cutline.control.records import Authority
from cutline.control.rollouts import Rollout
from cutline.lake.chain import paths_below
from cutline.lake.file_system import file_system
from cutline.lake.lake import Lake, run_folder
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.readmodels import fed_runs
from cutline.results import EXTRACT, RECONCILE
from cutline.run.before import MEMORY_TABLES

_LOG = logger(__name__)

_REMOVED = "_removed-"


@dataclass(frozen=True)
class RunInLake:
    """A run whose tables are in the lake: their bytes, and why they are kept, if they are."""

    record: RunRecord
    folder: str
    size: int
    kept_because: str | None


def runs_in_lake(
    project: LoadedProject, control: Control, context: str, region: str, keep: int
) -> list[RunInLake]:
    """The runs of a slice whose tables are there, newest first, each with why it is kept."""
    records = control.runs(context, region)
    folders = {r.run_id: run_folder(project.lake, context, region, r.run_id) for r in records}
    sizes = {run_id: _size(folder) for run_id, folder in folders.items()}
    present = [record for record in records if sizes[record.run_id] is not None]
    status = control.slice_status(context, region)
    reasons = reasons_to_keep(
        present,
        control.trends(context, region),
        keep,
        "legacy" if status is None else status.authority,
        lambda run_id: _has_memory(folders[run_id]),
    )
    named = {s.run_id: f"snapshot {s.name}" for s in control.snapshots(context, region)}
    named |= fed_runs(project, context, region)
    for run_id, reason in (_released(control, context, region) | named).items():
        if run_id in folders:
            reasons.setdefault(run_id, reason)
    for record in present:
        if record.run_id in reasons:
            for base in _bases(folders[record.run_id], record):
                reasons.setdefault(base, f"tables of run {record.run_id} go on from it")
    return [
        RunInLake(r, folders[r.run_id], sizes[r.run_id] or 0, reasons.get(r.run_id))
        for r in present
    ]


def _released(control: Control, context: str, region: str) -> dict[str, str]:
    """By run, why the slice's rollout needs it: readers of its release see it, may see it next, or
    may see it again."""
    rollout = control.rollout(context, region)
    if rollout is None:
        return {}
    standing = {rollout.staged, rollout.release, rollout.previous, rollout.expanded}
    return _under_way(rollout) | {
        release.run_id: f"release {release.release} of the slice's rollout"
        for release in control.releases(context, region)
        if release.release in standing
    }


def _under_way(rollout: Rollout) -> dict[str, str]:
    """The runs that a plan under way makes releases of."""
    if rollout.plan is None:
        return {}
    plan = rollout.plan.plan
    runs = (plan.arguments.get("run_id"), rollout.plan.evidence.get("drained_run"))
    return {
        run: f"{plan.command} of the slice's rollout is under way with it" for run in runs if run
    }


def reasons_to_keep(
    records: Sequence[RunRecord],
    trends: Mapping[str, Trend],
    keep: int,
    authority: Authority,
    has_memory: Callable[[str], bool],
) -> dict[str, str]:
    """Why runs of a slice are kept, by run; the newest `keep` of `records`, which are newest first,
    and what they, the next run and a promotion rest on."""
    reasons = {record.run_id: f"among the newest {keep}" for record in records[:keep]}
    accepted = [record.run_id for record in records if record.decision == "go"]
    for run_id in accepted if authority != "legacy" else accepted[:1]:
        reasons.setdefault(run_id, "the newest GO, which can be promoted")
    extracted = (r.run_id for r in records if EXTRACT in r.results())
    for run_id in list(extracted)[:1]:
        reasons.setdefault(run_id, "its extract can be taken over by the next run")
    reconciled = [r.run_id for r in records if RECONCILE in r.results() and has_memory(r.run_id)]
    for run_id in reconciled[:1]:
        reasons.setdefault(run_id, "the next run compares its breaks with it")
    order = [record.run_id for record in records]
    for run_id in list(reasons):
        if before := _compared_with(run_id, order, reconciled, trends):
            reasons.setdefault(before, f"run {run_id} compares its breaks with it")
    return reasons


def _compared_with(
    run_id: str, order: Sequence[str], reconciled: Sequence[str], trends: Mapping[str, Trend]
) -> str | None:
    """The run that this one was, or will be, compared with, if its tables are there."""
    trend = trends.get(run_id)
    if trend is not None and (trend.compared_with is None or trend.compared_with in order):
        return trend.compared_with
    older = set(order[order.index(run_id) + 1 :])
    return next((other for other in reconciled if other in older), None)


def remove_run(run: RunInLake, lake: str) -> None:
    """Remove a run's tables; on this machine all at once, as others see it."""
    if "://" in run.folder:
        system, path = file_system(run.folder)
        system.delete_dir(path)
    else:
        # Under its name, half of a run would look like one that somebody damaged.
        Path(run.folder).rename(Path(lake) / f"{_REMOVED}{uuid.uuid4().hex}")
        # Also what one that was killed has left; two at once may come upon the same.
        for aside in Path(lake).glob(f"{_REMOVED}*"):
            shutil.rmtree(aside, ignore_errors=True)
    _LOG.info("run removed", extra={"run": run.record.run_id, "bytes": run.size})


def _bases(folder: str, record: RunRecord) -> list[str]:
    """The runs whose tables those of a run go on from, directly or by way of others."""
    lake = Lake(folder)
    paths = (path for table in record.tables() for path in paths_below(lake.path(table.name)))
    return sorted({path.split("/")[-2] for path in paths})


def _has_memory(folder: str) -> bool:
    lake = Lake(folder)
    return all(lake.seems_whole(table.name) for table in MEMORY_TABLES)


def _size(folder: str) -> int | None:
    """The bytes under a folder; None if it is not there."""
    from pyarrow import fs

    system, path = file_system(folder)
    if system.get_file_info(path).type != fs.FileType.Directory:
        return None
    return sum(f.size or 0 for f in system.get_file_info(fs.FileSelector(path, recursive=True)))
