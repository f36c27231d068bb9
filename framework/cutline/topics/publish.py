"""What a run found, as records of topics: CloudEvents in the binary binding.

Functions from DataFrame to DataFrame. What is to be told has one row per record, with the columns
topic, type, key, subject, occurrence and value; `records` makes of it, whoever told it, what topics
take: id, topic, key, headers (as a struct), value (canonical JSON text) and timestamp. Ids
do not name the run: what the next run finds again has the same id again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.identity.columns import event_id, finished, rough_array, rough_object
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, Table
from cutline.tables.breaks import FIXED, PERSISTING
from cutline.topics.headers import CONTENT_TYPE, SPECVERSION, declared_headers

EXCEPTION, BREAK = "exception", "break"
STATE_PROJECTED, STATE_ENDED = "state-projected", "state-ended"


@dataclass(frozen=True)
class EventSource:
    """Who tells it: the slice and the run, and the run's knowledge time, which records carry."""

    context: str
    region: str
    run_id: str
    recorded_at: dt.datetime

    @property
    def source(self) -> str:
        """The URI of who says it, as on the control topic."""
        return f"urn:cutline:{self.context}"


def exceptions(history: DataFrame, topic: str, run_id: str) -> DataFrame:
    """Of each exception of which the run changed the state: `exception-opened`, `exception-fixed`,
    `exception-reopened`; keyed by subject, else by the row's key or the rule."""
    key = F.coalesce("subject", "key", "rule")
    return _changes(history, EXCEPTION_HISTORY, EXCEPTION, key, topic, run_id)


def breaks(history: DataFrame, topic: str, run_id: str) -> DataFrame:
    """Of each break of which the run changed the state: `break-opened`, `break-fixed`,
    `break-reopened`; keyed by subject. One that persists is no news."""
    return _changes(history, BREAK_HISTORY, BREAK, F.col("subject"), topic, run_id)


def states(state: DataFrame, topic: str, aggregate: str) -> DataFrame:
    """Of each subject of an aggregate its state, for a compacted topic."""
    types = {f.name: f.dataType.simpleString() for f in state.schema.fields}
    return _record_rows(
        state,
        topic=F.lit(topic),
        type=F.lit(STATE_PROJECTED),
        key=F.col("subject"),
        occurrence=rough_array([F.lit(aggregate)], ["string"]),
        value=_whole(types),
    )


def tombstones(subjects: DataFrame) -> DataFrame:
    """Of each `subject` of an `aggregate` a record without a value, so that the compacted `topic`
    forgets its state."""
    return _record_rows(
        subjects,
        topic=F.col("topic"),
        type=F.lit(STATE_ENDED),
        key=F.col("subject"),
        occurrence=rough_array([F.col("aggregate")], ["string"]),
        value=F.lit(None).cast("string"),
    )


def records(events: DataFrame, teller: EventSource) -> DataFrame:
    """The records of all that is to be announced, with their `id` beside."""
    source, context, moment = F.lit(teller.source), F.lit(teller.context), F.lit(teller.recorded_at)
    # A select for each step: the next one repeats what it is given, and Spark would write it out.
    whole = events.withColumns({n: finished(F.col(n)) for n in ("occurrence", "value")})
    with_id = whole.withColumn(
        "id",
        event_id(source, context, F.col("type"), F.col("key"), F.col("occurrence"), F.lit(1)),
    )
    headers = {
        "ce_id": F.col("id"),
        "ce_migcontext": context,
        "ce_migregion": F.lit(teller.region),
        "ce_migrunid": F.lit(teller.run_id),
        "ce_source": source,
        SPECVERSION: F.lit("1.0"),
        "ce_subject": F.col("subject"),
        "ce_time": F.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"),
        "ce_type": F.col("type"),
        CONTENT_TYPE: F.lit("application/json"),
    }
    return with_id.select(
        "id",
        "topic",
        "key",
        declared_headers(headers).alias("headers"),
        "value",
        moment.alias("timestamp"),
    )


def _changes(
    history: DataFrame, table: Table, kind: str, key: Column, topic: str, run_id: str
) -> DataFrame:
    state = F.col("state")
    fixed_before = (state == FIXED) & (F.col("fixed_run") != run_id)
    news = history.where((state != PERSISTING) & ~fixed_before)
    # The same change of state has the same id, whoever tells it; the next one of the kind has not.
    occurrence = rough_array([F.col("id"), F.col("openings")], ["string", "int"])
    return _record_rows(
        news,
        topic=F.lit(topic),
        type=F.concat(F.lit(f"{kind}-"), state),
        key=key,
        occurrence=occurrence,
        value=_whole({c.name: c.type for c in table.columns}),
    )


def _whole(types: Mapping[str, str]) -> Column:
    """All columns of a row as one object; still rough."""
    return rough_object({n: F.col(f"`{n}`") for n in types}, types)


def _record_rows(
    rows: DataFrame, *, topic: Column, type: Column, key: Column, occurrence: Column, value: Column
) -> DataFrame:
    """What is to be told of each row, which has a `subject`; occurrence and value are rough."""
    return rows.select(
        topic.alias("topic"),
        type.alias("type"),
        key.alias("key"),
        "subject",
        occurrence.alias("occurrence"),
        value.alias("value"),
    )
