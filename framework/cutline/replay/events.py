"""Raw records as events: their attributes, which of them are chosen, and what is none.

Functions from DataFrame to DataFrame.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.project.replay import ReplayRecords
from cutline.replay.request import NOTHING_SENT, ReplayRequest
from cutline.spark import json_text
from cutline.spark.condition import refusal_of_condition
from cutline.spark.value_errors import VALUE_ERRORS
from cutline.topics.cloudevents import (
    UNREADABLE,
    UNREADABLE_BECAUSE,
    fault_of_time,
    time_of,
)
from cutline.topics.headers import mapped_header
from cutline.topics.live.attributes import as_cloudevents, place_text
from cutline.wording import first_line

CONDITION = (
    "type string, subject string, key string, id string, source string, time timestamp, "
    "version int, data string"
)
"""What a condition may look at; `data` is the payload's JSON, of its newest version."""

PASSED, REPLAYED, WAITING, EXCEPTION = "filtered", "replayed", "waiting", "exception"
"""What becomes of a record: it was not asked for; it is sent; it waits behind an exception of its
key; nobody can read, evolve or translate it."""
NO_EVENT = "no-event"
"""And of one whose translator announces no event of it."""
ASIDE = (EXCEPTION, WAITING)
"""Of these the records are kept beside, for a person."""
DOMAIN_EVENTS = "domain_events"
"""The column of what a translator announces of a record: key, headers and value of each event."""
BEHIND = "waits-behind-an-exception"

_REQUIRED = ("specversion", "id", "source", "type", "subject", "time")
_DATED_VERSION = r":([0-9]{1,9})$"


def events_of(raw: DataFrame, section: ReplayRecords, *, own_keys: bool) -> DataFrame:
    """The records as CloudEvents in the binary mode, and their attributes as columns.

    `reason` is the name of why one is no event, null for others, and `why` says it. Records of an
    archive without keys have their subjects' (unless they have `own_keys`).
    """
    records = raw.where(~F.col("blank")).select(
        "*",
        F.col("number").alias("offset"),
        F.timestamp_micros("micros").alias("timestamp"),
    )
    version = section.version
    in_whole_value = version is not None and section.format == "json"
    if version is not None and in_whole_value:
        records = _with_version(records, place_text(version))
    events = as_cloudevents(records, section)
    if version is not None and not in_whole_value:
        events = _with_version(events, place_text(version))
    elif version is None:
        number = F.regexp_extract(_attribute("dataschema"), _DATED_VERSION, 1)
        events = events.withColumn("version", number.try_cast("int"))
    attributes = events.select(
        *("turn", "file", "number", "topic", "partition", "micros", "headers", "value", "content"),
        *("defect", "explanation", "writer", "version"),
        F.col("key").alias("record_key"),
        *(_attribute(name).alias(name) for name in ("type", "subject", "id", "source")),
        F.coalesce(_attribute("partitionkey"), _attribute("subject")).alias("subject_key"),
        time_of(_attribute("time")).alias("time"),
    )
    key = F.col("record_key")
    lacking = _lacking()
    return attributes.withColumns(
        {
            "key": key if own_keys else F.coalesce(key, "subject_key"),
            "why": F.coalesce("explanation", lacking),
            "reason": F.coalesce("defect", F.when(lacking.isNotNull(), F.lit(UNREADABLE))),
        }
    ).drop("record_key", "subject_key", "defect", "explanation")


def _with_version(records: DataFrame, text: Column) -> DataFrame:
    parsed = json_text.with_object(records, F.col("value"), "parsed")
    return parsed.withColumn("version", text.try_cast("int")).drop("parsed")


def _attribute(name: str) -> Column:
    return mapped_header(f"ce_{name}")


def _lacking() -> Column:
    """What an event must have and a record has not; null where it is one."""
    texts = {name: F.coalesce(_attribute(name), F.lit("")) for name in _REQUIRED}
    return F.coalesce(
        mapped_header(UNREADABLE_BECAUSE),
        *(F.when(text == "", F.lit(f"it has no ce_{name}")) for name, text in texts.items()),
        fault_of_time(_attribute("time")),
    )


def asked_for(request: ReplayRequest) -> Column:
    """Whether a record is within the window, and of the keys and types that are asked for. One that
    does not tell its time or type is."""
    conditions = [F.lit(True)]
    if request.begin is not None:
        conditions.append(F.coalesce(F.col("time") >= F.lit(request.begin), F.lit(True)))
    if request.end is not None:
        conditions.append(F.coalesce(F.col("time") < F.lit(request.end), F.lit(True)))
    if request.keys:
        conditions.append(F.coalesce(F.col("key").isin(*request.keys), F.lit(False)))
    if request.types:
        conditions.append(F.coalesce(F.col("type").isin(*request.types), F.lit(True)))
    chosen = conditions[0]
    for condition in conditions[1:]:
        chosen = chosen & condition
    return chosen


def refuse_condition(sql: str, rows: DataFrame, hint: str = "") -> None:
    """ConfigurationError, with a hint about the columns, for a condition that is no SQL over those
    of the rows."""
    try:
        reason = refusal_of_condition(rows.sparkSession, sql, rows.columns)
        if reason is None:
            rows.where(sql).schema  # noqa: B018 - Spark analyses it
            return
    except (AnalysisException, ParseException) as error:
        reason = first_line(error)
    raise _refused(sql, reason, f"It sees the columns {', '.join(rows.columns)}{hint}.")


@contextmanager
def failing_on_values(sql: str | None) -> Iterator[None]:
    """ConfigurationError, with Spark's reason, where a condition fails on a value within. Without a
    condition whatever fails is raised as it is."""
    try:
        yield
    except VALUE_ERRORS as error:
        if sql is None:
            raise
        reason = first_line(error)
        raise _refused(sql, reason, "Write it so that it holds for any value.") from error


def _refused(sql: str, reason: str, next_step: str) -> ConfigurationError:
    return ConfigurationError(
        f"--where {sql!r} cannot be applied: {reason}",
        left_behind=NOTHING_SENT,
        next_step=next_step,
    )


def with_outcomes(events: DataFrame, where: str | None) -> DataFrame:
    """The events with `outcome`: what becomes of each by itself."""
    holds = F.lit(True) if where is None else F.coalesce(F.expr(f"(\n{where}\n)"), F.lit(False))
    outcome = (
        F.when(F.col("reason").isNotNull(), F.lit(EXCEPTION))
        .when(~holds, F.lit(PASSED))
        .otherwise(F.lit(REPLAYED))
    )
    return events.withColumn("data", F.col("value")).withColumn("outcome", outcome).drop("data")


def with_waiting(events: DataFrame) -> DataFrame:
    """The events, of which those wait that come behind an exception of their key, and say so."""
    before = (
        Window.partitionBy("key")
        .orderBy("file", "number")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    stopped = F.max(F.col("outcome") == EXCEPTION).over(before)
    waits = (F.col("outcome") == REPLAYED) & F.col("key").isNotNull() & stopped
    texts = {"outcome": WAITING, "reason": BEHIND, "why": _STOPPED}
    return (
        events.withColumn("is_waiting", F.coalesce(waits, F.lit(False)))
        .withColumns(
            {
                name: F.when(F.col("is_waiting"), F.lit(text)).otherwise(F.col(name))
                for name, text in texts.items()
            }
        )
        .drop("is_waiting")
    )


_STOPPED = "an earlier record of its key is an exception"


def with_turns(raw: DataFrame) -> DataFrame:
    """The records of partitions with `turn`: by it, then file and number, they are in one order in
    which each partition keeps its own, and they alternate as time goes.

    The turn of a record is the latest time of its partition so far.
    """
    parts = raw.groupBy("file", "start").agg(F.max("latest").alias("latest"))
    before, entries = 0, []
    file = None
    for row in parts.orderBy("file", "start").collect():
        before = before if row["file"] == file else 0
        file = row["file"]
        entries += [F.lit(f"{file} {row['start']}"), F.lit(before)]
        before = max(before, row["latest"] or 0)
    if not entries:
        return raw.withColumn("turn", F.lit(0).cast("bigint"))
    place = F.concat_ws(" ", "file", "start")
    earlier = F.try_element_at(F.create_map(*entries), place).cast("bigint")
    return raw.withColumn("turn", F.greatest(F.coalesce("latest", F.lit(0)), earlier))
