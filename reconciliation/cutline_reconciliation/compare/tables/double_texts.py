"""Texts of values in floating point, those among them that are no numbers."""

from __future__ import annotations

from pyspark.sql import types as T

from cutline.spark.double_text import double_sql
from cutline_reconciliation.compare.columns.numbers import NO_NUMBER


def double_text(text: str, kind: T.DoubleType | T.FloatType) -> str:
    """SQL for the value of type `kind` that the text, itself SQL, spells; null where it has none.

    A number is as `double_sql` takes it; NaN and infinities are what they say.
    """
    special = (
        f"CASE WHEN {text} RLIKE r'{NO_NUMBER}' THEN try_cast({text} AS {kind.simpleString()}) END"
    )
    return f"coalesce({double_sql(text, kind)}, {special})"
