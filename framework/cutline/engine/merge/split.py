"""Candidates with verdicts as rows of TIMELINE and REFUSED."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.merge.verdicts import AMENDED
from cutline.tables import REFUSED, TIMELINE
from cutline.tables.verdict import ACCEPTED

IS_ACCEPTED = "is_accepted"
"""Whether a row belongs to TIMELINE; else it belongs to REFUSED."""


def split_by_verdict(candidates: DataFrame) -> DataFrame:
    """The columns of TIMELINE and REFUSED, and IS_ACCEPTED, which says whose row it is.

    An accepted event has the values of AMENDED; a refused one is as it came.
    """
    accepted = F.col("verdict") == ACCEPTED
    columns = []
    for name in dict.fromkeys([*TIMELINE.names, *REFUSED.names]):
        column = F.col(f"`{name}`")
        if name in AMENDED:
            column = F.col(f"amended.{name}")
            if name in REFUSED.names:
                column = F.when(accepted, column).otherwise(F.col(f"`{name}`"))
        columns.append(column.alias(name))
    return candidates.select(*columns, accepted.alias(IS_ACCEPTED))
