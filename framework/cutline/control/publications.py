"""The ledger of publications: what a run put where, and whether it was read back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import delete, insert, select

from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import PUBLICATIONS, RUNS
from cutline.control.rows import read_row
from cutline.errors import RunFailed


@dataclass(frozen=True)
class PublishedPartition:
    """What a run published to one partition of a topic.

    `begins` is the partition's end before the run's first record; what follows is null until it was
    read back. `ends` is the partition's end then, `first` and `last` are the offsets of the run's
    own records, null where it has none. `digest` is over all of them, whatever their order; `bytes`
    are those of keys, headers and values. Of the records that the slice has there from before,
    `standing` are those that the run would have sent as well, `differing` those of them that say
    something else by now, `withdrawn` the events that the run no longer has.
    """

    run_id: str
    topic: str
    partition: int
    begins: int
    ends: int | None = None
    first: int | None = None
    last: int | None = None
    records: int | None = None
    bytes: int | None = None
    digest: str | None = None
    standing: int = 0
    differing: int = 0
    withdrawn: int = 0

    @property
    def is_read_back(self) -> bool:
        """Whether it was read from the topic and compared."""
        return self.records is not None


@dataclass(frozen=True)
class LedgerEntry:
    """A published partition as the ledger has it. `read_back_at` is null while, or since, what was
    sent has not been read back and compared."""

    published: PublishedPartition
    region: str
    begun_at: dt.datetime
    read_back_at: dt.datetime | None


def remember_publications(
    database: Database, published: Sequence[PublishedPartition], lease: Lease
) -> None:
    """Stores entries, each in place of what was stored of its run, topic and partition."""
    with fenced_transaction(database, lease) as connection:
        now = database.now(connection)
        for entry in published:
            run = select(RUNS.c.context, RUNS.c.region).where(RUNS.c.run_id == entry.run_id)
            if connection.execute(run).one_or_none() != (lease.context, lease.region):
                raise RunFailed(
                    f"There is no run {entry.run_id} of the slice {lease.context}/{lease.region}."
                )
            this = (
                PUBLICATIONS.c.run_id == entry.run_id,
                PUBLICATIONS.c.topic == entry.topic,
                PUBLICATIONS.c.partition == entry.partition,
            )
            begun = connection.execute(select(PUBLICATIONS.c.begun_at).where(*this)).scalar()
            connection.execute(delete(PUBLICATIONS).where(*this))
            values = asdict(entry) | {
                "begun_at": begun or now,
                "read_back_at": now if entry.is_read_back else None,
            }
            connection.execute(insert(PUBLICATIONS).values(**_stored(values)))


def publications(database: Database, context: str, region: str | None) -> list[LedgerEntry]:
    """The ledger of a context, of one region if it is given: newest run first, then by topic and
    partition."""
    wanted = [RUNS.c.context == context]
    if region is not None:
        wanted.append(RUNS.c.region == region)
    query = (
        select(PUBLICATIONS, RUNS.c.region)
        .join(RUNS, RUNS.c.run_id == PUBLICATIONS.c.run_id)
        .where(*wanted)
        .order_by(
            RUNS.c.created_at.desc(),
            PUBLICATIONS.c.run_id,
            PUBLICATIONS.c.topic,
            PUBLICATIONS.c.partition,
        )
    )
    with database.read() as connection:
        return [_entry(database, row) for row in connection.execute(query)]


_OFFSETS = {"first": "first_offset", "last": "last_offset"}


def _stored(values: dict[str, Any]) -> dict[str, Any]:
    return {_OFFSETS.get(name, name): value for name, value in values.items()}


def _entry(database: Database, row: Any) -> LedgerEntry:
    published = read_row(database, PUBLICATIONS, row, PublishedPartition, columns=_OFFSETS)
    region = row._mapping[RUNS.c.region]
    return read_row(database, PUBLICATIONS, row, LedgerEntry, published=published, region=region)
