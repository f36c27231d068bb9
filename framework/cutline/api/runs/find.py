"""The search for a run, and for tables of it, by a name or the beginning of an id."""

from __future__ import annotations

from pathlib import Path

from cutline.api.choice import next_command
from cutline.control import Control, RunRecord
from cutline.errors import ConfigurationError, did_you_mean

ALL_CHANGES = "changes"


def find_run(control: Control | None, run: str, folder: Path) -> RunRecord:
    """The run whose id is, or begins with, `run`; ConfigurationError if there is none."""
    record = control.run(run) if control else None
    if record is None:
        newest_ids = [r.run_id for r in control.runs()[:5]] if control else []
        newest = (
            f" The newest are: {', '.join(newest_ids)}." if newest_ids else " There was no run yet."
        )
        raise ConfigurationError(
            f"No run's id begins with {run!r}.{newest}",
            next_step=f"Look for it with: {next_command('status', folder)}",
        )
    return record


def find_tables(record: RunRecord, table: str) -> list[str]:
    """The one table of that name, or all tables of changes for `changes`.

    Only tables of completed stages are there; ConfigurationError lists them.
    """
    names = [written.name for written in record.tables()]
    changes = [name for name in names if name.startswith(f"{ALL_CHANGES}_")]
    if table == ALL_CHANGES and changes:
        return changes
    if table in names:
        return [table]
    available = [ALL_CHANGES, *names] if changes else names
    raise ConfigurationError(
        f"Run {record.run_id} has no table {table!r} of a completed stage; it has: "
        f"{', '.join(available) or 'none yet'}.{did_you_mean(table, available)}"
    )
