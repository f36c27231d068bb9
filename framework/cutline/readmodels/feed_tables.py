"""What Cutline keeps of the feed of a version: how far it is, and what was applied and what not."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Index,
    LargeBinary,
    Table,
    Text,
    delete,
)

from cutline.readmodels.records import METADATA, SliceName

FEEDS = Table(
    "cutline_read_model_feeds",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("run_id", Text, nullable=False),
    # Counts the transactions of the feed: each is made by comparing it.
    Column("turn", BigInteger, nullable=False),
    Column("fed_at", Text, nullable=False),
    Column("behind", BigInteger, nullable=False),
    comment="One row is one version that live events are fed into",
)

POSITIONS = Table(
    "cutline_read_model_positions",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("topic", Text, primary_key=True),
    Column("partition", BigInteger, primary_key=True),
    # What a topic made anew under its name has another of.
    Column("topic_id", Text, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("history_end", BigInteger, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    comment="One row is how far a version is fed from one partition of a live topic",
)

EVENTS = Table(
    "cutline_read_model_events",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    # The SHA-256 of aggregate, subject, source and id, which may be long.
    Column("identity", Text, primary_key=True),
    Column("aggregate", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("event", Text, nullable=False),
    comment="One row is one live event that a version has, and history does not",
)
Index(
    "ix_cutline_read_model_events",
    *(EVENTS.c.context, EVENTS.c.region, EVENTS.c.version, EVENTS.c.aggregate, EVENTS.c.subject),
)

ASIDE = Table(
    "cutline_read_model_aside",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("topic", Text, primary_key=True),
    Column("partition", BigInteger, primary_key=True),
    Column("position", BigInteger, primary_key=True),
    Column("rule", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("aggregate", Text),
    Column("subject", Text),
    Column("record", Text, nullable=False),
    Column("decision", Text),
    Column("decided_by", Text),
    Column("decided_at", Text),
    Column("why", Text),
    comment="One row is one record of a live topic that is not applied to a version, and why",
)


def _record_of_slice() -> tuple[Column[Any], ...]:
    """The columns by which a record of a live topic is known in a slice, whatever version."""
    return (
        Column("context", Text, primary_key=True),
        Column("region", Text, primary_key=True),
        Column("topic", Text, primary_key=True),
        Column("topic_id", Text, primary_key=True),
        Column("partition", BigInteger, primary_key=True),
        Column("position", BigInteger, primary_key=True),
    )


EPOCHS = Table(
    "cutline_read_model_epochs",
    METADATA,
    *_record_of_slice(),
    Column("epoch", BigInteger, nullable=False),
    comment="One row is one record of a live topic that raised the epoch of its slice",
)

RULINGS = Table(
    "cutline_read_model_rulings",
    METADATA,
    *_record_of_slice(),
    Column("decision", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("decided_at", Text, nullable=False),
    Column("why", Text),
    comment="One row is what a person said of one record of a live topic, for every version",
)

FED_ROWS = Table(
    "cutline_read_model_fed_rows",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("aggregate", Text, primary_key=True),
    # Bytes, which every database has in the same order.
    Column("subject", LargeBinary, primary_key=True),
    Column("event_id", LargeBinary),
    Column("ended", Boolean, nullable=False),
    # Null where the values are those that were built.
    Column("fingerprint", LargeBinary),
    comment="One row is one row of a version as its feed left it",
)

FED_TURNS = Table(
    "cutline_read_model_fed_turns",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    # Behind that of the feed where an older Cutline, which records no rows, fed the version since.
    Column("turn", BigInteger, nullable=False),
    comment="One row is up to which transaction of a version's feed its rows are recorded",
)

_OF_A_FEED = (FEEDS, POSITIONS, EVENTS, ASIDE, FED_ROWS, FED_TURNS)


def of_slice(table: FromClause, slice: SliceName) -> tuple[ColumnElement[bool], ...]:
    """That a row is of a slice."""
    return table.c.context == slice.context, table.c.region == slice.region


def forget_feed(connection: Connection, slice: SliceName, version: int) -> None:
    """Remove what is kept of the feed of a version.

    What is of the slice stays: a later version meets the same records.
    """
    for table in _OF_A_FEED:
        where = (*of_slice(table, slice), table.c.version == version)
        connection.execute(delete(table).where(*where))
