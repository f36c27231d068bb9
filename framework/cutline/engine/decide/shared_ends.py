"""Rows of one commit share the end of the image that stands for them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.announce import FALLEN_TYPES
from cutline.engine.compose import STANDS_FOR, SUPERSEDED, of_commit
from cutline.engine.decide.frames import DECIDED, WAS_READABLE
from cutline.engine.end import END, end, with_end
from cutline.engine.frames import step
from cutline.tables.disposition import EXCEPTIONAL, NO_OP

WITHIN = "within-its-transaction"
"""The rule of a change that another of the same row follows in its transaction."""

LATER_CHANGE = "a later change of the row in its transaction stands for it"
"""The reason of WITHIN."""


@step(needs=DECIDED)
def share_ends(rows: DataFrame) -> DataFrame:
    """The rows; one that does not stand for itself gets the end of the one that stands for it.

    One image stands for all rows of a snapshot, or of a commit. A change that another of its row
    follows in the commit gets WITHIN instead, unless the commit is quarantined or ambiguous.
    """
    readable, stands = F.col(WAS_READABLE), F.col(STANDS_FOR)
    own_end = F.when(stands & readable, F.struct(*END))
    commit_end = F.first(own_end, ignorenulls=True).over(of_commit())
    rows = rows.withColumn("commit_end", commit_end)
    later = F.lit(LATER_CHANGE)
    types = F.concat_ws(", ", FALLEN_TYPES)
    with_types = F.concat(later, F.lit("; within it held, and did not last: "), types)
    reason = F.when(F.size(FALLEN_TYPES) > 0, with_types).otherwise(later)
    superseded_end = end(NO_OP, F.lit(WITHIN), reason)
    # No image stands for a commit of which all rows are superseded or quarantined.
    is_exceptional = F.coalesce(F.col("commit_end.disposition").isin(*EXCEPTIONAL), F.lit(False))
    shared = F.when(F.col(SUPERSEDED) & ~is_exceptional, superseded_end).otherwise(
        F.col("commit_end")
    )
    return with_end(rows, ~stands & readable, shared).drop("commit_end")
