"""Events to records and back: CloudEvents 1.0 in the binary mode of its Kafka binding.

Attributes are headers named `ce_…`, the media type is `content-type`, the value is the payload.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Context, Event, Twin
from cutline.cut import AFTER, BEFORE
from cutline.identity import columns as identity
from cutline.tables.event import EFFECTIVE, ENVELOPE, EVENTS, EXACT, NATIVE
from cutline.tables.exception import EVENT, EXCEPTIONS
from cutline.topics.headers import (
    CONTENT_TYPE,
    SPECVERSION,
    attribute_header,
    declared_headers,
    header,
    mapped_header,
)
from cutline.topics.native_payload import RFC_3339, payload_of, with_parsed_value
from cutline.topics.record import ID_HEADER

UNREADABLE = "unreadable-native-event"
UNKNOWN_TYPE = "unknown-event-type"
INVALID_PAYLOAD = "invalid-native-payload"

UNREADABLE_BECAUSE = "cutline-unreadable"
"""A header that the reader of a topic adds to a record that it could not read: the reason."""

_SPECVERSION = "1.0"


def event_records(events: DataFrame, *columns: str) -> DataFrame:
    """One record per event: key, headers (as a struct), value, timestamp, `ordinal` if the events
    have one, and other `columns` of the events.

    The key is the partition key, the timestamp the moment at which the event was created. An
    attribute that is null is left out; times are RFC 3339 in UTC, booleans `true` or `false`.
    """
    attributes = {attribute_header(c.name): _header_text(F.col(c.name), c.type) for c in ENVELOPE}
    return events.select(
        F.col("partitionkey").alias("key"),
        declared_headers({SPECVERSION: F.lit(_SPECVERSION)} | attributes).alias("headers"),
        F.col("data").alias("value"),
        F.coalesce("recordedtime", "time").alias("timestamp"),
        *(["ordinal"] if "ordinal" in events.columns else []),
        *columns,
    )


def id_of(records: DataFrame) -> Column:
    """The id of the event that each record is, null for one that has none: the column `id` where
    the records have it, so that their headers need not be made for it."""
    return F.col("id") if "id" in records.columns else header(records, ID_HEADER)


def native_events(
    records: DataFrame,
    context: Context,
    region: str | None = None,
    until: dt.datetime | None = None,
    beside: Sequence[str] = (),
) -> tuple[DataFrame, DataFrame]:
    """The live events of records read from topics, and what could not be read as such.

    The first has one row per event in the columns of EVENTS: native, exact, at its own time, with
    `data` and fact key as a synthetic twin's. The second has one row per other record in the
    columns of EXCEPTIONS, by the rules `unreadable-native-event`, `unknown-event-type` and
    `invalid-native-payload`. So each record is in exactly one of them. With `region`, records
    whose `migregion` names another region are in neither: another slice reads them.
    What happened after `until` is after the cut; null for no cut. Both also have the columns
    `beside` of their records, whose names must be none of theirs.

    `records` has the columns of `FileTopics.read`. Times with more than six digits of a second are
    cut off there.
    """
    if region is not None:
        of_another_region = mapped_header("ce_migregion") != region
        records = records.where(~F.coalesce(of_another_region, F.lit(False)))
    readings = _with_readings(_attributes(records, beside), context)
    unreadable = readings.where(F.col("rule").isNotNull())
    native = readings.where(F.col("rule").isNull())
    events = _events(native, context, until, beside)
    return events, unreadable.select(*EXCEPTIONS.names, *beside)


def _attributes(records: DataFrame, beside: Sequence[str]) -> DataFrame:
    """The attributes of each record by their names, null where there is none."""
    names = ["specversion", *(c.name for c in ENVELOPE if c.name != "datacontenttype")]
    return records.select(
        "topic",
        "partition",
        "offset",
        "line",
        "value",
        (F.col("key")).alias("record_key"),
        "headers",
        F.col("headers").isNotNull().alias("has_headers"),
        mapped_header(CONTENT_TYPE).alias("datacontenttype"),
        *(mapped_header(f"ce_{name}").alias(name) for name in names),
        *beside,
    )


def _with_readings(records: DataFrame, context: Context) -> DataFrame:
    """The records with `rule` (null where none is broken), `reason`, and what EXCEPTIONS holds."""
    none = F.lit(None).cast("string")
    read = _readers(context)
    owner = {r: context.aggregate_of(one.of).name for r, one in read.items()}
    aggregate = _by_type({r: F.lit(name) for r, name in owner.items()}, "string")
    meant = _by_type({r: F.lit(one.of.event_type()) for r, one in read.items()}, "string")
    readings = _by_type({r: payload_of(one.of, one.twin) for r, one in read.items()}, _PAYLOAD_TYPE)
    opened_records = with_parsed_value(records, [one.live for one in read.values()]).select(
        "*",
        aggregate.alias("aggregate"),
        meant.alias("meant"),
        readings.alias("said"),
        _why_unreadable().alias("unreadable"),
    )
    unreadable, fault = F.col("unreadable"), F.col("said.fault")
    unknown = F.col("aggregate").isNull()
    strange = F.concat(F.lit(f"context {context.name} has no event "), F.col("type"))
    broken = F.concat(F.lit("its data breaks "), fault)
    return opened_records.select(
        "*",
        F.when(unreadable.isNotNull(), UNREADABLE)
        .when(unknown, UNKNOWN_TYPE)
        .when(fault.isNotNull(), INVALID_PAYLOAD)
        .alias("rule"),
        F.coalesce(unreadable, F.when(unknown, strange), broken).alias("reason"),
        F.lit(EVENT).alias("level"),
        F.array().cast("array<string>").alias("checks"),
        none.alias("table"),
        identity.json_array([F.col("partition"), F.col("offset")], ["int", "bigint"]).alias("key"),
        none.alias("position"),
        # What cannot be read has no end among the verdicts, so no event of ours is named.
        none.alias("event_id"),
        F.col("line").alias("payload"),
    ).withColumns(
        {
            "source_uri": F.col("source"),
            "source": F.col("topic"),
            "subject": _own_subject(read),
        }
    )


def _own_subject(read: Mapping[str, _EventReading]) -> Column:
    """Our subject of a record, null where it says none: its own, or what its twin reads."""
    of_twins = [
        r for r, one in read.items() if one.twin is not None and one.twin.subject is not None
    ]
    is_of_twin = F.coalesce(F.col("type").isin(*of_twins), F.lit(False))
    return F.when(is_of_twin, F.nullif("said.subject", F.lit(""))).otherwise(F.col("subject"))


_PAYLOAD_TYPE = "struct<fault:string,data:string,occurrence:string,subject:string>"


@dataclass(frozen=True)
class _EventReading:
    """How records of one type are read: as an event of ours, perhaps by way of its live twin."""

    of: type[Event]
    twin: Twin | None = None

    @property
    def live(self) -> type[Event]:
        return self.of if self.twin is None else self.twin.live


def _readers(context: Context) -> dict[str, _EventReading]:
    """By the type of the records, how they are read: a twin goes before our own event."""
    readings = {e.event_type(): _EventReading(e) for a in context.aggregates for e in a.events}
    return readings | {
        twin.live.event_type(): _EventReading(twin.of, twin) for twin in context.twins
    }


def _by_type(columns: Mapping[str, Column], ddl: str) -> Column:
    """The column that belongs to a record's event type; null for a type that is not among them."""
    by_type = F.when(F.lit(False), F.lit(None).cast(ddl))
    for type, column in columns.items():
        by_type = by_type.when(F.col("type") == type, column)
    return by_type


def _why_unreadable() -> Column:
    """Why a record is no CloudEvent that we can place; null where it is one."""
    media = F.col("datacontenttype")
    plain_json = media.rlike(r"^(?i)application/json\s*(;.*)?$")
    origin = F.col("migorigin")
    reasons = [
        F.when(
            ~F.col("has_headers"), "it is no record: the line is not one JSON object with headers"
        ),
        mapped_header(UNREADABLE_BECAUSE),
        F.when(~F.col("specversion").eqNullSafe(_SPECVERSION), "its ce_specversion is not 1.0"),
        *(
            F.when(F.coalesce(F.col(name), F.lit("")) == "", f"it has no ce_{name}")
            for name in ("id", "source", "type", "subject", "time")
        ),
        fault_of_time(F.col("time")),
        F.when(~plain_json, F.concat(F.lit("its content type is "), media)),
        F.when(origin != NATIVE, F.concat(F.lit("it says of itself that it is "), origin)),
    ]
    return F.coalesce(*reasons)


def _events(
    native: DataFrame, context: Context, until: dt.datetime | None, beside: Sequence[str]
) -> DataFrame:
    """One row per native event in the columns of EVENTS, and those beside."""
    none, name = F.lit(None).cast("string"), F.lit(context.name)
    kind, subject = F.col("meant"), F.col("subject")
    attributes = {
        "type": kind,
        "subject": subject,
        "source": F.col("source_uri"),
        "time": _time("time"),
        "datacontenttype": F.lit("application/json"),
        "partitionkey": F.coalesce("partitionkey", "record_key", subject),
        "recordedtime": _time("recordedtime"),
        "migorigin": F.lit(NATIVE),
        "migreplaysafe": F.lit(True),
        "migconfidence": F.lit(EXACT),
        "migtimebasis": F.lit(EFFECTIVE),
        "migcontext": name,
        "migfactkey": identity.fact_key(name, kind, subject, F.col("occurrence")),
        "data": identity.finished(F.col("said.data")),
    }
    kept_columns = ("id", "dataschema", "sequence", "migregion", "migsupersedes")
    attributes |= {column: F.col(column) for column in (*kept_columns, "aggregate")}
    attributes["side"] = F.lit(BEFORE)
    if until is not None:
        attributes["side"] = F.when(_time("time") > F.lit(until), AFTER).otherwise(BEFORE)
    with_occurrence = native.withColumn("occurrence", identity.finished(F.col("said.occurrence")))
    return with_occurrence.select(
        *(attributes.get(c.name, none).cast(c.type).alias(c.name) for c in EVENTS.columns),
        *beside,
    )


_TIME = "(?i)" + RFC_3339.replace(r"{1,6}0*", "+")


def time_of(text: Column) -> Column:
    """The moment of an RFC 3339 time, whose letters may be small; null for any other text, and for
    one of no year from 1 to 9999."""
    moment = F.try_to_timestamp(F.when(text.rlike(_TIME), F.upper(text)))
    return F.when(F.year(moment).between(1, 9999), moment)


def fault_of_time(text: Column) -> Column:
    """Why an event's time is none; null for one that `time_of` reads, and for null."""
    return F.when(~text.rlike(_TIME), "its ce_time is no RFC 3339 time").when(
        text.isNotNull() & time_of(text).isNull(), "its ce_time is no moment"
    )


def _time(name: str) -> Column:
    return time_of(F.col(name))


def _header_text(column: Column, ddl: str) -> Column:
    """An attribute as a header's text, null for null."""
    if ddl == "timestamp":
        return F.date_format(column, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
    return column.cast("string")
