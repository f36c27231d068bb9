"""Break-downs of the levels: by category, and of subjects that are not eligible by reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from cutline.project.gates import Gates
from cutline.results.reconcile import Category
from cutline.spark.parallel import run_parallel
from cutline.tables import OUTCOMES
from cutline.tables import outcome as o
from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline.workspace import Workspace
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.levels.aggregates import ComparedAggregates
from cutline_reconciliation.levels.break_counts import BreakCounts
from cutline_reconciliation.levels.categories import STANDINGS, by_category
from cutline_reconciliation.levels.outcome_counts import OutcomeCounts
from cutline_reconciliation.truth.marks import CATEGORY

MOST_REASONS = 20
_LevelName = tuple[str, str]


@dataclass(frozen=True)
class LevelBreakDown:
    """The break-down of one aggregate or outcome at one level."""

    categories: tuple[Category, ...] = ()
    """The categories with the most breaks first, and those that a gate names."""
    in_all: int = 0
    """The number of all categories."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Subjects that are not eligible by reason, the most frequent first; at most MOST_REASONS."""


@dataclass(frozen=True)
class BreakDown:
    """Break-downs of all levels, by level and name of the aggregate or outcome."""

    levels: Mapping[_LevelName, LevelBreakDown]

    def of(self, level: str, name: str) -> LevelBreakDown:
        """The break-down of an aggregate or outcome at a level; empty if there is none."""
        return self.levels.get((level, name), LevelBreakDown())


def break_down(
    workspace: Workspace,
    compared: ComparedAggregates,
    subjects: DataFrame | None,
    breaks: BreakCounts,
    outcomes: Mapping[str, OutcomeCounts],
    gates: Gates,
) -> BreakDown:
    """The break-downs of a run. No table is read where there are no categories and no reasons.

    `subjects` are the differing subjects with their explanations, as in `BreaksWritten.subjects`.
    """
    standings = _standings(workspace, compared, subjects, outcomes)
    reasons = _reasons(workspace, compared, subjects, breaks, outcomes)
    category_rows, reason_rows = run_parallel(
        workspace.spark,
        [
            lambda: _collected([by_category(s, gates.categories()) for s in standings]),
            lambda: _collected(reasons),
        ],
    )
    categories: dict[_LevelName, list[Category]] = {}
    in_all: dict[_LevelName, int] = {}
    for row in sorted(category_rows, key=lambda row: int(row["place"])):
        key = row["level"], row["name"]
        counts = {name: int(row[name]) for name in STANDINGS}
        category = Category(category=row[CATEGORY], at_risk=row["at_risk"], **counts)
        categories.setdefault(key, []).append(category)
        in_all[key] = int(row["categories"])
    by_reason: dict[_LevelName, dict[str, int]] = {}
    for row in sorted(reason_rows, key=lambda row: int(row["place"])):
        by_reason.setdefault((row["level"], row["name"]), {})[row["reason"]] = int(row["count"])
    return BreakDown(
        {
            key: LevelBreakDown(
                tuple(categories.get(key, ())), in_all.get(key, 0), by_reason.get(key, {})
            )
            for key in {*categories, *by_reason}
        }
    )


def _collected(frames: Sequence[DataFrame]) -> list[Row]:
    """The collected rows of frames of bounded size."""
    return reduce(DataFrame.unionByName, frames).collect() if frames else []


def _standings(
    workspace: Workspace,
    compared: ComparedAggregates,
    subjects: DataFrame | None,
    outcomes: Mapping[str, OutcomeCounts],
) -> list[DataFrame]:
    """Rows of subjects and decisions with categories, per level, for `by_category`."""
    with_categories = [a.name for a in workspace.context.aggregates if a.categories]
    frames = []
    if compared.subjects is not None and subjects is not None and with_categories:
        unmatched = subjects.where(F.col("name").isin(*with_categories))
        plain = compared.subjects.where(F.col("class") == classes.MATCHED)
        matched = plain.groupBy("name", CATEGORY).agg(F.count("*").alias("subjects"))
        for level in (RECORD, STATE):
            frames.append(
                matched.select(
                    F.lit(level).alias("level"), "name", CATEGORY,
                    F.lit("matched").alias("standing"), "subjects", _no_amount(),
                ).unionByName(
                    _standing_rows(unmatched, level, "name", _subject_standing(level), _no_amount())
                )
            )  # fmt: skip
    answered = [name for name, counts in outcomes.items() if counts.with_category]
    if answered:
        rows = workspace.lake.read(workspace.spark, OUTCOMES).where(F.col(OUTCOME).isin(*answered))
        frames.append(
            _standing_rows(rows, OUTCOME, OUTCOME, _decision_standing(), F.col("at_risk"))
        )
    return frames


def _no_amount() -> Column:
    return F.lit(None).cast(values.AMOUNT).alias("at_risk")


def _standing_rows(
    rows: DataFrame, level: str, name: str, standing: Column, at_risk: Column
) -> DataFrame:
    return rows.select(
        F.lit(level).alias("level"),
        F.col(name).alias("name"),
        CATEGORY,
        standing.alias("standing"),
        F.lit(1).cast("bigint").alias("subjects"),
        at_risk,
    ).where(F.col("standing").isNotNull())


def _subject_standing(level: str) -> Column:
    """A subject's standing; null at state level for subjects that are not once on both sides."""
    kind = F.col("class")
    aside = F.when(kind == o.LATE, "late").when(kind == o.NOT_ELIGIBLE, "not_eligible")
    if level == STATE:
        differs = F.when(F.col("state_rule").isNull(), "broken").otherwise("explained")
        return aside.when(kind == classes.CHANGED, differs)
    present = aside.when(kind == classes.CHANGED, "matched")
    return present.when(F.col("record_rule").isNotNull(), "explained").otherwise("broken")


def _decision_standing() -> Column:
    kind = F.col("class")
    return (
        F.when(kind.isin(o.AGREE, o.WITHIN_TOLERANCE), "matched")
        .when(kind.isin(*o.BREAKING), "broken")
        .when(kind == o.NOT_ELIGIBLE, "not_eligible")
        .otherwise(kind)
    )


def _reasons(
    workspace: Workspace,
    compared: ComparedAggregates,
    subjects: DataFrame | None,
    breaks: BreakCounts,
    outcomes: Mapping[str, OutcomeCounts],
) -> list[DataFrame]:
    frames = []
    if subjects is not None and breaks.filtered + compared.subjects_of(o.NOT_ELIGIBLE):
        frames.append(_frequent_reasons(subjects, RECORD, "name"))
    if any(counts.by_class[o.NOT_ELIGIBLE] for counts in outcomes.values()):
        rows = workspace.lake.read(workspace.spark, OUTCOMES)
        frames.append(_frequent_reasons(rows, OUTCOME, OUTCOME))
    return frames


def _frequent_reasons(rows: DataFrame, level: str, name: str) -> DataFrame:
    group = Window.partitionBy("name").orderBy(F.col("count").desc(), F.col("reason"))
    counted = (
        rows.where(F.col("class") == o.NOT_ELIGIBLE)
        .groupBy(F.lit(level).alias("level"), F.col(name).alias("name"), "reason")
        .count()
    )
    return counted.withColumn("place", F.row_number().over(group)).where(
        F.col("place") <= MOST_REASONS
    )
