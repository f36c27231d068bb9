"""Explanations by exceptions: a row or an event of the subject waits for a person.

A subject is identified by aggregate and id together; an exception without one of them explains
nobody, and one of another aggregate does not explain this one, though the ids may be equal. A part
is explained by its whole only where its aggregate declares `part_of`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER
from cutline.tables.disposition import EXCEPTIONAL
from cutline_reconciliation.levels.excuses.evidence import evidence

OF_SUBJECT, OF_WHOLE = "_own", "_of_whole"
_ROW = ("rule", "source", "table", "key", "position")
_DESCRIBED = ("rule", "level", "source", "table", "key", "position", "event_id")


def exceptions_of_history(exceptions: DataFrame, dispositions: DataFrame) -> DataFrame:
    """The exceptions without those of source rows after the end of history.

    Later rows say nothing about the state as of the cut. A row whose side is unknown stays.
    """
    later = dispositions.where((F.col("side") == AFTER) & F.col("disposition").isin(*EXCEPTIONAL))
    later = later.select(*(F.col(f"`{c}`") for c in _ROW)).distinct()
    return exceptions.join(later, list(_ROW), "left_anti")


def first_exceptions(exceptions: DataFrame) -> DataFrame:
    """One row per aggregate and subject with exceptions: `aggregate`, `subject`, and `exception`, a
    struct of the first exception by rule name.
    """
    first = F.min(F.struct(*(F.col(f"`{c}`") for c in _DESCRIBED)))
    named = exceptions.dropna(subset=["aggregate", "subject"])
    return named.groupBy("aggregate", "subject").agg(first.alias("exception"))


def with_own_exception(rows: DataFrame, explanations: DataFrame, aggregate: str) -> DataFrame:
    """The rows with the exception of their own subject in OF_SUBJECT; null without
    one.

    `aggregate` is the column with the aggregate of `subject`.
    """
    return _joined(rows, explanations, OF_SUBJECT, F.col(aggregate), F.col("subject"))


def with_exception_of_whole(
    rows: DataFrame, explanations: DataFrame, wholes: Mapping[str, str]
) -> DataFrame:
    """The rows of `entities` with the exception of their `whole` in OF_WHOLE; null without one.

    `wholes` is the aggregate of the whole, by aggregate of the part.
    """
    aggregate = F.lit(None).cast("string")
    for part, whole in wholes.items():
        aggregate = F.when(F.col("name") == part, whole).otherwise(aggregate)
    if not wholes:
        none = explanations.schema["exception"].dataType
        return rows.withColumn(OF_WHOLE, F.lit(None).cast(none))
    return _joined(rows, explanations, OF_WHOLE, aggregate, F.col("whole"))


def _joined(
    rows: DataFrame, explanations: DataFrame, name: str, aggregate: Column, subject: Column
) -> DataFrame:
    by_subject = explanations.select(
        F.col("aggregate").alias("_aggregate"),
        F.col("subject").alias("_subject"),
        F.col("exception").alias(name),
    )
    same_subject = (aggregate == F.col("_aggregate")) & (subject == F.col("_subject"))
    return rows.join(by_subject, same_subject, "left").drop("_aggregate", "_subject")


def own_rule() -> Column:
    """The rule of the subject's own exception; else null."""
    return F.col(OF_SUBJECT).getField("rule")


def whole_rule() -> Column:
    """The rule of the exception of the subject's whole; else null."""
    return F.col(OF_WHOLE).getField("rule")


def own_evidence() -> Column:
    """The subject's own exception as evidence."""
    return _evidence(OF_SUBJECT)


def whole_evidence() -> Column:
    """The exception of the subject's whole as evidence."""
    return _evidence(OF_WHOLE, whole=F.col("whole"))


def _evidence(name: str, **more: Column) -> Column:
    where = {c: F.col(name).getField(c) for c in _DESCRIBED if c not in ("rule", "level")}
    return evidence(F.col(name).getField("level"), **where, **more)
