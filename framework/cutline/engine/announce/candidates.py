"""Candidate events: one row each, with ids, fact keys and lineage, from translated changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.announce.frames import TRANSLATED_CHANGES
from cutline.engine.frames import frame_of, step
from cutline.identity import columns as identity
from cutline.tables.event import EVENTS, SYNTHETIC


@dataclass(frozen=True)
class Lineage:
    """What all synthetic events of a run have in common.

    `batches` has, by source, the id of the extract that its events came with.
    """

    context: str
    region: str
    run_id: str
    recorded_at: Column
    batches: Mapping[str, str] = field(default_factory=dict)


@step(needs=TRANSLATED_CHANGES, returns=frame_of(EVENTS))
def candidate_events(translated: DataFrame, lineage: Lineage) -> DataFrame:
    """One row per event that a change announces, in the columns of EVENTS."""
    context = F.lit(lineage.context)
    # One select after the explode: Spark computes what several columns share once, and does not
    # copy the rows for each of several selects.
    flat = translated.select("*", F.explode("events").alias("event"))
    kind, subject = F.col("event.type"), F.col("event.subject")
    rough = F.col("event.occurrence")
    # One test of all texts that may hold control characters: hardly any do.
    controls = identity.has_controls(F.col("event.data"), rough, subject)
    occurrence = identity.finished(rough, controls)
    fact_text = identity.fact_text(context, kind, subject, occurrence, controls, plain=True)
    source = F.concat(F.lit(f"urn:cutline:{lineage.context}:"), F.col("source"))
    major = F.substring_index("version", ".", 1).cast("int")
    none = F.lit(None).cast("string")
    batch = none
    for name, extract in lineage.batches.items():
        batch = F.when(F.col("source") == name, F.lit(extract)).otherwise(batch)
    columns: dict[str, Column] = {
        "id": identity.event_id_of(source, fact_text, major, plain=True),
        "source": source,
        "type": kind,
        "subject": subject,
        "time": F.col("event.time"),
        "datacontenttype": F.lit("application/json"),
        "dataschema": F.col("event.schema"),
        "partitionkey": subject,
        "sequence": F.concat_ws("-", "position", F.col("event.ordinal")),
        "recordedtime": lineage.recorded_at,
        "migorigin": F.lit(SYNTHETIC),
        "migreplaysafe": F.col("event.replaysafe"),
        "migconfidence": F.col("event.confidence"),
        "migtimebasis": F.col("event.basis"),
        "migsrcsystem": F.col("source"),
        "migsrctable": F.col("table"),
        "migsrckey": F.col("key"),
        "migsrcpos": F.col("position"),
        "migsrctx": F.col("transaction"),
        "migsrctime": F.col("source_time"),
        "migextracttime": F.col("extract_time"),
        "migtranslator": F.col("translator"),
        "migtranslatorver": F.col("version"),
        "migbatchid": batch,
        "migrunid": F.lit(lineage.run_id),
        "migregion": F.lit(lineage.region),
        "migcontext": context,
        "migfactkey": identity.fact_key_of(fact_text),
        "migsupersedes": none,
        "aggregate": F.col("event.aggregate"),
        "side": F.col("side"),
        "data": identity.finished(F.col("event.data"), controls),
    }
    return flat.select(*(columns[name].alias(name) for name in EVENTS.names))
