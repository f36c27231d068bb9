"""A handover: a group of a service, a topic, and the rows of both in the service's database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, Row, Table, and_, func, select, update

from cutline.consumer.database import Clock, ServiceDatabase, utc_now
from cutline.consumer.errors import ConsumerError
from cutline.consumer.handover.added import Writable
from cutline.consumer.handover.rows import insert_partition, of_partition
from cutline.consumer.handover.tables import CATCH_UP, HANDOVERS

CANCELLED = "cancelled"


@dataclass(frozen=True)
class HandoverTerms:
    """What was declared when a handover was started: the group that reads the past, what the added
    handler may write, and the id that Kafka had given to the topic."""

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
        if row is None:
            raise self._missing()
        writable: Mapping[str, list[str] | None] = row.writable
        self.terms = HandoverTerms(
            row.catch_up_group,
            {t: None if columns is None else tuple(columns) for t, columns in writable.items()},
            row.topic_id,
        )

    def key(self, partition: int) -> dict[str, str | int]:
        """The key of a partition's rows."""
        return {"group": self.group, "topic": self.topic, "partition": partition}

    def lock(self, connection: Connection, table: Table, partition: int) -> Row[tuple[object, ...]]:
        """The row of a partition, which nobody else changes until the transaction ends.

        A partition that the topic got since has its rows made: all of it is still to be handled.
        ConsumerError where the handover is over and its tables' rows are gone.
        """
        row = of_partition(table, self.key(partition))
        # A write takes the lock, on SQLite as on PostgreSQL.
        touch = update(table).where(row).values(next_offset=table.c.next_offset)
        if connection.execute(touch).rowcount == 0:
            if self._row(connection) is None:
                raise self._missing()
            insert_partition(connection, self.key(partition), first=0, live=0)
            connection.execute(touch)
        return connection.execute(select(table).where(row)).one()

    def is_cancelled(self, connection: Connection) -> bool:
        """Whether somebody has given the handover up. ConsumerError where its rows are gone."""
        row = self._row(connection)
        if row is None:
            raise self._missing()
        return bool(row.status == CANCELLED)

    def is_over(self, partitions: int = 0) -> bool:
        """Whether the catch-up has ended in each partition that it knows of, which are so many at
        least, or was given up."""
        rows = select(func.count(), func.count(CATCH_UP.c.ended_at)).where(
            CATCH_UP.c.group == self.group, CATCH_UP.c.topic == self.topic
        )
        with self.database.transaction() as connection:
            number, ended = connection.execute(rows).one()
            return ended >= max(number, partitions) or self.is_cancelled(connection)

    def _row(self, connection: Connection) -> Row[tuple[object, ...]] | None:
        row = and_(HANDOVERS.c.group == self.group, HANDOVERS.c.topic == self.topic)
        return connection.execute(select(HANDOVERS).where(row)).one_or_none()

    def _missing(self) -> ConsumerError:
        return ConsumerError(
            f"no handover of group {self.group} on topic {self.topic} is in this database: it was "
            "not started here, or it is finished",
            left_behind="Nothing was handled.",
            next_step=f"cutline reconsume start {self.group} --topic {self.topic} --way handover "
            "…; where it is finished, call both handlers yourself, without the wrapper.",
        )
