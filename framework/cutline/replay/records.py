"""Events of a replay as the records that are sent: labelled, and exceptions as events of their own.

Functions from DataFrame to DataFrame.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.replay.events import DOMAIN_EVENTS
from cutline.topics.record import RUN_HEADER

ORDER = ("turn", "file", "number")
"""The columns by which the records of a replay are in one order."""
ORDINAL = "ordinal"
"""And the place of an event among those that a translator announced of one record."""
EXCEPTION_TYPE = "replay-exception"

_SAFE, _REPLAY = "ce_migreplaysafe", "ce_migreplay"
_JSON = "application/json"
_COLUMNS = ("key", "headers", "value", "timestamp", *ORDER)


def replayed_records(events: DataFrame, topic: str, replay: str) -> DataFrame:
    """One record per event, as it was, but that it says that it is replayed: `migreplaysafe` is
    false, and of which replay. A version in `dataschema` is the payload's."""
    number = F.concat(F.lit(":"), F.col("version").cast("string"))
    is_schema = F.lit("ce_dataschema")
    evolved = F.transform_values(
        "headers",
        lambda name, text: F.when(
            (name == is_schema) & F.col("version").isNotNull(),
            F.regexp_replace(text, F.lit(r":[0-9]{1,9}$"), number),
        ).otherwise(text),
    )
    return events.select(
        F.lit(topic).alias("topic"),
        "key",
        with_labels(evolved, replay).alias("headers"),
        "value",
        F.timestamp_micros("micros").alias("timestamp"),
        *ORDER,
    )


def domain_records(events: DataFrame, topic: str, replay: str) -> DataFrame:
    """One record per event that a translator announced, with ORDINAL: at the moment of the record
    that it comes from, and labelled as replayed."""
    announced = events.select("micros", *ORDER, F.posexplode(DOMAIN_EVENTS).alias(ORDINAL, "event"))
    return announced.select(
        F.lit(topic).alias("topic"),
        "event.key",
        with_labels(F.col("event.headers"), replay).alias("headers"),
        "event.value",
        F.timestamp_micros("micros").alias("timestamp"),
        *ORDER,
        ORDINAL,
    )


def with_labels(headers: Column, replay: str) -> Column:
    """The headers of a record, but that it says that it is replayed, and by what."""
    labels = {_SAFE: F.lit("false"), _REPLAY: F.lit(replay)}
    others = F.map_filter(
        headers,
        lambda name, text: ~name.isin(*labels, RUN_HEADER) & text.isNotNull(),
    )
    return F.map_concat(others, map_of(labels))


def map_of(columns: Mapping[str, Column]) -> Column:
    """A map of these names to these columns."""
    pairs = (part for name, column in columns.items() for part in (F.lit(name), column))
    return F.create_map(*pairs)


def event_time(moment: dt.datetime) -> str:
    """A moment in UTC as the time of an event has it, with microseconds."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def exception_records(
    exceptions: DataFrame, topic: str, name: str, replay: str, begun_at: dt.datetime
) -> DataFrame:
    """One event per record that was not sent: where it stands, why, and what it holds."""
    place = F.concat_ws("/", "topic", F.col("partition"), F.col("number"))
    value = F.to_json(F.struct(*EXCEPTION_COLUMNS), {"ignoreNullFields": "false"})
    headers: dict[str, Column] = {
        "ce_specversion": F.lit("1.0"),
        "ce_id": F.sha2(F.concat_ws("/", F.lit(replay), place), 256),
        "ce_source": F.lit(f"urn:cutline:replay:{name}"),
        "ce_type": F.lit(EXCEPTION_TYPE),
        "ce_subject": F.coalesce("subject", place),
        "ce_time": F.lit(event_time(begun_at)),
        _REPLAY: F.lit(replay),
        "content-type": F.lit(_JSON),
    }
    return exceptions.select(
        F.lit(topic).alias("topic"),
        F.coalesce("key", place).alias("key"),
        map_of(headers).alias("headers"),
        value.alias("value"),
        F.lit(begun_at).alias("timestamp"),
        *ORDER,
    )


EXCEPTION_COLUMNS = (
    *("outcome", "reason", "why", "topic", "partition", "number", "key", "type", "subject", "id"),
    *("written", "value", "content"),
)
"""What the table and the topic of exceptions have of a record: `content` are the bytes of a value
that nobody can read, in Base64 on the topic."""
