"""Snapshots: runs of a slice whose tables are kept under a name, to begin from again."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import and_, delete, insert, select

from cutline.control.columns import plain
from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import SNAPSHOTS
from cutline.control.rows import read_row
from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class Snapshot:
    """A run of a slice under a name: its states, and the positions that they stand at."""

    context: str
    region: str
    name: str
    run_id: str
    taken_at: dt.datetime
    taken_by: str
    why: str


def snapshots(database: Database, context: str, region: str) -> list[Snapshot]:
    """The snapshots of a slice, newest first."""
    c = SNAPSHOTS.c
    query = select(SNAPSHOTS).where(c.context == context, c.region == region)
    with database.read() as connection:
        rows = connection.execute(query.order_by(c.taken_at.desc(), c.name))
        return [read_row(database, SNAPSHOTS, row, Snapshot) for row in rows]


def take_snapshot(
    database: Database, name: str, run_id: str, taken_by: str, why: str, lease: Lease
) -> Snapshot:
    """The snapshot, stored. ConfigurationError where the slice has one of that name of another run;
    of the same run it is the one that is there."""
    c = SNAPSHOTS.c
    of_name = and_(c.context == lease.context, c.region == lease.region, c.name == name)
    with fenced_transaction(database, lease) as connection:
        row = connection.execute(select(SNAPSHOTS).where(of_name)).first()
        if row is None:
            connection.execute(
                insert(SNAPSHOTS).values(
                    context=lease.context,
                    region=lease.region,
                    name=name,
                    run_id=run_id,
                    taken_at=database.now(connection),
                    taken_by=plain(taken_by),
                    why=plain(why),
                )
            )
            row = connection.execute(select(SNAPSHOTS).where(of_name)).one()
        stored = read_row(database, SNAPSHOTS, row, Snapshot)
    if stored.run_id != run_id:
        raise ConfigurationError(
            f"snapshot {name} of {lease.context}/{lease.region} is of run {stored.run_id}",
            left_behind="Nothing was changed.",
            next_step="Take it under another name, or drop that one first.",
        )
    return stored


def drop_snapshot(database: Database, name: str, lease: Lease) -> bool:
    """Forget a snapshot; whether there was one of that name."""
    c = SNAPSHOTS.c
    of_name = and_(c.context == lease.context, c.region == lease.region, c.name == name)
    with fenced_transaction(database, lease) as connection:
        return bool(connection.execute(delete(SNAPSHOTS).where(of_name)).rowcount)
