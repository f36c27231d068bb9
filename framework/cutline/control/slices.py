"""Where each slice stands."""

from __future__ import annotations

from sqlalchemy import and_, func, select

from cutline.control.database import Database
from cutline.control.holder import holder_of
from cutline.control.lease import LEASES_OF_NO_SLICE
from cutline.control.models import RUNS, SLICES
from cutline.control.records import SliceStatus


def slices(database: Database) -> list[SliceStatus]:
    """One per slice that was ever worked on, by context and region.

    A holder whose process is gone is not shown, and neither are leases of topics.
    """
    of_slice = (RUNS.c.context, RUNS.c.region)
    ranked = select(
        RUNS,
        func.count().over(partition_by=of_slice).label("runs"),
        func.row_number()
        .over(partition_by=of_slice, order_by=(RUNS.c.created_at.desc(), RUNS.c.run_id))
        .label("age"),
    ).subquery()
    last = and_(
        ranked.c.context == SLICES.c.context,
        ranked.c.region == SLICES.c.region,
        ranked.c.age == 1,
    )
    slice_rows = (
        select(SLICES, ranked.c.run_id, ranked.c.status, ranked.c.decision, ranked.c.runs)
        .outerjoin(ranked, last)
        .where(SLICES.c.context.not_in(LEASES_OF_NO_SLICE))
        .order_by(SLICES.c.context, SLICES.c.region)
    )
    with database.read() as connection:
        now = database.now(connection)
        rows = connection.execute(slice_rows).all()
    status = []
    for row in rows:
        holder = holder_of(row)
        status.append(
            SliceStatus(
                context=row.context,
                region=row.region,
                last_run=row.run_id,
                status=row.status,
                decision=row.decision,
                runs=row.runs or 0,
                authority=row.authority,
                holder=None if holder is None or holder.is_gone(now) else holder,
            )
        )
    return status
