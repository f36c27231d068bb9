"""Who is sent: subjects that are asked for, and before them the wholes that they are parts of."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.resend.choosing import SUBJECT
from cutline.stages.held_subjects import held_subjects
from cutline.stages.wholes import read_wholes
from cutline.tables import TIMELINE

if TYPE_CHECKING:
    from cutline.workspace import Workspace

SENT, HELD_BACK, WITHOUT_HISTORY = "sent", "held", "without-history"
"""What becomes of a member: it is sent; it, or a whole of it, is held back for an exception; the
run announces nothing of it."""
_REQUESTED = ("asked_aggregate", "asked_subject")


def members_of(workspace: Workspace, chosen: DataFrame, *, alone: bool) -> DataFrame:
    """One row per subject: aggregate, subject, `fate`, `is_asked` (false for a whole that comes
    along) and `turn`, by which wholes come before their parts.

    A part of a held whole is held, too, also where it is sent `alone`. Wholes of which the run
    announces nothing are left out.
    """
    announced = workspace.lake.read(workspace.spark, TIMELINE).select(*SUBJECT).distinct()
    chains = _chains(workspace, chosen.join(announced, list(SUBJECT), "left_semi"))
    waiting = held_subjects(workspace)
    if waiting is None:
        stopped = chains.select(*_REQUESTED).limit(0)
    else:
        stopped = chains.join(waiting, list(SUBJECT), "left_semi").select(*_REQUESTED).distinct()
    is_asked = F.col("turn") == 0
    members = (
        chains.join(announced, list(SUBJECT), "left_semi")
        .join(stopped.withColumn("is_held", F.lit(True)), list(_REQUESTED), "left")
        .where(is_asked | (F.col("is_held").isNull() & F.lit(not alone)))
        .groupBy(*SUBJECT)
        .agg(
            F.max(is_asked).alias("is_asked"),
            F.min("turn").alias("turn"),
            F.when(F.min("is_held"), F.lit(HELD_BACK)).otherwise(F.lit(SENT)).alias("fate"),
        )
    )
    unannounced = chosen.join(announced, list(SUBJECT), "left_anti").select(
        *SUBJECT,
        F.lit(True).alias("is_asked"),
        F.lit(0).alias("turn"),
        F.lit(WITHOUT_HISTORY).alias("fate"),
    )
    return members.unionByName(unannounced)


def _chains(workspace: Workspace, chosen: DataFrame) -> DataFrame:
    """One row per subject that is asked for and member of its way up: `turn` is 0 for itself, -1
    for its whole, -2 for that one's whole, and so on."""
    requested = [F.col(name).alias(f"asked_{name}") for name in SUBJECT]
    links = [chosen.select(*requested, *SUBJECT, F.lit(0).alias("turn"))]
    wholes = read_wholes(workspace.lake, workspace.spark, workspace.context.aggregates)
    if wholes is None:
        return links[0]
    for _ in workspace.context.aggregates[1:]:
        above = links[-1].join(wholes, list(SUBJECT))
        links.append(
            above.select(
                *_REQUESTED,
                F.col("whole_aggregate").alias("aggregate"),
                F.col("whole").alias("subject"),
                (F.col("turn") - 1).alias("turn"),
            )
        )
    return reduce(DataFrame.unionByName, links).distinct()
