"""What a run found, as records of topics: CloudEvents in the binary binding.

Functions from DataFrame to DataFrame. Each result has one row per row given, with the columns that
topics take: key, headers (map<string,string>), value (canonical JSON text) and timestamp. Ids do
not name the run: what the next run finds again has the same id again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.identity.columns import event_id, finished, rough_array, rough_object
from cutline.tables import BREAKS, EXCEPTIONS, Table

EXCEPTION_RAISED, BREAK_FOUND, STATE_PROJECTED, STATE_ENDED = (
    "exception-raised",
    "break-found",
    "state-projected",
    "state-ended",
)


@dataclass(frozen=True)
class Teller:
    """Who tells it: the slice and the run, and the run's knowledge time, which records carry."""

    context: str
    region: str
    run_id: str
    recorded_at: dt.datetime

    @property
    def source(self) -> str:
        """The URI of who says it, as on the control topic."""
        return f"urn:cutline:{self.context}"


def exception_records(exceptions: DataFrame, teller: Teller) -> DataFrame:
    """A record per exception, keyed by subject; where it is not known, by the row's key or rule."""
    identity = ("rule", "level", "source", "table", "key", "position", "event_id", "payload")
    key = F.coalesce("subject", "key", "rule")
    return _records(exceptions, EXCEPTIONS, EXCEPTION_RAISED, key, identity, teller)


def break_records(breaks: DataFrame, teller: Teller) -> DataFrame:
    """A record per break, keyed by subject."""
    identity = ("level", "name", "kind", "column", "legacy", "new")
    return _records(breaks, BREAKS, BREAK_FOUND, F.col("subject"), identity, teller)


def state_records(state: DataFrame, aggregate: str, teller: Teller) -> DataFrame:
    """A record per subject of an aggregate's state, for a compacted topic."""
    types = {f.name: f.dataType.simpleString() for f in state.schema.fields}
    occurrence = rough_array([F.lit(aggregate)], ["string"])
    return _told(state, types, STATE_PROJECTED, F.col("subject"), occurrence, teller)


def tombstone_records(subjects: DataFrame, aggregate: str, teller: Teller) -> DataFrame:
    """A record without a value per `subject`, so that a compacted topic forgets its state."""
    occurrence = rough_array([F.lit(aggregate)], ["string"])
    types = {"subject": "string"}
    told = _told(subjects, types, STATE_ENDED, F.col("subject"), occurrence, teller)
    return told.withColumn("value", F.lit(None).cast("string"))


def _records(
    frame: DataFrame,
    table: Table,
    type: str,
    key: Column,
    identity: tuple[str, ...],
    teller: Teller,
) -> DataFrame:
    occurrence = rough_array([F.col(f"`{c}`") for c in identity], ["string"] * len(identity))
    types = {c.name: c.type for c in table.columns}
    return _told(frame, types, type, key, occurrence, teller)


def _told(
    frame: DataFrame,
    types: Mapping[str, str],
    type: str,
    key: Column,
    occurrence: Column,
    teller: Teller,
) -> DataFrame:
    source, context = F.lit(teller.source), F.lit(teller.context)
    moment = F.lit(teller.recorded_at)
    # A select for each step: the next one repeats what it is given, and Spark would write it out.
    rough = frame.select(
        key.alias("told_key"),
        F.col("subject").alias("told_subject"),
        occurrence.alias("occurrence"),
        rough_object({n: F.col(f"`{n}`") for n in types}, types).alias("value"),
    )
    whole = rough.withColumns({n: finished(F.col(n)) for n in ("occurrence", "value")})
    with_id = whole.withColumn(
        "told_id",
        event_id(source, context, F.lit(type), F.col("told_key"), F.col("occurrence"), F.lit(1)),
    )
    headers = {
        "ce_id": F.col("told_id"),
        "ce_migcontext": context,
        "ce_migregion": F.lit(teller.region),
        "ce_migrunid": F.lit(teller.run_id),
        "ce_source": source,
        "ce_specversion": F.lit("1.0"),
        "ce_subject": F.col("told_subject"),
        "ce_time": F.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"),
        "ce_type": F.lit(type),
        "content-type": F.lit("application/json"),
    }
    pairs = [part for name, value in headers.items() for part in (F.lit(name), value)]
    return with_id.select(
        F.col("told_key").alias("key"),
        F.map_filter(F.create_map(*pairs), lambda _, value: value.isNotNull()).alias("headers"),
        "value",
        moment.alias("timestamp"),
    )
