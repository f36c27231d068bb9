"""Translation: each change gets its one disposition and the events it announces."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.cut import after_cut
from cutline.engine.classify import classified, readable
from cutline.engine.decide import end
from cutline.engine.facts import all_of, announced, no_events
from cutline.engine.images import GROUP, PART, STANDS_FOR, composed_images, own_images
from cutline.engine.lookups import join_lookup, lookup_table
from cutline.engine.row import AFTER, BEFORE, image
from cutline.tables.change import SNAPSHOT
from cutline.tables.disposition import EXCEPTIONAL, NO_OP, TRANSLATED
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part
from cutline.translator.translator import Translator

_COLUMNS = (
    "source",
    "table",
    "key",
    "op",
    "position",
    "transaction",
    "source_time",
    "extract_time",
    "payload",
    "subject",
    "aggregate",
    "disposition",
    "rule",
    "reason",
    "checks",
    "events",
    "translator",
    "version",
)


@dataclass(frozen=True)
class Changes:
    """The changes of one source table: what a translator reads.

    `consistent_point` is the position of the snapshot where the source has a change file, else
    null: then every row is a snapshot row.
    """

    frame: DataFrame
    consistent_point: str | None = None


Inputs = Mapping[type[SourceContract], Changes]


def translated(translator: type[Translator], inputs: Inputs, cut: dt.datetime) -> DataFrame:
    """One row per change of the translator's parts: its disposition, and its events.

    Only changes committed up to the cut count as reference data. `events` is an array of
    EVENT_STRUCT.
    """
    primary = next(iter(translator.parts))
    frame = _images(translator, inputs)
    changing = _changing(translator, inputs)
    for name, lookup in translator.lookups.items():
        given = inputs[lookup.contract]
        usable = readable(given.frame, lookup.contract, given.consistent_point).where(
            ~after_cut(F.col("source_time"), cut)
        )
        table = lookup_table(lookup, usable, given.consistent_point is not None)
        frame = join_lookup(frame, name, lookup, table, primary, changing)
    judged = _judged(translator, frame, changing)
    if changing or len(translator.parts) > 1:
        judged = _shared_with_siblings(judged)
    return judged.select(*_COLUMNS)


def reference_rows(contract: type[SourceContract], given: Changes) -> DataFrame:
    """The dispositions of rows that are only looked up: they never raise a fact."""
    looked = classified(given.frame, Part(contract, contract.key()), given.consistent_point)
    none = F.lit(None).cast("string")
    return looked.select(
        *_COLUMNS[:8],
        F.when(
            F.col("row_disposition").isNotNull(), F.coalesce("payload", F.to_json("after"))
        ).alias("payload"),
        none.alias("subject"),
        none.alias("aggregate"),
        F.coalesce("row_disposition", F.lit(NO_OP)).alias("disposition"),
        F.coalesce("row_rule", F.lit("reference-data")).alias("rule"),
        F.coalesce("row_reason", F.lit("looked up by others; it announces nothing")).alias(
            "reason"
        ),
        F.col("row_checks").alias("checks"),
        no_events().alias("events"),
        none.alias("translator"),
        none.alias("version"),
    )


def _changing(translator: type[Translator], inputs: Inputs) -> bool:
    return any(inputs[p.contract].consistent_point is not None for p in translator.parts.values())


def _images(translator: type[Translator], inputs: Inputs) -> DataFrame:
    looked = {
        name: classified(inputs[p.contract].frame, p, inputs[p.contract].consistent_point)
        for name, p in translator.parts.items()
    }
    if len(looked) == 1 and not _changing(translator, inputs):
        name, only = next(iter(looked.items()))
        return own_images(name, only)
    return composed_images(translator, looked)


def _judged(translator: type[Translator], frame: DataFrame, changing: bool) -> DataFrame:
    """Each image with its end and, where it stands for itself, the events it announces."""
    facts = [
        announced(translator, rule, i, frame, changing)
        for i, rule in enumerate(translator.facts, start=1)
    ]
    # Events are built once, in a column of their own, before anything is decided by them.
    frame = frame.withColumn("candidates", all_of(facts))
    faults = F.filter(
        F.transform("candidates", lambda event: event.getField("fault")),
        lambda fault: fault.isNotNull(),
    )
    frame = frame.withColumn("fault", F.get(faults, 0)).withColumn("end", end(translator, changing))
    disposition = F.col("end.disposition")
    own = [
        F.when(F.col(PART) == name, F.to_json(F.coalesce(image(AFTER, name), image(BEFORE, name))))
        for name in translator.parts
    ]
    return frame.select(
        *(c for c in _COLUMNS[:8]),
        F.when(disposition.isin(*EXCEPTIONAL), F.coalesce("payload", *own)).alias("payload"),
        "subject",
        F.lit(translator.aggregate).alias("aggregate"),
        "end.*",
        F.col("row_checks").alias("checks"),
        F.when((disposition == TRANSLATED) & F.col(STANDS_FOR), F.col("candidates"))
        .otherwise(no_events())
        .alias("events"),
        F.lit(translator.name()).alias("translator"),
        F.lit(translator.version).alias("version"),
        F.col("row_disposition").isNull().alias("was_readable"),
        STANDS_FOR,
        GROUP,
    )


def _shared_with_siblings(judged: DataFrame) -> DataFrame:
    """Snapshot rows that another stands for take the disposition of that one."""
    of_group = Window.partitionBy(GROUP)
    ours = F.struct("disposition", "rule", "reason")
    stands = F.col(STANDS_FOR) & (F.col("op") == SNAPSHOT) & F.col("was_readable")
    leader = F.first(F.when(stands, ours), ignorenulls=True).over(of_group)
    shares = ~F.col(STANDS_FOR) & F.col("was_readable")
    shared = judged.withColumn("leader", leader)
    for name in ("disposition", "rule", "reason"):
        shared = shared.withColumn(
            name, F.when(shares, F.col(f"leader.{name}")).otherwise(F.col(name))
        )
    return shared
