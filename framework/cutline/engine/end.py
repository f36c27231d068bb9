"""A row's end: what it is called, the rule that decided it and the reason, in one column.

Where several rules could end it, they are asked in order, and the first that holds does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.tables.disposition import EXCEPTIONAL

END = ("disposition", "rule", "reason")
"""The names of an end's columns, or of its fields."""


def end(disposition: str, rule: Column, reason: Column) -> Column:
    """A struct of `disposition`, `rule` and `reason`."""
    return F.struct(
        F.lit(disposition).alias("disposition"), rule.alias("rule"), reason.alias("reason")
    )


def with_end(rows: DataFrame, ended: Column, ours: Column) -> DataFrame:
    """The rows, those that are `ended` with that end; a payload only where a person must see it."""
    rows = rows.withColumn("ours", ours)
    rows = rows.withColumns(
        {name: F.when(ended, F.col(f"ours.{name}")).otherwise(F.col(name)) for name in END}
    )
    shown = F.col("disposition").isin(*EXCEPTIONAL)
    return rows.withColumn("payload", F.when(shown, F.col("payload")))


@dataclass(frozen=True)
class Question:
    """One question and the end of a row for which the answer is yes."""

    condition: Column
    disposition: str
    rule: Column
    reason: Column


def question(condition: Column, disposition: str, rule: str, reason: str) -> Question:
    """A step whose rule and reason are the same for all rows; null is no."""
    condition = F.coalesce(condition, F.lit(False))
    return Question(condition, disposition, F.lit(rule), F.lit(reason))


def first_end(steps: Sequence[Question]) -> Column:
    """The end at the first step whose answer is yes; null where none is. There is at least one."""
    chosen: Column | None = None
    for item in steps:
        item_end = end(item.disposition, item.rule, item.reason)
        chosen = (
            F.when(item.condition, item_end)
            if chosen is None
            else chosen.when(item.condition, item_end)
        )
    assert chosen is not None
    return chosen
