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
    leading = F.when(stands & readable, F.struct(*END))
    leader = F.first(leading, ignorenulls=True).over(of_commit())
    later = F.lit(LATER_CHANGE)
    named = F.concat_ws(", ", FALLEN_TYPES)
    fell = F.concat(later, F.lit("; within it held, and did not last: "), named)
    why = F.when(F.size(FALLEN_TYPES) > 0, fell).otherwise(later)
    over = end(NO_OP, F.lit(WITHIN), why)
    aside = F.col("leader.disposition").isin(*EXCEPTIONAL)
    ours = F.when(F.col(SUPERSEDED) & ~aside, over).otherwise(F.col("leader"))
    return with_end(rows.withColumn("leader", leader), ~stands & readable, ours).drop("leader")
