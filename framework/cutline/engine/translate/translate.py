"""Translation: each change gets its one disposition, and the events that it announces."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.announce import (
    ANNOUNCED,
    EVENTS_ANNOUNCED,
    FALLEN_TYPES,
    FALLEN_WITHIN,
    TRANSLATED_CHANGES,
    TRANSLATOR,
    VERSION,
)
from cutline.engine.compose import CHANGE_REFERENCE, SKEW, is_composed
from cutline.engine.decide import may_hold_rows, release_held_rows, share_ends
from cutline.engine.end import end
from cutline.engine.facts import no_events
from cutline.engine.frames import step
from cutline.engine.restore import LEFT_SUBJECT, ROW_CHECKS, ROW_END
from cutline.engine.translate.decided import with_decisions
from cutline.engine.translate.images import classified_reference, images_of
from cutline.engine.translate.inputs import Changes, Inputs, has_changes, rereading_sources
from cutline.tables.disposition import NO_OP
from cutline.translator.checks import unique_columns
from cutline.translator.contract import SourceContract
from cutline.translator.translator import Translator


@step(returns=TRANSLATED_CHANGES)
def translate_changes(translator: type[Translator], inputs: Inputs) -> DataFrame:
    """One row per change of the translator's parts, with its disposition and its events.

    Looked-up rows are as of the cut or before, never after it.
    """
    frame = images_of(translator, inputs)
    changing = has_changes(translator, inputs)
    rows = with_decisions(translator, frame, changing, rereading_sources(translator, inputs))
    if changing or is_composed(translator):
        rows = share_ends(rows)
    if changing and may_hold_rows(translator):
        rows = release_held_rows(rows)
    return rows.withColumn(FALLEN_WITHIN, F.size(FALLEN_TYPES)).select(*TRANSLATED_CHANGES.names)


def worth_caching(translator: type[Translator], inputs: Inputs) -> bool:
    """Whether to cache the frame of `translate_changes`, which two tables are written from.

    It pays where rows are exchanged, joined or sent to Python. Otherwise the frame is a projection
    of a table, and each reader computes only the columns that it needs.
    """
    contracts = [part.contract for part in translator.parts.values()]
    return (
        is_composed(translator)
        or bool(translator.lookups)
        or has_changes(translator, inputs)
        or any(fact.per_row for fact in translator.facts)
        or any(True for contract in contracts for _ in unique_columns(contract))
    )


@step(returns=TRANSLATED_CHANGES)
def reference_rows(
    contract: type[SourceContract], changes: Changes, *, looked_up: bool = True
) -> DataFrame:
    """One row per change of a table that translators only look up, or count in views.

    `looked_up` says which of the two. Such rows announce no events.
    """
    rows = classified_reference(contract, changes)
    label, reason = "reference-data", "looked up by others; it announces nothing"
    if not looked_up:
        label = "seen-in-commits"
        reason = "seen by others in the commit that made it; it announces nothing"
    unannounced = end(NO_OP, F.lit(label), F.lit(reason))
    none = F.lit(None).cast("string")
    return rows.withColumn("looked_end", F.coalesce(ROW_END, unannounced)).select(
        *CHANGE_REFERENCE,
        F.when(F.col(ROW_END).isNotNull(), F.coalesce("payload", F.to_json("after"))).alias(
            "payload"
        ),
        none.alias("subject"),
        none.alias("aggregate"),
        "looked_end.*",
        F.col(ROW_CHECKS).alias("checks"),
        no_events().alias(EVENTS_ANNOUNCED),
        F.lit(0).alias(ANNOUNCED),
        none.alias(TRANSLATOR),
        none.alias(VERSION),
        none.alias("finding"),
        none.alias("finding_reason"),
        F.lit(None).cast("bigint").alias(SKEW),
        F.lit(0).alias(FALLEN_WITHIN),
        F.col(LEFT_SUBJECT) if changes.changing else F.lit(False).alias(LEFT_SUBJECT),
    )
