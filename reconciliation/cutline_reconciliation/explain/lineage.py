"""Lineage: the legacy row behind each break, its end, and the origin of the value in question."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.tables.breaks import BREAKS, MISSING, OUTCOME, STATE
from cutline.workspace import Workspace
from cutline_reconciliation.explain.candidates import CANDIDATE, candidates
from cutline_reconciliation.explain.listening import listening_rank

FILLED = ("source", "table", "key", "position", "disposition", "rule")
_CHOSEN = "_found"


def with_lineage(breaks: DataFrame, workspace: Workspace) -> DataFrame:
    """The breaks with the six columns of FILLED; null where the run has no row of the subject.

    Of several rows and events of a subject one is chosen, in this order:

    - for a missing subject, a row that waits for a person, then an event that the merge refused,
    then its last row; - at state level, the event that gave the column its value: of those that the
    column listens to, the first for `first`, the furthest for `furthest_of_types`, else the last; -
    for an unexpected or duplicated subject, and at outcome level, its first event; - else a row of
    the subject: one that waits for a person, or else the last.

    Only rows and events of the break's own aggregate count: a subject of another aggregate may have
    the same id.
    """
    if not workspace.translation.translators:
        return breaks
    of_subjects = candidates(workspace, breaks.select("aggregate", "subject").distinct())
    break_columns = [c for c in BREAKS.names if c not in FILLED]
    candidates_of_breaks = breaks.select(*break_columns).join(
        of_subjects.select(F.col("subject").alias("_subject"), F.struct(*CANDIDATE).alias("c")),
        (F.col("subject") == F.col("_subject")) & (F.col("aggregate") == F.col("c.aggregate")),
        "left",
    )
    chosen = F.max_by("c", F.struct(*_order(workspace))).alias(_CHOSEN)
    # The key of a break; its other columns are passed through.
    break_key = ("level", "name", "subject", "kind", "column")
    carried = [c for c in break_columns if c not in break_key]
    by_break = candidates_of_breaks.groupBy(*(F.col(f"`{c}`") for c in break_key)).agg(
        *(F.first(f"`{c}`").alias(c) for c in carried), chosen
    )
    return by_break.select(
        *(
            F.col(f"{_CHOSEN}.{c}").alias(c) if c in FILLED else F.col(f"`{c}`")
            for c in BREAKS.names
        )
    )


def _order(workspace: Workspace) -> list[Column]:
    """The sort key of a break's candidates; the greatest is chosen."""
    event, refused = F.col("c.ordinal").isNotNull(), F.col("c.refused")
    row = ~event & ~refused
    waits = row & F.col("c.waits")
    level, kind = F.col("level"), F.col("kind")
    missing = (kind == MISSING) & (level != OUTCOME)
    listened, place = listening_rank(workspace.context.aggregates)
    of_state = level == STATE
    rank = (
        F.when(missing & waits, 4)
        .when(missing & refused, 3)
        .when(refused, 0)
        .when(missing & row, 2)
        .when(of_state & event & listened, 4)
        .when(~of_state & ~missing & event, 3)
        .when(waits, 2)
        .when(row, 1)
        .otherwise(0)
    )
    within = F.when(of_state, place).otherwise(-F.col("c.ordinal"))
    ties = [F.col(f"c.{name}") for name in ("position", "source", "table", "key", "rule")]
    return [rank, within.cast("bigint"), *ties]
