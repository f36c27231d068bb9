"""Live events and records as they come from the topics, before anything is decided about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline.feed.tail import POSITION
from cutline.readmodels import Place, Record, Subject, identity_of
from cutline.topics.cloudevents import UNREADABLE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from cutline.context import Context

RECORD_DDL = (
    f"topic string, partition int, {POSITION} bigint, offset bigint, timestamp timestamp, "
    "key string, headers map<string,string>, value string, line string"
)
"""The columns of a record that is put aside."""
JSON_OPTIONS = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"}
"""How Spark writes times into JSON here, and reads them: all their digits."""

Holder = tuple[Place, str, str]
"""A partition, an aggregate and a subject as records name it: what is put aside holds later events
of these."""

_EPOCH, _HAS_EPOCH, _SUBJECT, _RECORD, _TOPIC, _PARTITION, _OFFSET = (
    *("fed_epoch", "fed_has_epoch", "fed_subject", "fed_record"),
    *("fed_topic", "fed_partition", "fed_offset"),
)
_BESIDE = (_TOPIC, _PARTITION, POSITION, _OFFSET, _EPOCH, _HAS_EPOCH, _SUBJECT)


@dataclass(frozen=True)
class OfferedEvent:
    """A live event that could be read. `event` is its row as JSON, in the columns of EVENTS.

    `named_subject` is the subject as the record names it: a twin may be of another. `epoch` is the
    text of its `migepoch`; null where it has none, or is of another slice; `has_epoch` whether it
    carries one, of whatever slice. `offset` is null where its line in a file has none.
    """

    topic: str
    partition: int
    position: int
    epoch: str | None
    named_subject: str
    aggregate: str
    subject: str
    source: str
    id: str
    event: str
    offset: int | None = None
    has_epoch: bool = True

    @property
    def place(self) -> Record:
        """Where it stands."""
        return self.topic, self.partition, self.position

    @property
    def holder(self) -> Holder:
        """What holds it where an earlier record of it is put aside."""
        return (self.topic, self.partition), self.aggregate, self.named_subject

    @property
    def of(self) -> Subject:
        """The subject that it is of."""
        return self.aggregate, self.subject

    @property
    def identity(self) -> str:
        """By what a second delivery of it is known."""
        return identity_of(self.aggregate, self.subject, self.source, self.id)

    def text(self) -> str:
        """As it is kept where it is put aside."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> OfferedEvent:
        """What `text` gave."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class UnreadableRecord:
    """A record that is no event of ours. `record` is it as JSON, in the columns of RECORD_DDL.

    `named_subject` is null where it names none.
    """

    topic: str
    partition: int
    position: int
    rule: str
    reason: str
    named_subject: str | None
    aggregate: str | None
    record: str

    @property
    def place(self) -> Record:
        """Where it stands."""
        return self.topic, self.partition, self.position


def offered_of(
    records: DataFrame, context: Context, region: str | None, slice_region: str
) -> tuple[list[OfferedEvent], list[UnreadableRecord]]:
    """What some records offer; in the columns of RECORDS and POSITION, and few enough for this
    process. Those of another region than `region` are left out; `slice_region` is that of the slice
    whose epochs count."""
    from cutline.tables.event import EVENTS

    events, unreadable = _events_of(records, context, region, slice_region)
    event = _json(EVENTS.ddl).alias("event")
    offered = events.select(*_BESIDE, "aggregate", "subject", "source", "id", event, _RECORD)
    failed = unreadable.select(*_BESIDE, "rule", "reason", "aggregate", _RECORD)
    rows = [row.asDict() for row in offered.collect()]
    return (
        [_offered(row) for row in rows if not _is_nameless(row)],
        [
            *(_unreadable(row | _NAMELESS) for row in rows if _is_nameless(row)),
            *(_unreadable(row.asDict()) for row in failed.collect()),
        ],
    )


def _events_of(
    records: DataFrame, context: Context, region: str | None, slice_region: str
) -> tuple[DataFrame, DataFrame]:
    """The events of the slice, and the records that are none, each with its place and epoch."""
    from pyspark.sql import functions as F

    from cutline.stages.epoch_guard import is_of_slice
    from cutline.topics.cloudevents import native_events
    from cutline.topics.headers import mapped_header

    header = {name: mapped_header(f"ce_{name}") for name in _HEADERS}
    placed = records.withColumns(
        {
            _TOPIC: F.col("topic"),
            _PARTITION: F.col("partition"),
            _OFFSET: F.col("offset"),
            _EPOCH: F.when(is_of_slice(context.name, slice_region), header["migepoch"]),
            _HAS_EPOCH: header["migepoch"].isNotNull(),
            _SUBJECT: header["subject"],
            _RECORD: _json(RECORD_DDL),
        }
    )
    return native_events(placed, context, region, beside=(*_BESIDE, _RECORD))


def first_of_epochs(
    records: DataFrame, context: Context, region: str | None, slice_region: str, authority: int
) -> list[tuple[Place, int, int]]:
    """By partition and epoch of the slice, the position of the first event that carries it; of
    records in the columns of RECORDS and POSITION. Epochs above `authority` were never issued.
    """
    from cutline.stages.epoch_guard import epoch_beginnings

    events, _ = _events_of(records, context, region, slice_region)
    place = (_TOPIC, _PARTITION, POSITION)
    beginnings = epoch_beginnings(events, authority, place, _EPOCH)
    return [((b.topic, b.partition), b.offset or 0, b.epoch) for b in beginnings]


_NUL = "\0"
_NAMELESS = {
    "rule": UNREADABLE,
    "reason": "its id, source or subject has the character U+0000, which no database keeps",
}


def _is_nameless(row: Mapping[str, Any]) -> bool:
    """Whether a database cannot keep what an event is called."""
    return any(_NUL in (row[name] or "") for name in ("id", "source", "subject", _SUBJECT))


def records_of_texts(spark: SparkSession, texts: Sequence[str]) -> DataFrame:
    """Records that were put aside, as they were read."""
    from pyspark.sql import functions as F

    rows = spark.createDataFrame([(text,) for text in texts], "record string")
    return rows.select(F.from_json("record", RECORD_DDL, JSON_OPTIONS).alias("r")).select("r.*")


_HEADERS = ("subject", "migepoch")


def _json(ddl: str) -> Column:
    """The columns of `ddl` as one object."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    schema = T.DataType.fromDDL(ddl)
    assert isinstance(schema, T.StructType)
    names = schema.fieldNames()
    return F.to_json(F.struct(*names), JSON_OPTIONS)


def _offered(row: Mapping[str, Any]) -> OfferedEvent:
    return OfferedEvent(
        topic=row[_TOPIC],
        partition=row[_PARTITION],
        position=row[POSITION],
        epoch=row[_EPOCH],
        named_subject=row[_SUBJECT],
        aggregate=row["aggregate"],
        subject=row["subject"],
        source=row["source"],
        id=row["id"],
        event=row["event"],
        offset=row[_OFFSET],
        has_epoch=row[_HAS_EPOCH],
    )


def _keepable(text: str) -> str:
    """A text as a database keeps it."""
    return text.replace(_NUL, "\\u0000")


def _unreadable(row: Mapping[str, Any]) -> UnreadableRecord:
    return UnreadableRecord(
        topic=row[_TOPIC],
        partition=row[_PARTITION],
        position=row[POSITION],
        rule=row["rule"],
        reason=_keepable(row["reason"]),
        named_subject=_keepable(row[_SUBJECT] or "") or None,
        aggregate=row["aggregate"],
        record=row[_RECORD],
    )
