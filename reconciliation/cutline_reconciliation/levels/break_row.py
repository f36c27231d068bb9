"""The struct of a break, which is an element of an array until rows are exploded."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.breaks import BREAKS


def break_struct(**columns: Column) -> Column:
    """One break as a struct in the columns of `breaks`; columns without an argument are null."""
    return F.struct(
        *(columns.get(c.name, F.lit(None)).cast(c.type).alias(c.name) for c in BREAKS.columns)
    )


def no_breaks() -> Column:
    """An empty array of breaks."""
    kind = ",".join(f"{c.name}:{c.type}" for c in BREAKS.columns)
    return F.array().cast(f"array<struct<{kind}>>")
