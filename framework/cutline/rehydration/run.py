"""The run that a snapshot keeps, or whose states are the newest that may be shown."""

from __future__ import annotations

from collections.abc import Iterable

from cutline.context import state_name
from cutline.control import Control, RunRecord, newest_go
from cutline.errors import EXIT_NO_GO, ConfigurationError, CutlineError, did_you_mean


class NothingToHydrate(CutlineError):
    """No run of the slice is GO. Exit code 1."""

    exit_code = EXIT_NO_GO


def run_of_snapshot(control: Control, context: str, region: str, name: str | None) -> RunRecord:
    """The run of the snapshot of that name; without a name, the newest complete one that is GO.

    ConfigurationError for a name that the slice has no snapshot of; NothingToHydrate where no run
    is GO.
    """
    if name is None:
        record = newest_go(control.runs(context, region))
        if record is None:
            raise NothingToHydrate(
                f"no run of {context}/{region} is GO: its states may not be what the legacy says",
                left_behind="Nothing was changed.",
                next_step=f"cutline run {context} --region {region}",
            )
        return record
    snapshots = {s.name: s.run_id for s in control.snapshots(context, region)}
    if name not in snapshots:
        raise ConfigurationError(
            f"{context}/{region} has no snapshot {name!r}.{did_you_mean(name, snapshots)}",
            left_behind="Nothing was changed.",
            next_step=f"These are: {', '.join(snapshots) or 'none'}.",
        )
    record = control.run(snapshots[name])
    assert record is not None
    return record


def refuse_absent_states(record: RunRecord, aggregates: Iterable[str], left_behind: str) -> None:
    """ConfigurationError for an aggregate of which the run has no states: its context had none."""
    tables = {table.name for table in record.tables()}
    for aggregate in aggregates:
        if state_name(aggregate) not in tables:
            raise ConfigurationError(
                f"run {record.run_id} has no states of aggregate {aggregate}",
                left_behind=left_behind,
                next_step=f"cutline run {record.context} --region {record.region}",
            )
