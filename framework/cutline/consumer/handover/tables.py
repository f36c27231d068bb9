"""The tables of handovers, in the service's own database.

What the service writes and what the catch-up writes are rows of two tables, so that the one waits
for the other only where they meet. Moments are RFC 3339 texts in UTC with microseconds.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Integer, MetaData, Table, Text

HANDOVER_METADATA = MetaData()


def _partition() -> tuple[Column[Any], ...]:
    """The key of a partition: its rows are of one handover, and of no later one of the group."""
    return (
        Column("handover", Text, primary_key=True),
        Column("group", Text, primary_key=True),
        Column("topic", Text, primary_key=True),
        Column("partition", Integer, primary_key=True, autoincrement=False),
    )


HANDOVERS = Table(
    "cutline_handovers",
    HANDOVER_METADATA,
    Column("group", Text, primary_key=True),
    Column("topic", Text, primary_key=True),
    Column("topic_id", Text, nullable=False),
    Column("catch_up_group", Text, nullable=False),
    Column("way", Text, nullable=False),
    Column("writable", JSON, nullable=False),
    Column("status", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("begun_at", Text, nullable=False),
    comment="One row is a topic whose past a group of a service is given for an added handler",
)

LIVE = Table(
    "cutline_handover_live",
    HANDOVER_METADATA,
    *_partition(),
    Column("next_offset", BigInteger, nullable=False),
    Column("registered_at", Text),
    Column("handed_over_at", BigInteger),
    comment="One row is a partition: the offset that the service handles next, since when that is "
    "known, and from which offset on it calls the added handler as well",
)

CATCH_UP = Table(
    "cutline_handover_catch_up",
    HANDOVER_METADATA,
    *_partition(),
    Column("first_offset", BigInteger, nullable=False),
    Column("next_offset", BigInteger, nullable=False),
    Column("handled", BigInteger, nullable=False),
    Column("without_row", BigInteger, nullable=False),
    Column("failed_at", BigInteger),
    Column("ended_at", Text),
    comment="One row is a partition: where the catch-up began, the offset that it handles next, "
    "its records, its writes that met no row, which one it could not do, and when it was over",
)
