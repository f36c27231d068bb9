"""Where each slice stands."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, func, select

from cutline.control.database import Database
from cutline.control.lease import LEASES_OF_NO_SLICE
from cutline.control.models import RUNS, SLICES
from cutline.control.reading import newest_heads
from cutline.control.records import SliceStatus
from cutline.control.rows import readable_key
from cutline.control.slice_row import slice_row


def slices(database: Database) -> list[SliceStatus]:
    """One per slice that was ever worked on, by context and region.

    A holder whose process is gone is not shown, and neither are leases of topics.
    """
    with database.read() as connection:
        return _statuses(database, connection, SLICES.c.context.not_in(LEASES_OF_NO_SLICE))


def worked_on(database: Database) -> list[tuple[str, str]]:
    """Context and region of the slices that were ever worked on, in this order. Of their rows no
    more is looked at; DamagedRow where that cannot be read."""
    key = (SLICES.c.context, SLICES.c.region)
    query = select(*key).where(SLICES.c.context.not_in(LEASES_OF_NO_SLICE)).order_by(*key)
    with database.read() as connection:
        return [readable_key(database, SLICES, row) for row in connection.execute(query)]


def slice_status(database: Database, context: str, region: str) -> SliceStatus | None:
    """Where one slice stands; None for one that was never worked on."""
    of_slice = and_(SLICES.c.context == context, SLICES.c.region == region)
    of_runs = and_(RUNS.c.context == context, RUNS.c.region == region)
    with database.read() as connection:
        return next(iter(_statuses(database, connection, of_slice, of_runs)), None)


def _statuses(
    database: Database,
    connection: Connection,
    wanted: ColumnElement[bool],
    *of_runs: ColumnElement[bool],
) -> list[SliceStatus]:
    """One per wanted slice; `of_runs` is what their runs have in common, if not all are wanted."""
    of_slice = (RUNS.c.context, RUNS.c.region)
    counts = select(*of_slice, func.count().label("runs")).group_by(*of_slice).subquery()
    counted = and_(counts.c.context == SLICES.c.context, counts.c.region == SLICES.c.region)
    query = select(SLICES, counts.c.runs).outerjoin(counts, counted).where(wanted)
    now = database.now(connection)
    heads = newest_heads(database, connection, *of_runs)
    statuses = []
    for row in connection.execute(query.order_by(SLICES.c.context, SLICES.c.region)).all():
        stands = slice_row(database, row)
        newest = heads.get((stands.context, stands.region))
        holder = stands.holder
        statuses.append(
            SliceStatus(
                context=stands.context,
                region=stands.region,
                last_run=None if newest is None else newest.run_id,
                status=None if newest is None else newest.status,
                decision=None if newest is None else newest.decision,
                runs=row.runs or 0,
                authority=stands.authority,
                holder=None if holder is None or holder.is_gone(now) else holder,
            )
        )
    return statuses
