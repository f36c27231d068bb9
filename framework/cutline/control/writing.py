"""Recording a run as it goes: every write belongs to the holder of the slice, or is refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from cutline.control.columns import as_json, plain
from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import RUNS, STAGES
from cutline.control.reading import existing_run, run_by_id
from cutline.control.records import Decision, RunKey, RunRecord
from cutline.errors import RunFailed
from cutline.results import StageResult


def begin_run(database: Database, key: RunKey, recorded_at: dt.datetime, lease: Lease) -> RunRecord:
    """The run: inserted, or found with its first `recorded_at`. A failed one is running again."""
    with fenced_transaction(database, lease) as connection:
        recorded = run_by_id(database, connection, key.run_id)
        if recorded is None and _slice(key) == _slice(lease):
            _insert(connection, key, recorded_at, database.now(connection))
        elif recorded is None or _slice(recorded) != _slice(lease):
            raise _not_of_slice(key.run_id, lease)
        elif recorded.inputs != as_json(dict(key.inputs)):
            raise RunFailed(f"The run {key.run_id} exists already with other inputs.")
        elif recorded.status == "failed":
            _update_run(connection, key.run_id, _RUNNING)
        return existing_run(database, connection, key.run_id)


def stage_started(database: Database, run_id: str, stage: str, lease: Lease) -> None:
    """The stage is running, whatever it was before, and so is the run."""
    with _recording(database, run_id, lease) as connection:
        _update_run(connection, run_id, _RUNNING)
        connection.execute(delete(STAGES).where(STAGES.c.run_id == run_id, STAGES.c.name == stage))
        started = {"run_id": run_id, "name": stage, "started_at": database.now(connection)}
        connection.execute(insert(STAGES).values(status="running", **started))


def stage_done(
    database: Database,
    run_id: str,
    stage: str,
    result: StageResult,
    digest: str,
    seconds: float,
    lease: Lease,
) -> None:
    """The stage is done, with its result, the digest of its output and its wall time."""
    with _recording(database, run_id, lease) as connection:
        done = {
            "status": "done",
            "finished_at": database.now(connection),
            "seconds": seconds,
            "rows_in": result.rows_in,
            "rows_out": result.rows_out,
            "digest": digest,
            "result": result.stored(),
        }
        _update_stage(connection, run_id, stage, done)


def stage_failed(database: Database, run_id: str, stage: str, error: str, lease: Lease) -> None:
    """The stage failed, and why."""
    with _recording(database, run_id, lease) as connection:
        now = database.now(connection)
        failed = {"status": "failed", "finished_at": now, "error": plain(error)}
        _update_stage(connection, run_id, stage, failed)


def record_decision(
    database: Database, run_id: str, decision: Decision, decided_by: str, lease: Lease
) -> None:
    """The run's decision, and which gate or person took it."""
    with _recording(database, run_id, lease) as connection:
        decided = {"decision": decision, "decided_by": plain(decided_by)}
        _update_run(connection, run_id, decided)


def complete_run(database: Database, run_id: str, lease: Lease) -> None:
    """The run has ended well."""
    with _recording(database, run_id, lease) as connection:
        now = database.now(connection)
        _update_run(connection, run_id, {"status": "complete", "finished_at": now, "error": None})


def fail_run(database: Database, run_id: str, error: str, lease: Lease) -> None:
    """The run stopped half-way, and why."""
    with _recording(database, run_id, lease) as connection:
        now = database.now(connection)
        failed = {"status": "failed", "finished_at": now, "error": plain(error)}
        _update_run(connection, run_id, failed)


_RUNNING = {"status": "running", "finished_at": None, "error": None}


def _insert(
    connection: Connection, key: RunKey, recorded_at: dt.datetime, now: dt.datetime
) -> None:
    connection.execute(
        insert(RUNS).values(
            run_id=key.run_id,
            context=key.context,
            region=key.region,
            status="running",
            created_at=now,
            recorded_at=recorded_at,
            inputs=as_json(dict(key.inputs)),
        )
    )


def _slice(of: RunKey | RunRecord | Lease) -> tuple[str, str]:
    return of.context, of.region


@contextmanager
def _recording(database: Database, run_id: str, lease: Lease) -> Iterator[Connection]:
    """A fenced transaction about a run of the lease's slice."""
    with fenced_transaction(database, lease) as connection:
        run = select(RUNS.c.context, RUNS.c.region).where(RUNS.c.run_id == run_id)
        if connection.execute(run).one_or_none() != _slice(lease):
            raise _not_of_slice(run_id, lease)
        yield connection


def _update_run(connection: Connection, run_id: str, values: Mapping[str, Any]) -> None:
    connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(values))


def _update_stage(
    connection: Connection, run_id: str, stage: str, values: Mapping[str, Any]
) -> None:
    this = (STAGES.c.run_id == run_id, STAGES.c.name == stage)
    if connection.execute(update(STAGES).where(*this).values(values)).rowcount == 0:
        raise RunFailed(f"The stage {stage} of the run {run_id} ended without being started.")


def _not_of_slice(run_id: str, lease: Lease) -> RunFailed:
    return RunFailed(
        f"There is no run {run_id} of the slice {lease.context}/{lease.region}.",
        left_behind="Nothing of this step was recorded.",
    )
