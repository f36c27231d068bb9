"""The end of each change by itself: visible in the snapshot, unreadable, against its contract."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER, BEFORE, OVERLAP, CutLines, CutPolicy
from cutline.engine.end import end
from cutline.engine.frames import FrameColumn, step
from cutline.engine.restore.arrival import with_positions_by_arrival
from cutline.engine.restore.checks import (
    contract_checks,
    failed_rules,
    failure_reasons,
    no_rules,
    with_duplicate_flags,
    without_duplicate_flags,
)
from cutline.engine.restore.existing_rows import with_existed_before
from cutline.engine.restore.frames import (
    EXISTED_BEFORE,
    RESTORE_END,
    RESTORED_COLUMNS,
    ROW_CHECKS,
    ROW_END,
    SIDE,
    SNAPSHOT_SIDE,
    changes_frame,
    side_columns,
    snapshot_rows,
)
from cutline.engine.restore.options import ChangeFeatures
from cutline.engine.restore.restore import (
    RestoreOptions,
    accept_snapshot_rows,
    accept_whole_changes,
    restore_changes,
)
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.disposition import QUARANTINED, UNKNOWN_COMMIT, VISIBLE
from cutline.translator.contract import SourceContract
from cutline.translator.part import Part

SHOWN_BY_SNAPSHOT = "committed-before-the-snapshot"
"""The rule of a change that was committed before its source's snapshot was taken."""


@step(needs=changes_frame, adds=side_columns)
def with_sides(changes: DataFrame, lines: CutLines, features: ChangeFeatures) -> DataFrame:
    """The changes with SIDE, and SNAPSHOT_SIDE where the source has a log; each with a position."""
    sides: dict[str, Column] = {SIDE: lines.history.side() if lines.history else F.lit(BEFORE)}
    if lines.snapshot is not None:
        # A deletion that two extracts show is no log's: it lies at the end of the snapshot.
        compared = (F.col("op") == DELETE) & F.col("offset").isNull()
        sides[SIDE] = F.when(compared, F.lit(BEFORE)).otherwise(sides[SIDE])
        sides[SNAPSHOT_SIDE] = F.when(compared, F.lit(AFTER)).otherwise(lines.snapshot.side())
    changes = changes.withColumns(sides)
    return (
        with_positions_by_arrival(changes, in_line=features.in_line)
        if features.unplaced
        else changes
    )


def _classified(options: RestoreOptions) -> tuple[FrameColumn, ...]:
    restored = (
        RESTORED_COLUMNS if options.lines.snapshot is None else (*RESTORED_COLUMNS, RESTORE_END)
    )
    return (*restored, ROW_END, ROW_CHECKS, EXISTED_BEFORE)


@step(needs=snapshot_rows, adds=_classified)
def classify_changes(
    changes: DataFrame, part: Part, options: RestoreOptions, *, counted: bool = True
) -> DataFrame:
    """The placed changes, restored where their source has a log, with the end of each by itself.

    `counted` says that EXISTED_BEFORE is needed; else it is false.
    """
    logged = options.lines.snapshot is not None
    if not logged:
        # Before the checks, not after them: there Spark computes it in the same step.
        rows = accept_snapshot_rows(changes, part)
    else:
        rows = (restore_changes if options.needed else accept_whole_changes)(changes, part, options)
    rows = _with_row_end(rows, part.contract, options.lines)
    return with_existed_before(rows, part, logged=logged and counted)


def _with_row_end(changes: DataFrame, contract: type[SourceContract], lines: CutLines) -> DataFrame:
    """The changes with ROW_END and ROW_CHECKS."""
    logged, visible, shown = F.lit(False), F.lit(False), F.lit(BEFORE)
    if lines.snapshot is not None:
        shown = F.col(SNAPSHOT_SIDE)
        logged = F.col("op") != SNAPSHOT
        visible = F.coalesce(logged & (shown == BEFORE), F.lit(False))
    changes = with_duplicate_flags(changes, contract)
    checks = contract_checks(contract, changes, F.col("after"))
    unreadable = F.size("defects") > 0
    # A deletion has no values left to check; what could not be read has its own reasons.
    checked = changes.withColumn(
        ROW_CHECKS,
        F.when(visible, no_rules())
        .when(unreadable, F.col("defects"))
        .when(F.col("after").isNotNull(), failed_rules(checks))
        .otherwise(no_rules()),
    )
    shown_end = end(
        VISIBLE,
        F.lit(SHOWN_BY_SNAPSHOT),
        F.lit("the snapshot already shows what this change did"),
    )
    overlap_end = end(
        QUARANTINED,
        F.lit("overlap-zone"),
        F.lit("it may be on either side of the cut line: compare it with the snapshot by hand"),
    )
    lacking = F.lit(None) if lines.snapshot is None else F.col(RESTORE_END)
    in_overlap = F.lit(False)
    for policy, side in ((lines.snapshot, shown), (lines.history, F.col(SIDE))):
        if policy is not None and policy.holds_overlap:
            in_overlap = in_overlap | (side == OVERLAP)
    why = F.when(
        unreadable, F.concat(F.lit("the row could not be read: "), F.concat_ws(", ", "defects"))
    ).otherwise(
        F.concat(F.lit("the row breaks its contract: "), failure_reasons(checks, F.col(ROW_CHECKS)))
    )
    broken = end(QUARANTINED, F.get(ROW_CHECKS, 0), why)
    return without_duplicate_flags(checked).withColumn(
        ROW_END,
        F.when(visible, shown_end)
        .when(unreadable, broken)
        .when(logged & shown.isNull(), _unplaced(lines.snapshot, contract))
        .when(logged & F.col(SIDE).isNull(), _unplaced(lines.history, contract))
        .when(in_overlap, overlap_end)
        .when(lacking.isNotNull(), lacking)
        .when(F.size(ROW_CHECKS) > 0, broken),
    )


def _unplaced(policy: CutPolicy | None, contract: type[SourceContract]) -> Column:
    """The end of a change that a cut line cannot place; its reason names what is not known."""
    doubt = None if policy is None else policy.why_unplaced(contract.source())
    why = doubt or f"{contract.source()} does not tell where in its log it was committed"
    return end(QUARANTINED, F.lit(UNKNOWN_COMMIT), F.lit(why))
