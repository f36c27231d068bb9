"""A row's end: a disposition, the rule that decided it and the reason, in one struct column.

Questions are asked in order; the first that holds decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.frames import Frame, frame_of, step
from cutline.tables import DISPOSITIONS
from cutline.tables.disposition import EXCEPTIONAL
from cutline.translator.contract import SourceContract

END = ("disposition", "rule", "reason")
"""The names of an end's columns, or of its fields."""

ENDED = Frame("one row and its end", frame_of(DISPOSITIONS).named(*END, "payload"))

END_TYPE = f"struct<{','.join(f'{name}:string' for name in END)}>"
"""The type of a row's end."""


def end(disposition: str, rule: Column, reason: Column) -> Column:
    """A struct of `disposition`, `rule` and `reason`."""
    return F.struct(
        F.lit(disposition).alias("disposition"), rule.alias("rule"), reason.alias("reason")
    )


def shown_in_reason(contract: type[SourceContract], column: str, value: Column) -> Column:
    """A column's value as a reason names it: everybody may read that, so no personal one."""
    return F.lit("a personal value") if column in contract.personal() else value


@step(needs=ENDED)
def with_end(rows: DataFrame, ended: Column, new_end: Column) -> DataFrame:
    """The rows, with a new end where `ended`; a payload only where a person must look at the row.

    `ended` is a boolean column, `new_end` a struct of END.
    """
    rows = rows.withColumn("new_end", new_end)
    rows = rows.withColumns(
        {name: F.when(ended, F.col(f"new_end.{name}")).otherwise(F.col(name)) for name in END}
    )
    shown = F.col("disposition").isin(*EXCEPTIONAL)
    return rows.withColumn("payload", F.when(shown, F.col("payload"))).drop("new_end")


@dataclass(frozen=True)
class Question:
    """A condition, and the end of a row for which it holds."""

    condition: Column
    disposition: str
    rule: Column
    reason: Column


def question(condition: Column, disposition: str, rule: str, reason: str) -> Question:
    """A question with the same rule and reason for all rows; a null condition does not hold."""
    condition = F.coalesce(condition, F.lit(False))
    return Question(condition, disposition, F.lit(rule), F.lit(reason))


def first_end(questions: Sequence[Question]) -> Column:
    """The end by the first question that holds; null where none does. There is at least one."""
    chosen: Column | None = None
    for item in questions:
        item_end = end(item.disposition, item.rule, item.reason)
        chosen = (
            F.when(item.condition, item_end)
            if chosen is None
            else chosen.when(item.condition, item_end)
        )
    assert chosen is not None
    return chosen
