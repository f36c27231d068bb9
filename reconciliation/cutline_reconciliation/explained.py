"""What exceptions explain: subjects of which a row or an event waits for a person."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

OWN, WHOLE = "_own", "_whole"


def explanations(exceptions: DataFrame) -> DataFrame:
    """One row per subject with exceptions: its `reasons`, structs of aggregate and rule.

    The aggregate is null where the row does not tell. Exceptions without a subject explain nothing.
    """
    reasons = F.array_sort(F.collect_set(F.struct("rule", "aggregate")))
    return (
        exceptions.where(F.col("subject").isNotNull())
        .groupBy(F.col("subject").alias("_subject"))
        .agg(reasons.alias("reasons"))
    )


def with_explanations(rows: DataFrame, explanations: DataFrame) -> DataFrame:
    """The rows, each with the reasons of its own subject in `_own`, and in `_whole` with those of
    the subject it is a part of: `SO-1` is the whole of `SO-1/2`. Null where there are none.
    """
    whole = F.when(F.col("subject").contains("/"), F.substring_index("subject", "/", 1))
    own = explanations.select("_subject", F.col("reasons").alias(OWN))
    wholes = explanations.select(
        F.col("_subject").alias("_whole_subject"), F.col("reasons").alias(WHOLE)
    )
    return (
        rows.join(own, F.col("subject") == F.col("_subject"), "left")
        .join(wholes, whole == F.col("_whole_subject"), "left")
        .drop("_subject", "_whole_subject")
    )


def own_rule(aggregate: Column) -> Column:
    """The first rule, by name, under which the subject itself is an exception; else null.

    An exception of another aggregate says nothing about this one.
    """
    mine = F.filter(OWN, lambda r: r["aggregate"].isNull() | (r["aggregate"] == aggregate))
    return F.get(mine, F.lit(0)).getField("rule")


def any_rule() -> Column:
    """The first rule under which the subject is an exception, of whatever aggregate; else null."""
    return F.get(OWN, F.lit(0)).getField("rule")


def whole_rule() -> Column:
    """The first rule under which the subject's whole is an exception; else null."""
    return F.get(WHOLE, F.lit(0)).getField("rule")
