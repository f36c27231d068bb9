"""A handover: a group of a service, a topic, and the rows of both in the service's database."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, Row, Table, and_, func, select, update
from sqlalchemy.exc import DBAPIError

from cutline.consumer.database import Clock, ServiceDatabase, utc_now
from cutline.consumer.errors import ConsumerError
from cutline.consumer.handover.added import Writable
from cutline.consumer.handover.rows import insert_partition, of_partition
from cutline.consumer.handover.tables import CATCH_UP, HANDOVERS, LIVE
from cutline.consumer.received import Received

BEGUN, CANCELLED, FINISHED = "begun", "cancelled", "finished"
BESIDE = "beside"


@dataclass(frozen=True)
class HandoverTerms:
    """What was declared when a handover was started: its way, the group that reads the past, what
    the added handler may write, and the id that Kafka had given to the topic."""

    way: str
    catch_up_group: str
    writable: Writable
    topic_id: str


class Handover:
    """A group of a service that is given the past of a topic for an added handler.

    ConsumerError where none was started for them in this database.
    """

    def __init__(self, engine: Engine, group: str, topic: str, clock: Clock = utc_now) -> None:
        self.group, self.topic = group, topic
        self.database = ServiceDatabase(engine, clock)
        with engine.connect() as connection:
            has_table = engine.dialect.has_table(connection, HANDOVERS.name)
            row = self._row(connection) if has_table else None
        if row is None or row.status == BEGUN:
            raise self._missing()
        self.terms = HandoverTerms(row.way, row.catch_up_group, row.writable, row.topic_id)

    def key(self, partition: int) -> dict[str, str | int]:
        """The key of a partition's rows."""
        place: dict[str, str | int] = {"topic": self.topic, "partition": partition}
        return {"handover": self.terms.catch_up_group, "group": self.group, **place}

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction on the service's database. ConsumerError where the handover's tables are
        gone, as when it is over and removed, and for an engine that commits each statement."""
        try:
            with self.database.transaction() as connection:
                yield connection
        except DBAPIError as error:
            names = (HANDOVERS.name, LIVE.name, CATCH_UP.name)
            if any(name in str(error.orig) for name in names) and not self._has_tables():
                raise self._missing() from error
            raise

    def lock(self, connection: Connection, table: Table, partition: int) -> Row[tuple[object, ...]]:
        """The row of a partition, which nobody else changes until the transaction ends.

        A partition that the topic got since has its rows made: all of it is still to be handled,
        and nothing where the service has both handlers by then. ConsumerError where the handover is
        over and its rows are gone.
        """
        row = of_partition(table, self.key(partition))
        # A write takes the lock, on SQLite as on PostgreSQL.
        touch = update(table).where(row).values(next_offset=table.c.next_offset)
        if connection.execute(touch).rowcount == 0:
            self._insert(connection, partition)
            connection.execute(touch)
        self.database.refuse_autocommit(connection)
        return connection.execute(select(table).where(row)).one()

    def is_handed_over(self, connection: Connection, record: Received) -> bool:
        """Whether the service calls the added handler for a record: its partition was handed over
        before it, and nobody has given the handover up. ConsumerError where its rows are gone."""
        of_record = of_partition(LIVE, self.key(record.partition))
        is_of = LIVE.c.handover == HANDOVERS.c.catch_up_group
        rows = select(LIVE.c.handed_over_at, HANDOVERS.c.status).join(HANDOVERS, is_of)
        row = connection.execute(rows.where(of_record)).one_or_none()
        if row is None:
            raise self._missing()
        at, status = row
        return at is not None and record.offset >= at and status != CANCELLED

    def status(self, connection: Connection) -> str:
        """How far the handover is. ConsumerError where its rows are gone."""
        row = self._row(connection)
        if row is None or row.catch_up_group != self.terms.catch_up_group:
            raise self._missing()
        return str(row.status)

    def is_over(self, partitions: int = 0) -> bool:
        """Whether the catch-up has ended in each partition that it knows of, which are so many at
        least, or is not needed any more."""
        rows = select(func.count(), func.count(CATCH_UP.c.ended_at)).where(
            CATCH_UP.c.handover == self.terms.catch_up_group
        )
        with self.transaction() as connection:
            number, ended = connection.execute(rows).one()
            is_last = bool(ended >= max(number, partitions))
            return is_last or self.status(connection) in (CANCELLED, FINISHED)

    def open_partitions(self) -> set[int]:
        """The partitions in which the catch-up has not ended, of those that it knows of."""
        rows = select(CATCH_UP.c.partition).where(
            CATCH_UP.c.handover == self.terms.catch_up_group, CATCH_UP.c.ended_at.is_(None)
        )
        with self.transaction() as connection:
            return set(connection.execute(rows).scalars())

    def _insert(self, connection: Connection, partition: int) -> None:
        is_over = self.status(connection) == FINISHED or self.terms.way == BESIDE
        insert_partition(
            connection,
            self.key(partition),
            first=0,
            live=0,
            handed_over_at=0 if is_over else None,
            ended_at=self.database.now() if is_over else None,
        )

    def _has_tables(self) -> bool:
        with self.database.transaction() as connection:
            return connection.dialect.has_table(connection, HANDOVERS.name)

    def _row(self, connection: Connection) -> Row[tuple[object, ...]] | None:
        row = and_(HANDOVERS.c.group == self.group, HANDOVERS.c.topic == self.topic)
        return connection.execute(select(HANDOVERS).where(row)).one_or_none()

    def _missing(self) -> ConsumerError:
        return ConsumerError(
            f"no handover of group {self.group} on topic {self.topic} is in this database: it was "
            "not started here, or it is over",
            left_behind="Nothing was handled.",
            next_step=f"cutline reconsume start {shlex.quote(self.group)} --topic {self.topic} "
            "--way handover …; where it is over, call both handlers yourself, without the wrapper.",
        )
