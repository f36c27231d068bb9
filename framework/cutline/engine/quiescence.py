"""At rest: what a source's last images mean, to be held against what a run has told of them.

A run tells facts as changes raise them. The last image of each row, read as if a snapshot had been
taken at the end, must not say more: what holds there and lasts was told, under the same fact key.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER
from cutline.engine.announce import Lineage, candidate_events
from cutline.engine.restore import (
    LEFT,
    RESTORE_END,
    ROW_GROUP,
    RestoreOptions,
    accept_whole_changes,
    is_live,
    restore_changes,
    with_sides,
)
from cutline.engine.translate import Changes, Inputs, translate_changes
from cutline.tables.change import DELETE, SNAPSHOT, changes
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part
from cutline.translator.rules import HOLDS
from cutline.translator.translator import Translator


def missing_facts(
    translator: type[Translator], inputs: Inputs, lineage: Lineage, told: DataFrame
) -> DataFrame:
    """One row per lasting fact that holds in the last images and that the run never told.

    `told` has the `migfactkey` of every candidate event of the run. Columns: `aggregate`,
    `subject`, `type`, `migfactkey`, and `migsrcsystem`, `migsrctable` and `migsrckey` of the row.
    """
    parts = {part.contract for part in translator.parts.values()}
    used = parts | {lookup.contract for lookup in translator.lookups.values()}
    # Reference data counts as it was at the end of history, as it does in a run.
    at_rest = {
        contract: last_images(contract, inputs[contract], all_changes=contract in parts)
        for contract in used
    }
    events = candidate_events(translate_changes(translator, at_rest), lineage)
    events = events.where(F.col("type").isin(_lasting(translator)))
    missing = events.join(told.select("migfactkey"), "migfactkey", "left_anti")
    return missing.select(
        "aggregate", "subject", "type", "migfactkey", "migsrcsystem", "migsrctable", "migsrckey"
    )


def last_images(
    contract: type[SourceContract], given: Changes, *, all_changes: bool = True
) -> Changes:
    """The rows of a table as its log leaves them, as a snapshot without a log.

    Without `all_changes`, those after the end of history are left out.
    """
    if not given.changing:
        return given
    part = Part(contract, contract.key())
    how = RestoreOptions(given.lines, given.features)
    placed = with_sides(given.frame, given.lines, given.features)
    rows = (restore_changes if how.needed else accept_whole_changes)(placed, part, how)
    live = rows.where(is_live() & F.col(RESTORE_END).isNull())
    if not all_changes:
        live = live.where(F.col("side") != AFTER)
    newest = F.struct("position", "partition", "offset", ~F.col(LEFT))
    names = [c.name for c in changes(contract.source(), contract.table(), contract.ddl()).columns]
    last = live.groupBy(ROW_GROUP).agg(
        F.max_by(F.struct(*(F.col(f"`{name}`") for name in names)), newest).alias("last")
    )
    present = last.where((F.col("last.op") != DELETE) & F.col("last.after").isNotNull())
    nothing = {
        name: F.lit(None) for name in ("before", "old_key", "unknown", "partition", "offset")
    }
    shown = {"op": F.lit(SNAPSHOT), **nothing}
    frame = present.select("last.*")
    types = {field.name: field.dataType for field in frame.schema.fields}
    return Changes(
        frame.withColumns({name: column.cast(types[name]) for name, column in shown.items()})
    )


def _lasting(translator: type[Translator]) -> list[str]:
    """The types of events that only facts announce which, once true, still show in a snapshot."""
    passing = {
        fact.event.event_type() for fact in translator.facts if fact.transient or fact.kind != HOLDS
    }
    return sorted({fact.event.event_type() for fact in translator.facts} - passing)
