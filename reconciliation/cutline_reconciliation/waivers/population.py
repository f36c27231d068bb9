"""The width of waivers: whether they match all possible breaks of what was compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import truth_name
from cutline.project.waivers import Waiver
from cutline.tables import BREAKS, OUTCOMES
from cutline.tables.breaks import (
    DIFFERENT,
    DUPLICATED,
    LEVELS,
    MISSING,
    OUTCOME,
    RECORD,
    STATE,
    UNEXPECTED,
)
from cutline.tables.outcome import COMPARED
from cutline.workspace import Workspace
from cutline_reconciliation.compare.columns.values import value_text
from cutline_reconciliation.levels.aggregates import ComparedAggregates
from cutline_reconciliation.waivers.condition import matches
from cutline_reconciliation.waivers.hypothetical_breaks import OPEN_STATES, UNSEEN_TEXT

_AMOUNT = "decimal(38,6)"
_VARIANTS = [(None, OPEN_STATES[0]), (UNSEEN_TEXT, OPEN_STATES[1]), (UNSEEN_TEXT, OPEN_STATES[2])]


def fully_matched_levels(
    workspace: Workspace, compared: ComparedAggregates, waivers: Sequence[Waiver]
) -> Mapping[str, tuple[str, ...]]:
    """By waiver, the levels at which it matches every possible break of every compared subject.

    Such a waiver is no judgement of breaks that a person has seen, even if it has a condition:
    `length(subject) < 30` holds for every order. One pass over truth and outcomes; none where each
    waiver lists its subjects or names a cluster.
    """
    open_ended = [w for w in waivers if w.match.subjects is None and w.match.cluster is None]
    frames = list(_possible_breaks(workspace, compared)) if open_ended else []
    if not frames:
        return {}
    rows = reduce(DataFrame.unionByName, frames)
    rows = rows.select(*(_column(rows, c.name, c.type) for c in BREAKS.columns))
    missed_counts = {w.name: F.count_if(~matches(w.match)) for w in open_ended}
    counted = rows.groupBy("level").agg(
        *(n.alias(f"waiver {name}") for name, n in missed_counts.items())
    )
    missed = {row["level"]: row for row in counted.collect()}
    by_waiver = {
        w.name: tuple(x for x in LEVELS if x in missed and not missed[x][f"waiver {w.name}"])
        for w in open_ended
    }
    return {name: levels for name, levels in by_waiver.items() if levels}


def _possible_breaks(workspace: Workspace, compared: ComparedAggregates) -> Iterator[DataFrame]:
    """The possible breaks of each subject of the truth and of each judged decision.

    It may be missing, unexpected or duplicated, and each of its values may be null or another one.
    """
    lake, spark = workspace.lake, workspace.spark
    record_breaks = F.array(
        *(F.struct(*_break_columns(kind)) for kind in (MISSING, UNEXPECTED, DUPLICATED))
    )
    for name, vouched in compared.aggregates.items():
        truth = lake.read(spark, truth_name(name))
        yield _exploded(truth, RECORD, name, F.lit(name), record_breaks)
        state_breaks = [
            _possible_differences(
                F.lit(column), value_text(F.col(f"`{column}`"), truth.schema[column].dataType)
            )
            for column in vouched.columns
        ]
        if state_breaks:
            yield _exploded(truth, STATE, name, F.lit(name), F.flatten(F.array(*state_breaks)))
    decided = lake.read(spark, OUTCOMES).where(F.col("class").isin(*COMPARED))
    for outcome in workspace.context.outcomes:
        mine = decided.where(F.col("outcome") == outcome.name)
        value = F.coalesce("legacy", "new")
        at_risk = F.abs(value.try_cast(_AMOUNT))
        of_subject = F.array(
            *(
                F.struct(*_break_columns(kind, legacy=value, at_risk=at_risk))
                for kind in (MISSING, UNEXPECTED, DUPLICATED)
            )
        )
        broken = F.concat(of_subject, _possible_differences(F.lit("value"), value))
        yield _exploded(mine, OUTCOME, outcome.name, F.col("aggregate"), broken)


def _possible_differences(column: Column, legacy: Column) -> Column:
    """Differences to null and to another value: a number moves by more than itself, up and down."""
    number = F.abs(legacy.try_cast(_AMOUNT)) + 1
    more = {"column": column, "legacy": legacy}
    return F.array(
        F.struct(*_break_columns(DIFFERENT, **more)),
        F.struct(
            *_break_columns(
                DIFFERENT, new=F.lit(UNSEEN_TEXT), amount=number, at_risk=number, **more
            )
        ),
        F.struct(
            *_break_columns(
                DIFFERENT, new=F.lit(UNSEEN_TEXT), amount=-number, at_risk=number, **more
            )
        ),
    )


def _break_columns(kind: str, **columns: Column) -> list[Column]:
    types = {"column": "string", "legacy": "string", "new": "string"}
    types |= {"amount": _AMOUNT, "at_risk": _AMOUNT}
    typed = (columns.get(name, F.lit(None)).cast(of).alias(name) for name, of in types.items())
    return [F.lit(kind).alias("kind"), *typed]


def _exploded(
    rows: DataFrame, level: str, name: str, aggregate: Column, broken: Column
) -> DataFrame:
    variants = F.array(
        *(
            F.struct(F.lit(told).cast("string").alias("told"), F.lit(state).alias("state"))
            for told, state in _VARIANTS
        )
    )
    return rows.select(
        F.lit(level).alias("level"),
        F.lit(name).alias("name"),
        aggregate.alias("aggregate"),
        "subject",
        F.explode(broken).alias("b"),
        variants.alias("variants"),
    ).select("level", "name", "aggregate", "subject", "b.*", F.explode("variants").alias("v"))


def _column(rows: DataFrame, name: str, kind: str) -> Column:
    """A column of BREAKS, from the row; else a value that no break has."""
    if name == "state":
        return F.col("v.state").alias(name)
    value = F.col(f"`{name}`") if name in rows.columns else F.col("v.told")
    return value.cast(kind).alias(name)
