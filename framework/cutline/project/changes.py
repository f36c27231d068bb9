"""Change files of sources: who wrote them, and in which of the ways that its author could choose.

Each section only says what a connector was told to write. How it is read is in
`cutline.sources.changes`.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from cutline.project.base import Section
from cutline.project.cut import SnapshotCut
from cutline.project.kafka import KafkaReading
from cutline.project.names import TopicName
from cutline.project.zone import Zone

Decimals = Literal["string", "precise", "double"]
Times = Literal[
    "isostring",
    "adaptive",
    "adaptive_time_microseconds",
    "microseconds",
    "nanoseconds",
    "connect",
]
Binary = Literal["base64", "base64-url-safe", "hex", "latin1"]


class ChangesBase(Section):
    """What the changes of all connectors share. They are files (`path`), or topics of Kafka."""

    path: str | None = None
    """The file, or a glob of them; one record a line."""
    topic: TopicName | None = None
    """The topic, instead of `path`."""
    topics: tuple[TopicName, ...] | None = Field(default=None, min_length=1)
    """The topics, where there are several: Debezium's connectors have one for each table."""
    kafka: KafkaReading | None = None
    """Where the topics are, and where in them the reading begins."""
    snapshot: SnapshotCut
    """How the snapshot and these changes meet."""
    at_most_behind: dt.timedelta | None = None
    """How long before the extract the newest change (or heartbeat) may have been committed, such as
    PT15M; a tail that is older is stale, and the run stops. Left out, nothing is asked."""
    heartbeats: str | None = None
    """The connector's heartbeat records, one JSON object with `ts_ms` a line, or a glob of such
    files: they tell a quiet source from a connector that has stopped. With `kafka`, their topic."""

    @property
    def topic_names(self) -> tuple[str, ...]:
        """The topics of the changes; empty where these are files."""
        return self.topics or ((self.topic,) if self.topic else ())

    @model_validator(mode="after")
    def _files_or_topics(self) -> Self:
        if [self.path, self.topic, self.topics].count(None) != 2:
            raise ValueError("changes need one of path, topic and topics")
        if (self.kafka is None) != (self.path is not None):
            raise ValueError("kafka says where topics are: it belongs to topic or topics")
        names = self.topic_names
        if len(set(names)) < len(names):
            raise ValueError("topics names one topic twice")
        log = getattr(self, "log", "")
        if len(names) > 1 and log == "kafka":
            raise ValueError(
                "the place in its topic is what orders these changes (log: kafka), and several "
                "topics have no common order: give a source to each"
            )
        if len(names) > 1 and self.kafka is not None and isinstance(self.kafka.begin, dict):
            raise ValueError("kafka.from gives offsets by partition, which is for a single topic")
        return self


class DebeziumChanges(ChangesBase):
    """Changes as Debezium's connectors write them with the JSON converter."""

    kind: Literal["debezium"]
    """The format of the change file."""
    log: Literal["postgresql", "mysql", "sqlserver", "oracle", "mongodb", "kafka"] = "postgresql"
    """Whose log it is: what its positions mean."""
    decimals: Decimals = "string"
    """As `decimal.handling.mode`."""
    times: Times = "isostring"
    """As `time.precision.mode`."""
    digits: dict[str, int] = Field(default_factory=dict)
    """Under the adaptive modes, by `table.column`, how many digits of a second the database keeps.
    Left out, as the database does by itself: 0 in MySQL, 3 in MongoDB, 7 in SQL Server, else 6."""
    binary: Literal["base64", "base64-url-safe", "hex"] = "base64"
    """As `binary.handling.mode`, where `bytes` is base64."""
    placeholder: str = Field(default="__debezium_unavailable_value", min_length=1)
    """As `unavailable.value.placeholder`: what stands for a value that the log does not hold."""
    replica_identity: Literal["full", "default"] = "full"
    """As PostgreSQL's tables have it. With `default`, a `before` holds the key and nulls that are
    no values: then it counts as unknown."""
    transactions: str | None = None
    """The file, or a glob of them, of the topic `<prefix>.transaction`: where transactions begin
    and end. Such records may also stand in the change file itself. With `kafka`, the topic."""


class CanalChanges(ChangesBase):
    """Changes of MySQL as Canal writes them (flat messages)."""

    kind: Literal["canal"]
    """The format of the change file."""
    log: Literal["kafka"] = "kafka"
    """Canal tells no place in the binary log: the record's own place orders the changes."""
    zone: Zone = "UTC"
    """The time zone of moments that are written without one. What its clocks do not show, or show
    twice, is no moment."""
    binary: Binary = "latin1"
    """How bytes are written as text."""


class MaxwellChanges(ChangesBase):
    """Changes of MySQL as Maxwell's daemon writes them."""

    kind: Literal["maxwell"]
    """The format of the change file."""
    log: Literal["mysql", "kafka"] = "kafka"
    """`mysql` where each record has its `position` (output_binlog_position)."""
    zone: Zone = "UTC"
    """The time zone of moments that are written without one. What its clocks do not show, or show
    twice, is no moment."""
    binary: Binary = "base64"
    """How bytes are written as text."""
    complete: bool = True
    """Whether every row of each transaction is in the file. Where some of its tables go elsewhere,
    no gap can be found, and that transactions are whole is assumed."""


class OggChanges(ChangesBase):
    """Changes as Oracle GoldenGate writes them in JSON."""

    kind: Literal["ogg"]
    """The format of the change file."""
    log: Literal["number", "kafka"] = "number"
    """`number` is the record's `csn`, where records have it, and its `pos` in the trail."""
    zone: Zone = "UTC"
    """The time zone of `op_ts` and of moments that are written without one. What its clocks do
    not show, or show twice, is no moment."""
    binary: Binary = "base64"
    """How bytes are written as text."""


class DmsChanges(ChangesBase):
    """Changes as AWS Database Migration Service writes them to a stream in JSON."""

    kind: Literal["dms"]
    """The format of the change file."""
    log: Literal["kafka"] = "kafka"
    """What the service tells of its source's log differs by source: the record's own place orders
    the changes."""
    zone: Zone = "UTC"
    """The time zone of moments that are written without one. What its clocks do not show, or show
    twice, is no moment."""
    binary: Binary = "hex"
    """How bytes are written as text."""
    before_prefix: str = Field(default="BI_", min_length=1)
    """What the names of an update's former values begin with, if they stand beside the new."""
    nulls: Literal["omitted", "written"] = "omitted"
    """As IncludeNullAndEmpty: whether a column that holds null is left out of a record."""


class LogicalDecoding(ChangesBase):
    """What the output plugins of PostgreSQL's logical decoding share."""

    log: Literal["postgresql"] = "postgresql"
    """The positions are those of PostgreSQL's log."""
    zone: Zone = "UTC"
    """The time zone of moments that are written without one. What its clocks do not show, or show
    twice, is no moment."""
    binary: Literal["hex"] = "hex"
    """How bytes are written as text."""


class Wal2JsonChanges(LogicalDecoding):
    """Changes of PostgreSQL as wal2json writes them, in its format 1 or 2.

    Written with `include-xids`, `include-lsn` and `include-timestamp`.
    """

    kind: Literal["wal2json"]
    """The format of the change file."""
    numbers: Literal["json", "string"] = "json"
    """`string` with `numeric-data-types-as-string`. As JSON numbers NaN and infinity arrive as
    null: then a null of a `real` or `double precision` column is a value that nobody can tell."""


class DecodingTextChanges(LogicalDecoding):
    """Changes of PostgreSQL as the example plugin test_decoding writes them.

    One object a line, with the columns `lsn`, `xid` and `data` of
    `pg_logical_slot_get_changes`, which was asked with `include-timestamp`.
    """

    kind: Literal["test_decoding"]
    """The format of the change file."""


Changes = Annotated[
    DebeziumChanges
    | CanalChanges
    | MaxwellChanges
    | OggChanges
    | DmsChanges
    | Wal2JsonChanges
    | DecodingTextChanges,
    Field(discriminator="kind"),
]
"""A source's change file."""
