"""The tables that a consumer keeps in its service's own database.

Each row belongs to a service and its version, so that several may share a database. Moments are
RFC 3339 texts in UTC with microseconds, which sort as texts.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

_NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""Each is given once: SQLite would otherwise give the last row's, when it is gone, to another."""


def _owner(*, primary_key: bool) -> tuple[Column[str], Column[str]]:
    return (
        Column("service", Text, primary_key=primary_key, nullable=False),
        Column("version", Text, primary_key=primary_key, nullable=False),
    )


def _partition(*, primary_key: bool) -> tuple[Column[Any], Column[Any]]:
    return (
        Column("topic", Text, primary_key=primary_key, nullable=False),
        Column("partition", Integer, primary_key=primary_key, nullable=False, autoincrement=False),
    )


def _record() -> tuple[Column[Any], ...]:
    """A record as it came, in the columns of `Received.stored`."""
    return (
        *_partition(primary_key=False),
        Column("offset", BigInteger, nullable=False),
        Column("key", LargeBinary),
        Column("headers", JSON, nullable=False),
        Column("value", LargeBinary),
    )


POSITIONS = Table(
    "cutline_consumer_positions",
    METADATA,
    *_owner(primary_key=True),
    *_partition(primary_key=True),
    Column("next_offset", BigInteger, nullable=False),
    comment="One row is a partition, and the offset that is handled next",
)

VERSIONS = Table(
    "cutline_consumer_versions",
    METADATA,
    *_owner(primary_key=True),
    Column("mode", Text, nullable=False),
    comment="One row is a version of a service, and whether it acts: live, shadow or rehearsal",
)

INBOX = Table(
    "cutline_consumer_inbox",
    METADATA,
    *_owner(primary_key=True),
    Column("source", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("received_at", Text, nullable=False),
    Index("ix_cutline_consumer_inbox_age", "service", "version", "received_at"),
    comment="One row is an event that was handled, put aside or parked",
)

MARKS = Table(
    "cutline_consumer_marks",
    METADATA,
    *_owner(primary_key=True),
    *_partition(primary_key=True),
    Column("mark", BigInteger, nullable=False),
    comment="One row is a partition, and the offset below which an earlier version acted",
)

COUNTS = Table(
    "cutline_consumer_counts",
    METADATA,
    *_owner(primary_key=True),
    *_partition(primary_key=True),
    Column("name", Text, primary_key=True),
    Column("result", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    comment="One row is how often an effect was performed, or suppressed for one reason",
)

OUTBOX = Table(
    "cutline_consumer_outbox",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *_owner(primary_key=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("arguments", JSON, nullable=False),
    Column("source", Text, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("reason", Text),
    Column("due_at", Text, nullable=False),
    Column("claimed_by", Text),
    Column("made_at", Text, nullable=False),
    UniqueConstraint("service", "key", name="uq_cutline_consumer_outbox_key"),
    Index("ix_cutline_consumer_outbox_due", "service", "version", "status", "due_at"),
    sqlite_autoincrement=True,
    comment="One row is an effect: pending, sent or failed",
)

EPOCHS = Table(
    "cutline_consumer_epochs",
    METADATA,
    *_owner(primary_key=True),
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    *_partition(primary_key=True),
    Column("epoch", BigInteger, nullable=False),
    comment="One row is a slice in a partition, and the highest epoch of its events there",
)

PARKED = Table(
    "cutline_consumer_parked",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *_owner(primary_key=False),
    Column("context", Text, nullable=False),
    Column("region", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("slice_epoch", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("subject", Text),
    *_record(),
    Column("parked_at", Text, nullable=False),
    Column("discarded", Text),
    sqlite_autoincrement=True,
    comment="One row is an event that its epoch stopped; `discarded` is the reason, if it was",
)

HOLDS = Table(
    "cutline_consumer_holds",
    METADATA,
    *_owner(primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    comment="One row is a subject whose events wait behind a dead letter",
)

LETTERS = Table(
    "cutline_consumer_letters",
    METADATA,
    Column("number", _NUMBER, primary_key=True),
    *_owner(primary_key=False),
    Column("stream", Text, nullable=False),
    Column("subject", Text),
    Column("status", Text, nullable=False),
    Column("reason", Text),
    Column("attempts", Integer, nullable=False),
    *_record(),
    Column("put_aside_at", Text, nullable=False),
    Index("ix_cutline_consumer_letters_subject", "service", "version", "stream", "subject"),
    sqlite_autoincrement=True,
    comment="One row is an event: dead, held behind a dead one, or discarded for the reason",
)
