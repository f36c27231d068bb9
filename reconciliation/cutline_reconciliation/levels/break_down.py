"""The levels told apart: by category, and what is not eligible by its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from cutline.project.gates import Gates
from cutline.spark.together import together
from cutline.tables import OUTCOMES
from cutline.tables import outcome as o
from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline.workspace import Workspace
from cutline_reconciliation.breaks.write import Judged
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.levels.categories import TOLD, by_category
from cutline_reconciliation.levels.passes import Compared, Wrote
from cutline_reconciliation.results import Category
from cutline_reconciliation.truth.marks import CATEGORY

MOST_REASONS = 20
_Key = tuple[str, str]


@dataclass(frozen=True)
class Parts:
    """By level and name: the categories, how many there are, and the reasons."""

    categories: Mapping[_Key, tuple[Category, ...]]
    in_all: Mapping[_Key, int]
    reasons: Mapping[_Key, Mapping[str, int]]


def told_apart(
    workspace: Workspace, compared: Compared, judged: Judged, outcomes: Wrote, gates: Gates
) -> Parts:
    """What the counts do not tell; nothing is read where no category and no reason is."""
    standings = _standings(workspace, compared, judged, outcomes.counts)
    reasons = _reasons(workspace, compared, judged, outcomes.counts)
    found = together(
        workspace.spark,
        [
            lambda: _collected([by_category(s, gates.categories()) for s in standings]),
            lambda: _collected(reasons),
        ],
    )
    categories: dict[_Key, list[Category]] = {}
    in_all: dict[_Key, int] = {}
    for row in sorted(found[0], key=lambda row: int(row["place"])):
        key = row["level"], row["name"]
        categories.setdefault(key, []).append(
            Category(
                category=row[CATEGORY],
                at_risk=row["at_risk"],
                **{name: int(row[name]) for name in TOLD},
            )
        )
        in_all[key] = int(row["categories"])
    why: dict[_Key, dict[str, int]] = {}
    for row in sorted(found[1], key=lambda row: int(row["place"])):
        why.setdefault((row["level"], row["name"]), {})[row["reason"]] = int(row["count"])
    return Parts({key: tuple(told) for key, told in categories.items()}, in_all, why)


def _collected(frames: Sequence[DataFrame]) -> list[Row]:
    """The rows of bounded frames."""
    return reduce(DataFrame.unionByName, frames).collect() if frames else []


def _standings(
    workspace: Workspace, compared: Compared, judged: Judged, decided: Mapping[str, int]
) -> list[DataFrame]:
    """One row per subject, or several alike, and level, of what has categories."""
    named = [a.name for a in workspace.context.aggregates if a.categories]
    frames = []
    if compared.subjects is not None and judged.subjects is not None and named:
        known = judged.subjects.where(F.col("name").isin(*named))
        plain = compared.subjects.where(F.col("class") == classes.MATCHED)
        matched = plain.groupBy("name", CATEGORY).agg(F.count("*").alias("subjects"))
        for level in (RECORD, STATE):
            frames.append(
                matched.select(
                    F.lit(level).alias("level"), "name", CATEGORY,
                    F.lit("matched").alias("standing"), "subjects", _nothing(),
                ).unionByName(_one_each(known, level, "name", _standing(level), _nothing()))
            )  # fmt: skip
    asked = [n for n in _outcomes(workspace) if decided.get(f"{n}/{CATEGORY}", 0)]
    if asked:
        rows = workspace.lake.read(workspace.spark, OUTCOMES).where(F.col(OUTCOME).isin(*asked))
        frames.append(_one_each(rows, OUTCOME, OUTCOME, _decision(), F.col("at_risk")))
    return frames


def _nothing() -> Column:
    return F.lit(None).cast(values.AMOUNT).alias("at_risk")


def _one_each(
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


def _standing(level: str) -> Column:
    """A subject's standing; null at state level where it is not once on both sides."""
    kind = F.col("class")
    aside = F.when(kind == o.LATE, "late").when(kind == o.NOT_ELIGIBLE, "not_eligible")
    if level == STATE:
        differs = F.when(F.col("state_rule").isNull(), "broken").otherwise("explained")
        return aside.when(kind == classes.CHANGED, differs)
    there = aside.when(kind == classes.CHANGED, "matched")
    return there.when(F.col("record_rule").isNotNull(), "explained").otherwise("broken")


def _decision() -> Column:
    kind = F.col("class")
    return (
        F.when(kind.isin(o.AGREE, o.WITHIN_TOLERANCE), "matched")
        .when(kind.isin(*o.BREAKING), "broken")
        .when(kind == o.NOT_ELIGIBLE, "not_eligible")
        .otherwise(kind)
    )


def _reasons(
    workspace: Workspace, compared: Compared, judged: Judged, decided: Mapping[str, int]
) -> list[DataFrame]:
    frames = []
    left_out = sum(judged.counts[f"filtered/{name}"] for name in compared.aggregates)
    if judged.subjects is not None and left_out + compared.subjects_of(o.NOT_ELIGIBLE):
        frames.append(_frequent(judged.subjects, RECORD, "name"))
    if any(decided.get(f"{n}/{o.NOT_ELIGIBLE}", 0) for n in _outcomes(workspace)):
        rows = workspace.lake.read(workspace.spark, OUTCOMES)
        frames.append(_frequent(rows, OUTCOME, OUTCOME))
    return frames


def _frequent(rows: DataFrame, level: str, name: str) -> DataFrame:
    group = Window.partitionBy("name").orderBy(F.col("count").desc(), F.col("reason"))
    counted = (
        rows.where(F.col("class") == o.NOT_ELIGIBLE)
        .groupBy(F.lit(level).alias("level"), F.col(name).alias("name"), "reason")
        .count()
    )
    return counted.withColumn("place", F.row_number().over(group)).where(
        F.col("place") <= MOST_REASONS
    )


def _outcomes(workspace: Workspace) -> list[str]:
    return [outcome.name for outcome in workspace.context.outcomes]
