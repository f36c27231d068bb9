"""A service of orders whose added handler counts, for tests of handovers.

The service makes a row of an order and counts its records there; the added handler writes two
fields of that row, and a journal of its own. It raises where a record of an order comes late, and
the journal has how often it had each record.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    StaticPool,
    Table,
    Text,
    create_engine,
    delete,
    event,
    select,
    update,
)

from cutline.consumer import Received
from cutline.consumer.handover import Added
from cutline.consumer.handover.added import Writable
from cutline.consumer.store import insert_if_missing
from cutline.project.handover import HandoverWay
from cutline.reconsume.handover.planning import HandoverPlan, PartitionCatchUp
from cutline.reconsume.handover.records import HandoverRecord, insert_handover

GROUP, TOPIC = "order-desk", "orders"
BEGUN_AT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
TABLES = MetaData()
ORDERS = Table(
    "orders",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("records", Integer, nullable=False),
    Column("added", Integer, nullable=False, default=0),
    Column("newest", Integer, nullable=False, default=-1),
)
SERVED = Table(
    "served",
    TABLES,
    Column("partition", Integer, primary_key=True),
    Column("offset", Integer, primary_key=True),
    Column("times", Integer, nullable=False),
)
JOURNAL = Table(
    "journal",
    TABLES,
    Column("partition", Integer, primary_key=True),
    Column("offset", Integer, primary_key=True),
    Column("times", Integer, nullable=False),
)
FIELDS = {"orders": ("added", "newest")}
WRITABLE: Writable = {
    "orders": {"key": ["id"], "columns": ["added", "newest"], "rows": False},
    "journal": {"key": ["partition", "offset"], "columns": ["times"], "rows": True},
}


def orders_database(url: str = "sqlite://") -> Engine:
    """The service's database with its tables."""
    if url == "sqlite://":
        engine = create_engine(url, poolclass=StaticPool)
    else:
        waits = {"timeout": 60} if url.startswith("sqlite") else {}
        engine = create_engine(url, connect_args=waits)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _quick)
    TABLES.create_all(engine)
    return engine


def _quick(connection: object, _: object) -> None:
    # What a killed process wrote is safe without waiting for the disk.
    for setting in ("journal_mode = WAL", "synchronous = OFF"):
        connection.execute(f"PRAGMA {setting}")  # type: ignore[attr-defined]


def order_record(offset: int, order: str, *, partition: int = 0, topic: str = TOPIC) -> Received:
    """A record of an order; `last` in its value ends the order."""
    return Received(topic, partition, offset, order.encode(), (), b"")


def ending_record(offset: int, order: str) -> Received:
    """The record that ends an order."""
    return Received(TOPIC, 0, offset, order.encode(), (), None)


def serve(record: Received, connection: Connection) -> None:
    """What the service has always done."""
    _count(connection, record)
    order = record.key_text
    if record.value is None:
        connection.execute(delete(ORDERS).where(ORDERS.c.id == order))
        return
    insert_if_missing(connection, ORDERS, {"id": order, "records": 0, "added": 0, "newest": -1})
    connection.execute(
        update(ORDERS).where(ORDERS.c.id == order).values(records=ORDERS.c.records + 1)
    )


def _count(connection: Connection, record: Received) -> None:
    place = {"partition": record.partition, "offset": record.offset}
    insert_if_missing(connection, SERVED, {**place, "times": 0})
    row = (SERVED.c.partition == record.partition) & (SERVED.c.offset == record.offset)
    connection.execute(update(SERVED).where(row).values(times=SERVED.c.times + 1))


def add(record: Received, added: Added) -> None:
    """What the service was to do as well, had anybody thought of it."""
    key = {"id": record.key_text}
    order = added.get("orders", key)
    if order is not None and order["newest"] >= record.offset:
        raise ValueError(f"offset {record.offset} comes behind {order['newest']}")
    before = 0 if order is None else order["added"]
    added.set("orders", key, {"added": before + 1, "newest": record.offset})
    place = {"partition": record.partition, "offset": record.offset}
    times = added.get("journal", place)
    added.set("journal", place, {"times": 1 if times is None else times["times"] + 1})


def begin_handover(
    engine: Engine,
    partitions: Sequence[PartitionCatchUp],
    *,
    way: HandoverWay = "handover",
    catch_up_group: str = "catch-up",
) -> None:
    """The rows of a handover, as `cutline reconsume start` makes them."""
    record = HandoverRecord(way, "started", catch_up_group, "t-1", BEGUN_AT, "Anna", "ticket 17")
    with engine.begin() as connection:
        plan = HandoverPlan(partitions, WRITABLE, ())
        insert_handover(connection, record, (GROUP, TOPIC), plan)


@dataclass(frozen=True)
class Times:
    """By partition and offset how often the service and the added handler had a record."""

    served: dict[tuple[int, int], int]
    added: dict[tuple[int, int], int]


def times_of(engine: Engine) -> Times:
    """How often each record was handled."""
    with engine.connect() as connection:
        return Times(
            *(
                {
                    (row.partition, row.offset): row.times
                    for row in connection.execute(select(table))
                }
                for table in (SERVED, JOURNAL)
            )
        )
