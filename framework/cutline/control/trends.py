"""What became of each run's breaks: its place in the trend of its slice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import and_, delete, insert, or_, select

from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import RUNS, STAGES, TRENDS
from cutline.control.rows import read_row
from cutline.results import RECONCILE
from cutline.results.reconcile import LevelFigures
from cutline.tables.trend import FIGURES


@dataclass(frozen=True)
class Trend:
    """One run in the trend: which run it was compared with (null for the first), and its place.

    `levels` has, by level, the counts of `cutline.tables.trend.FIGURES`.
    """

    run_id: str
    compared_with: str | None
    place: int
    levels: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class _OfLevel(LevelFigures):
    """A row: what became of the breaks of one level in one run."""

    run_id: str
    level: str
    compared_with: str | None
    place: int


def remember_trend(database: Database, trend: Trend, lease: Lease) -> None:
    """Stores what became of a run's breaks, in place of what an earlier attempt stored."""
    with fenced_transaction(database, lease) as connection:
        connection.execute(delete(TRENDS).where(TRENDS.c.run_id == trend.run_id))
        of_run = {
            "run_id": trend.run_id,
            "compared_with": trend.compared_with,
            "place": trend.place,
        }
        for level, counts in trend.levels.items():
            connection.execute(insert(TRENDS).values(**of_run, level=level, **counts))


def trends(database: Database, context: str, region: str) -> dict[str, Trend]:
    """The trend of each run of the slice of which one was stored, by run."""
    query = (
        select(TRENDS)
        .join(RUNS, RUNS.c.run_id == TRENDS.c.run_id)
        .where(RUNS.c.context == context, RUNS.c.region == region)
    )
    by_run: dict[str, Trend] = {}
    with database.read() as connection:
        for row in connection.execute(query.order_by(TRENDS.c.run_id, TRENDS.c.level)):
            level = read_row(database, TRENDS, row, _OfLevel)
            earlier = by_run[level.run_id].levels if level.run_id in by_run else {}
            counts = {name: getattr(level, name) for name in FIGURES}
            by_run[level.run_id] = Trend(
                level.run_id, level.compared_with, level.place, {**earlier, level.level: counts}
            )
    return by_run


def reconciled_before(database: Database, run_id: str) -> list[str]:
    """The reconciled runs of its slice that were begun before this one, newest first."""
    this = select(RUNS).where(RUNS.c.run_id == run_id).subquery()
    earlier = or_(
        RUNS.c.created_at < this.c.created_at,
        # Begun in the same moment: as lists of runs have them.
        and_(RUNS.c.created_at == this.c.created_at, RUNS.c.run_id > this.c.run_id),
    )
    of_slice = and_(RUNS.c.context == this.c.context, RUNS.c.region == this.c.region)
    query = (
        select(RUNS.c.run_id)
        .join(this, and_(of_slice, earlier))
        .join(STAGES, STAGES.c.run_id == RUNS.c.run_id)
        .where(STAGES.c.name == RECONCILE, STAGES.c.status == "done")
        .order_by(RUNS.c.created_at.desc(), RUNS.c.run_id)
    )
    with database.read() as connection:
        return list(connection.scalars(query))
