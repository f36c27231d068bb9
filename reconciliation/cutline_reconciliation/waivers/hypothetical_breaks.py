"""Hypothetical breaks of a context, which no waiver may match altogether."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.context import Context
from cutline.tables import BREAKS, disposition
from cutline.tables.breaks import (
    DIFFERENT,
    DUPLICATED,
    MISSING,
    OPENED,
    OUTCOME,
    PERSISTING,
    RECORD,
    REOPENED,
    STATE,
    UNEXPECTED,
)

UNSEEN_TEXT = "cutline: a break that nobody has seen"
OPEN_STATES = (OPENED, PERSISTING, REOPENED)
"""The states of breaks that are not fixed."""
_TEXTS = (None, "", UNSEEN_TEXT, UNSEEN_TEXT * 40)
_AMOUNTS = (None, Decimal(0), Decimal("9e29"), Decimal("-9e29"))
_PLACE = ("level", "name", "aggregate", "kind", "column")
_KINDS = (MISSING, UNEXPECTED, DUPLICATED)

BreakPlace = tuple[str, str, str, str, str | None]


def places(context: Context) -> Iterator[BreakPlace]:
    """Every level, name, aggregate, kind and column of a possible break of the context."""
    for aggregate in context.aggregates:
        for kind in _KINDS:
            yield RECORD, aggregate.name, aggregate.name, kind, None
        for column in aggregate.state:
            yield STATE, aggregate.name, aggregate.name, DIFFERENT, column
    for outcome in context.outcomes:
        for kind in _KINDS:
            yield OUTCOME, outcome.name, outcome.aggregate, kind, None
        yield OUTCOME, outcome.name, outcome.aggregate, DIFFERENT, "value"


def hypothetical_breaks(context: Context, spark: SparkSession) -> DataFrame:
    """One break per place and open state, in the columns of BREAKS.

    Texts and amounts are values that no break has, or null where that is allowed. At record level
    there are no amounts.
    """
    ddl = ", ".join(f"`{name}` string" for name in _PLACE)
    rows = spark.createDataFrame(list(places(context)), ddl)
    ends = (None, UNSEEN_TEXT, *disposition.ALL)
    rows = rows.withColumn("_text", _one_of(_TEXTS, "string"))
    rows = rows.withColumn("state", _one_of(OPEN_STATES, "string"))
    rows = rows.withColumn("disposition", _one_of(ends, "string"))
    amounts = F.when(F.col("level") == RECORD, _all((None,), "decimal(38,6)")).otherwise(
        _all(_AMOUNTS, "decimal(38,6)")
    )
    rows = rows.withColumn("_amount", F.explode(amounts))
    return rows.select(*(_column(c.name, c.type, c.nullable) for c in BREAKS.columns))


def _column(name: str, kind: str, nullable: bool) -> Column:
    if name in (*_PLACE, "state", "disposition"):
        return F.col(f"`{name}`")
    if kind.startswith("decimal"):
        has_amount = F.col("level") == OUTCOME if name == "at_risk" else F.lit(True)
        return F.when(has_amount, F.col("_amount")).alias(name)
    text = F.col("_text") if nullable else F.coalesce("_text", F.lit(UNSEEN_TEXT))
    return text.alias(name)


def _one_of(values: tuple[object, ...], kind: str) -> Column:
    return F.explode(_all(values, kind))


def _all(values: tuple[object, ...], kind: str) -> Column:
    return F.array(*(F.lit(value).cast(kind) for value in values))
