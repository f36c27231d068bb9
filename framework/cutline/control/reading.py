"""Reading runs with their stages."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, func, select

from cutline.control.columns import UnreadableValue
from cutline.control.database import Database
from cutline.control.models import RUNS, STAGES
from cutline.control.records import RunRecord, StageRecord
from cutline.control.rows import damaged, read_row
from cutline.control.shapes import reason
from cutline.errors import ConfigurationError
from cutline.results import ORDER, StageResult, result_from

_SHOWN = 5


def run_by_prefix(database: Database, run_id: str) -> RunRecord | None:
    """The run of this id, or the only one whose id begins so; None if there is none.

    ConfigurationError if several ids begin so.
    """
    if not run_id:
        return None
    with database.read() as connection:
        begins_so = func.substr(RUNS.c.run_id, 1, len(run_id)) == run_id
        run_ids = connection.scalars(select(RUNS.c.run_id).where(begins_so)).all()
        if not run_ids:
            return None
        if len(run_ids) > 1 and run_id not in run_ids:
            raise _ambiguous(run_id, sorted(run_ids))
        return run_by_id(database, connection, run_id if run_id in run_ids else run_ids[0])


def run_by_id(database: Database, connection: Connection, run_id: str) -> RunRecord | None:
    """The run of exactly this id."""
    return next(iter(_records(database, connection, RUNS.c.run_id == run_id)), None)


def existing_run(database: Database, connection: Connection, run_id: str) -> RunRecord:
    """The run of exactly this id, which exists."""
    (record,) = _records(database, connection, RUNS.c.run_id == run_id)
    return record


def newest_first(database: Database, context: str | None, region: str | None) -> list[RunRecord]:
    """All runs of the context and the region, as far as given."""
    wanted: list[ColumnElement[bool]] = []
    if context is not None:
        wanted.append(RUNS.c.context == context)
    if region is not None:
        wanted.append(RUNS.c.region == region)
    with database.read() as connection:
        return _records(database, connection, *wanted)


def newest_heads(
    database: Database, connection: Connection, *wanted: ColumnElement[bool]
) -> dict[tuple[str, str], RunRecord]:
    """By slice, its newest run, without its stages; of the slices whose runs are wanted."""
    newest = (RUNS.c.created_at.desc(), RUNS.c.run_id)
    place = func.row_number().over(partition_by=(RUNS.c.context, RUNS.c.region), order_by=newest)
    ranked = select(RUNS.c.run_id, place.label("place")).where(*wanted).subquery()
    query = select(RUNS).join(ranked, RUNS.c.run_id == ranked.c.run_id).where(ranked.c.place == 1)
    heads = [
        read_row(database, RUNS, row, RunRecord, stages=()) for row in connection.execute(query)
    ]
    return {(head.context, head.region): head for head in heads}


def results(
    database: Database, context: str, region: str, stage: str
) -> list[tuple[str, StageResult]]:
    """What a stage gave in each run of the slice in which it is done, newest run first."""
    of_slice = (RUNS.c.context == context, RUNS.c.region == region)
    done = (STAGES.c.name == stage, STAGES.c.status == "done", STAGES.c.result.is_not(None))
    newest = (
        select(STAGES)
        .join(RUNS, RUNS.c.run_id == STAGES.c.run_id)
        .where(*of_slice, *done)
        .order_by(RUNS.c.created_at.desc(), RUNS.c.run_id)
    )
    with database.read() as connection:
        return [
            (row.run_id, stored)
            for row in connection.execute(newest)
            if (stored := _stage(database, row).result) is not None
        ]


def _records(
    database: Database, connection: Connection, *wanted: ColumnElement[bool]
) -> list[RunRecord]:
    stages = defaultdict(list)
    of_those = STAGES.c.run_id.in_(select(RUNS.c.run_id).where(*wanted))
    for row in connection.execute(select(STAGES).where(of_those)):
        stages[row.run_id].append(_stage(database, row))
    newest = select(RUNS).where(*wanted).order_by(RUNS.c.created_at.desc(), RUNS.c.run_id)
    return [
        read_row(
            *(database, RUNS, row, RunRecord),
            stages=tuple(sorted(stages[row.run_id], key=_place_in_run)),
        )
        for row in connection.execute(newest)
    ]


def _stage(database: Database, row: Any) -> StageRecord:
    stored = row._mapping[STAGES.c.result]
    if isinstance(stored, UnreadableValue):
        raise damaged(database, STAGES, row, "result", stored.holds, stored.why)
    try:
        result = None if stored is None else result_from(row.name, stored)
    except ValidationError as error:
        raise damaged(database, STAGES, row, "result", stored, reason(error)) from None
    except (KeyError, TypeError, AttributeError):
        why = "which is no result of a stage: it has no facts"
        raise damaged(database, STAGES, row, "result", stored, why) from None
    return read_row(database, STAGES, row, StageRecord, result=result)


def _place_in_run(stage: StageRecord) -> tuple[int, str]:
    return (ORDER.index(stage.name) if stage.name in ORDER else len(ORDER), stage.name)


def _ambiguous(prefix: str, run_ids: list[str]) -> ConfigurationError:
    more = f" and {len(run_ids) - _SHOWN} more" if len(run_ids) > _SHOWN else ""
    return ConfigurationError(
        f"{len(run_ids)} runs begin with {prefix!r}: {', '.join(run_ids[:_SHOWN])}{more}.",
        next_step="Give more characters of the run's id.",
    )
