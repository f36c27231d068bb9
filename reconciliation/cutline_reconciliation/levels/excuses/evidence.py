"""The evidence of an excuse, as a struct in the row of the excused subject."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.evidence import EVIDENCE


def evidence(rests_on: str | Column, **columns: Column) -> Column:
    """A struct in the columns of EVIDENCE; columns without an argument are null."""
    by_name = {"rests_on": F.lit(rests_on) if isinstance(rests_on, str) else rests_on, **columns}
    return F.struct(
        *(by_name.get(c.name, F.lit(None)).cast(c.type).alias(c.name) for c in EVIDENCE)
    )


def no_evidence() -> Column:
    """A null struct of the same type."""
    fields = ",".join(f"{c.name}:{c.type}" for c in EVIDENCE)
    return F.lit(None).cast(f"struct<{fields}>")


def evidence_columns(struct: Column) -> list[Column]:
    """The columns of EVIDENCE from a struct."""
    return [struct.getField(c.name).alias(c.name) for c in EVIDENCE]
