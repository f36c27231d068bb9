"""How far a service is in each partition, and how far an earlier version of it was.

Both are kept per partition and compared per partition: one token over several partitions would call
a service caught up that has not begun with one of them.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from cutline.consumer.received import Received
from cutline.consumer.store import Owner, insert_if_missing
from cutline.consumer.tables import MARKS, POSITIONS

Partition = tuple[str, int]
"""A topic and the number of its partition."""


def advance(connection: Connection, owner: Owner, record: Received) -> bool:
    """Moves the position behind a record; false, and nothing moved, where it is there already.

    It locks the partition's row until the transaction ends, so of two members that hold the same
    record, one waits and then passes it over.
    """
    moved = connection.execute(
        update(POSITIONS)
        .where(
            owner.rows(POSITIONS),
            POSITIONS.c.topic == record.topic,
            POSITIONS.c.partition == record.partition,
            POSITIONS.c.next_offset <= record.offset,
        )
        .values(next_offset=record.offset + 1)
    )
    return moved.rowcount > 0


def begin(connection: Connection, owner: Owner, partition: Partition) -> int:
    """The offset that is handled next in a partition; 0, the beginning, for a new one."""
    topic, number = partition
    insert_if_missing(
        connection,
        POSITIONS,
        owner.columns | {"topic": topic, "partition": number, "next_offset": 0},
    )
    return int(
        connection.execute(
            select(POSITIONS.c.next_offset).where(
                owner.rows(POSITIONS),
                POSITIONS.c.topic == topic,
                POSITIONS.c.partition == number,
            )
        ).scalar_one()
    )


def lock_positions(connection: Connection, owner: Owner) -> None:
    """Has nobody move a position until the transaction ends; whoever does is waited for."""
    connection.execute(
        update(POSITIONS).where(owner.rows(POSITIONS)).values(next_offset=POSITIONS.c.next_offset)
    )


def positions(connection: Connection, owner: Owner) -> dict[Partition, int]:
    """The next offset of each partition that was ever begun."""
    rows = connection.execute(select(POSITIONS).where(owner.rows(POSITIONS)))
    return {(row.topic, row.partition): row.next_offset for row in rows}


def mark_of(connection: Connection, owner: Owner, partition: Partition) -> int:
    """The offset below which an earlier version acted; 0 where there was none."""
    topic, number = partition
    mark = connection.execute(
        select(MARKS.c.mark).where(
            owner.rows(MARKS), MARKS.c.topic == topic, MARKS.c.partition == number
        )
    ).scalar_one_or_none()
    return int(mark or 0)
