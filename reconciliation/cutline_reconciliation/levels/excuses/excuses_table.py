"""The table `excuses` of a run: subjects that are not judged, by level, with their evidence."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.results.reconcile import LevelResults
from cutline.spark.no_rows import no_rows
from cutline.stages.books import check_balance
from cutline.tables import EXCUSES, OUTCOMES
from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline.tables.evidence import EVIDENCE
from cutline.tables.outcome import EXPLAINED, LATE, NOT_ELIGIBLE
from cutline.workspace import Workspace
from cutline_reconciliation.levels.excuses.evidence import evidence_columns
from cutline_reconciliation.levels.excuses.exceptions import (
    own_evidence,
    own_rule,
    whole_evidence,
)

_ENTITY_LEVELS = (RECORD, STATE)
_AFTER = "changed after the end of history"


def write_excuses(
    workspace: Workspace, subjects: DataFrame | None, summary: LevelResults
) -> TableWritten:
    """Write `excuses` from the differing subjects (`BreaksWritten.subjects`) and from `outcomes`.

    ConservationError unless there are as many as the levels count.
    """
    lake, spark = workspace.lake, workspace.spark
    expected = _expected(summary)
    frames = [] if subjects is None else [subject_excuses(subjects)]
    frames.append(decision_excuses(lake.read(spark, OUTCOMES)))
    rows = reduce(DataFrame.unionByName, frames) if expected else no_rows(spark, EXCUSES.ddl)
    written = lake.write(rows, EXCUSES).table
    check_balance("subjects that are not judged", expected, written.rows)
    return written


def subject_excuses(subjects: DataFrame) -> DataFrame:
    """The excuses at record and state level, in the columns of EXCUSES.

    Late and not eligible subjects are judged at neither level.
    """
    aside = F.col("class").isin(LATE, NOT_ELIGIBLE)
    reason = F.coalesce("reason", F.lit(_AFTER))
    of_whole = F.col("record_rule").isNotNull() & own_rule().isNull()
    excuses = F.array(
        *(_excuse(aside, of, F.col("class"), reason, F.col("evidence")) for of in _ENTITY_LEVELS),
        _excuse(
            F.col("record_rule").isNotNull(),
            RECORD,
            F.lit(EXPLAINED),
            F.col("record_rule"),
            F.when(of_whole, whole_evidence()).otherwise(own_evidence()),
        ),
        _excuse(
            F.col("state_rule").isNotNull(),
            STATE,
            F.lit(EXPLAINED),
            F.col("state_rule"),
            own_evidence(),
        ),
    )
    rows = subjects.select("name", "subject", F.explode(F.array_compact(excuses)).alias("excuse"))
    return rows.select(
        F.col("excuse.level"),
        "name",
        F.col("name").alias("aggregate"),
        "subject",
        F.col("excuse.class"),
        F.col("excuse.reason"),
        *evidence_columns(F.col("excuse.evidence")),
    )


def decision_excuses(outcomes: DataFrame) -> DataFrame:
    """The excuses at outcome level, from the rows of `outcomes`."""
    aside = outcomes.where(F.col("class").isin(EXPLAINED, LATE, NOT_ELIGIBLE))
    return aside.select(
        F.lit(OUTCOME).alias("level"),
        F.col("outcome").alias("name"),
        "aggregate",
        "subject",
        "class",
        F.coalesce("reason", F.lit(_AFTER)).alias("reason"),
        *(F.col(f"`{c.name}`") for c in EVIDENCE),
    )


def _excuse(holds: Column, level: str, kind: Column, reason: Column, evidence: Column) -> Column:
    fields = (
        F.lit(level).alias("level"),
        kind.alias("class"),
        reason.alias("reason"),
        evidence.alias("evidence"),
    )
    return F.when(holds, F.struct(*fields))


def _expected(summary: LevelResults) -> int:
    """The number of subjects that the levels count as not judged. Waived subjects are judged."""
    entities = sum(
        2 * (record.late + record.not_eligible) + record.explained for record in summary.record
    )
    explained = sum(state.explained for state in summary.state)
    decisions = sum(o.late + o.not_eligible + o.explained for o in summary.outcome)
    return entities + explained + decisions
