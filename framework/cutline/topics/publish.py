"""What a run found, as records of topics: CloudEvents in the binary binding.

Functions from DataFrame to DataFrame. Each result has one row per record, with the columns that
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
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, Table
from cutline.tables.breaks import FIXED, PERSISTING

EXCEPTION, BREAK = "exception", "break"
STATE_PROJECTED, STATE_ENDED = "state-projected", "state-ended"


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


def exception_records(history: DataFrame, teller: Teller) -> DataFrame:
    """A record per exception of which the run changed the state: `exception-opened`,
    `exception-fixed`, `exception-reopened`; keyed by subject, else by the row's key or the rule."""
    key = F.coalesce("subject", "key", "rule")
    return _changes(history, EXCEPTION_HISTORY, EXCEPTION, key, teller)


def break_records(history: DataFrame, teller: Teller) -> DataFrame:
    """A record per break of which the run changed the state: `break-opened`, `break-fixed`,
    `break-reopened`; keyed by subject. One that persists is no news."""
    return _changes(history, BREAK_HISTORY, BREAK, F.col("subject"), teller)


def state_records(state: DataFrame, aggregate: str, teller: Teller) -> DataFrame:
    """A record per subject of an aggregate's state, for a compacted topic."""
    types = {f.name: f.dataType.simpleString() for f in state.schema.fields}
    occurrence = rough_array([F.lit(aggregate)], ["string"])
    return _told(state, types, F.lit(STATE_PROJECTED), F.col("subject"), occurrence, teller)


def tombstone_records(subjects: DataFrame, aggregate: str, teller: Teller) -> DataFrame:
    """A record without a value per `subject`, so that a compacted topic forgets its state."""
    occurrence = rough_array([F.lit(aggregate)], ["string"])
    types = {"subject": "string"}
    told = _told(subjects, types, F.lit(STATE_ENDED), F.col("subject"), occurrence, teller)
    return told.withColumn("value", F.lit(None).cast("string"))


def _changes(history: DataFrame, table: Table, what: str, key: Column, teller: Teller) -> DataFrame:
    state = F.col("state")
    fixed_before = (state == FIXED) & (F.col("fixed_run") != teller.run_id)
    news = history.where((state != PERSISTING) & ~fixed_before)
    # The same change of state has the same id, whoever tells it; the next one of the kind has not.
    occurrence = rough_array([F.col("id"), F.col("openings")], ["string", "int"])
    types = {c.name: c.type for c in table.columns}
    return _told(news, types, F.concat(F.lit(f"{what}-"), state), key, occurrence, teller)


def _told(
    frame: DataFrame,
    types: Mapping[str, str],
    type: Column,
    key: Column,
    occurrence: Column,
    teller: Teller,
) -> DataFrame:
    source, context = F.lit(teller.source), F.lit(teller.context)
    moment = F.lit(teller.recorded_at)
    # A select for each step: the next one repeats what it is given, and Spark would write it out.
    rough = frame.select(
        key.alias("told_key"),
        type.alias("told_type"),
        F.col("subject").alias("told_subject"),
        occurrence.alias("occurrence"),
        rough_object({n: F.col(f"`{n}`") for n in types}, types).alias("value"),
    )
    whole = rough.withColumns({n: finished(F.col(n)) for n in ("occurrence", "value")})
    with_id = whole.withColumn(
        "told_id",
        event_id(
            source,
            context,
            F.col("told_type"),
            F.col("told_key"),
            F.col("occurrence"),
            F.lit(1),
        ),
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
        "ce_type": F.col("told_type"),
        "content-type": F.lit("application/json"),
    }
    pairs = [part for name, value in headers.items() for part in (F.lit(name), value)]
    return with_id.select(
        F.col("told_key").alias("key"),
        F.map_filter(F.create_map(*pairs), lambda _, value: value.isNotNull()).alias("headers"),
        "value",
        moment.alias("timestamp"),
    )
