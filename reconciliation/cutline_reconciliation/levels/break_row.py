"""The shape of a break, as a struct that rows are exploded into."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.breaks import BREAKS


def break_struct(**columns: Column) -> Column:
    """One break as a struct in the columns of `breaks`; what is not given is null."""
    return F.struct(
        *(columns.get(c.name, F.lit(None)).cast(c.type).alias(c.name) for c in BREAKS.columns)
    )


def no_breaks() -> Column:
    """No breaks."""
    kind = ",".join(f"{c.name}:{c.type}" for c in BREAKS.columns)
    return F.array().cast(f"array<struct<{kind}>>")
