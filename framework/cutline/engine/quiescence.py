"""At rest: the facts of a source's last images, compared with those that a run has announced.

A run announces facts as changes raise them. The last images of all rows, translated as one
snapshot, must give no further lasting fact: each has been announced, under the same fact key.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER
from cutline.engine.announce import Lineage, candidate_events
from cutline.engine.frames import Frame, frame_of, step
from cutline.engine.restore import (
    LEFT_SUBJECT,
    RESTORE_END,
    ROW_GROUP,
    SIDE,
    RestoreOptions,
    accept_whole_changes,
    is_live,
    restore_changes,
    with_sides,
)
from cutline.engine.translate import Changes, Inputs, translate_changes
from cutline.tables import EVENTS
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.change import changes as changes_table
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part
from cutline.translator.rules import HOLDS
from cutline.translator.translator import Translator

MISSING_FACTS = Frame(
    "one fact that the run should have announced",
    frame_of(EVENTS).named(
        *("aggregate", "subject", "type", "migfactkey"),
        *("migsrcsystem", "migsrctable", "migsrckey"),
    ),
)


@step(returns=MISSING_FACTS)
def missing_facts(
    translator: type[Translator], inputs: Inputs, lineage: Lineage, announced: DataFrame
) -> DataFrame:
    """The lasting facts that hold in the last images, and that the run never announced.

    `announced` has the `migfactkey` of every candidate event of the run.
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
    missing = events.join(announced.select("migfactkey"), "migfactkey", "left_anti")
    return missing.select(*MISSING_FACTS.names)


def last_images(
    contract: type[SourceContract], changes: Changes, *, all_changes: bool = True
) -> Changes:
    """The rows of a table as its log leaves them, as a snapshot without a log.

    Without `all_changes`, those after the end of history are left out.
    """
    if not changes.changing:
        return changes
    part = Part(contract, contract.key())
    options = RestoreOptions(changes.lines, changes.features)
    placed = with_sides(changes.frame, changes.lines, changes.features)
    rows = (restore_changes if options.needed else accept_whole_changes)(placed, part, options)
    live = rows.where(is_live() & F.col(RESTORE_END).isNull())
    if not all_changes:
        live = live.where(F.col(SIDE) != AFTER)
    newest = F.struct("position", "partition", "offset", ~F.col(LEFT_SUBJECT))
    names = changes_table(contract.source(), contract.table(), contract.ddl()).names
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
