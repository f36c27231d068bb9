"""The rows of a handover in the database of its service, as an operator makes and removes them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, Table, and_, delete, func, insert, inspect, select, text, update
from sqlalchemy.sql import ColumnElement

from cutline.consumer.handover.rows import insert_partition
from cutline.consumer.handover.tables import CATCH_UP, HANDOVER_METADATA, HANDOVERS, LIVE
from cutline.project.handover import HandoverWay
from cutline.reconsume.handover.planning import HandoverPlan

Status = Literal["begun", "started", "cancelled", "finished"]


@dataclass(frozen=True)
class HandoverRecord:
    """A handover that is in a service's database: `begun` until its group stands in Kafka, then
    `started`, and `cancelled` or `finished`, as long as the service may have its wrapper."""

    way: HandoverWay
    status: Status
    catch_up_group: str
    topic_id: str
    begun_at: dt.datetime
    owner: str
    why: str


@dataclass(frozen=True)
class PartitionRecord:
    """A partition of a handover. `live` is the offset that the service handles next, as far as is
    known; `registered` says whether its wrapper has told so."""

    partition: int
    first: int
    catch_up: int
    live: int
    registered: bool
    handed_over_at: int | None
    handled: int
    without_row: int
    ended: bool


def record_of(connection: Connection, group: str, topic: str) -> HandoverRecord | None:
    """The handover of a group on a topic; null where none was started, or it is finished."""
    if not inspect(connection).has_table(HANDOVERS.name):
        return None
    rows = select(HANDOVERS).where(_of(HANDOVERS, group, topic))
    row = connection.execute(rows).one_or_none()
    if row is None:
        return None
    return HandoverRecord(
        row.way,
        row.status,
        row.catch_up_group,
        row.topic_id,
        dt.datetime.fromisoformat(row.begun_at),
        row.owner,
        row.why,
    )


def partition_records(connection: Connection, group: str, topic: str) -> list[PartitionRecord]:
    """The partitions of a handover, in their order."""
    is_partition = and_(*(CATCH_UP.c[c.name] == c for c in LIVE.primary_key.columns))
    rows = (
        select(
            LIVE,
            CATCH_UP.c.first_offset,
            CATCH_UP.c.next_offset.label("catch_up"),
            CATCH_UP.c.handled,
            CATCH_UP.c.without_row,
            CATCH_UP.c.ended_at,
        )
        .join(CATCH_UP, is_partition)
        .where(_of(LIVE, group, topic))
        .order_by(LIVE.c.partition)
    )
    return [
        PartitionRecord(
            row.partition,
            row.first_offset,
            row.catch_up,
            row.next_offset,
            row.registered_at is not None,
            row.handed_over_at,
            row.handled,
            row.without_row,
            row.ended_at is not None,
        )
        for row in connection.execute(rows)
    ]


def insert_handover(
    connection: Connection,
    record: HandoverRecord,
    place: tuple[str, str],
    plan: HandoverPlan,
) -> None:
    """Make the rows of a handover of a group on a topic, and the tables where they are missing.

    Beside a service, the place at which it takes over is the one at which it stands.
    """
    HANDOVER_METADATA.create_all(connection)
    group, topic = place
    begun_at = record.begun_at.isoformat()
    values = {
        "group": group,
        "topic": topic,
        "topic_id": record.topic_id,
        "catch_up_group": record.catch_up_group,
        "way": record.way,
        "writable": plan.writable,
        "status": record.status,
        "owner": record.owner,
        "why": record.why,
        "begun_at": begun_at,
    }
    connection.execute(insert(HANDOVERS).values(**values))
    beside, of_group = record.way == "beside", {"group": group, "topic": topic}
    for partition in plan.partitions:
        insert_partition(
            connection,
            {**of_group, "handover": record.catch_up_group, "partition": partition.partition},
            first=partition.first,
            live=partition.live,
            handed_over_at=partition.live if beside else None,
            ended_at=begun_at if beside and not partition.offsets else None,
        )


def set_status(connection: Connection, group: str, topic: str, status: Status) -> None:
    """Note how far a handover is."""
    rows = update(HANDOVERS).where(_of(HANDOVERS, group, topic))
    connection.execute(rows.values(status=status))


def delete_handover(connection: Connection, group: str, topic: str) -> None:
    """Remove the rows of a handover."""
    for table in HANDOVER_METADATA.tables.values():
        connection.execute(delete(table).where(_of(table, group, topic)))


def remove_handover(connection: Connection, group: str, topic: str) -> None:
    """Remove the rows of a handover, and the tables where they were the last ones."""
    if connection.dialect.name == "postgresql":
        # Nobody may begin one between the count and the end.
        connection.execute(text(f"LOCK TABLE {HANDOVERS.name} IN ACCESS EXCLUSIVE MODE"))
    delete_handover(connection, group, topic)
    if not connection.execute(select(func.count()).select_from(HANDOVERS)).scalar_one():
        HANDOVER_METADATA.drop_all(connection)


def _of(table: Table, group: str, topic: str) -> ColumnElement[bool]:
    return and_(table.c.group == group, table.c.topic == topic)
