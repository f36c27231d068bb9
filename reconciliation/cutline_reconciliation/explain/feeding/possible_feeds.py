"""Possible feeds of breaks at a higher level: lower breaks, and excluded rows and events."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER
from cutline.masking import Masking
from cutline.masking.frames import hidden_values
from cutline.tables import DISPOSITIONS, REFUSED
from cutline.tables.breaks import OUTCOME
from cutline.tables.disposition import NO_OP
from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline.tables.verdict import AFTER_CUT, EXCEPTIONAL
from cutline.workspace import Workspace
from cutline_reconciliation.explain.rows import ROW
from cutline_reconciliation.levels.excuses.filters import filter_rules

BELOW = ("by_level", "by_name", "by_kind", "by_column")
"""The columns with the kind of a possible feed: breaks of one column, or one rule's exclusions."""
BY = {
    **dict.fromkeys((*BELOW, "by_subject", "by_cluster", "by_rule"), "string"),
    "by_amount": "decimal(38,6)",
    **dict.fromkeys(("by_source", "by_table", "by_key", "by_event"), "string"),
}
"""The columns of a possible feed, with their types."""


def possible_feeds(
    workspace: Workspace, breaks: DataFrame, exceptions: DataFrame, masking: Masking
) -> DataFrame:
    """One row per possible feed of a break at a higher level, in the columns of BY.

    Possible feeds are breaks of record and state level; rows and events of history that are
    exceptions; rows that a translator ignores by rule; and events that the merge refused with no
    other in their place. For rows and events `by_kind` is the rule. Amounts of personal columns are
    null.
    """
    frames = [_breaks(breaks, masking), _exceptions(exceptions)]
    if workspace.translation.translators:
        frames += [_left_out(workspace), _refused(workspace)]
    return reduce(DataFrame.unionByName, frames)


def _breaks(breaks: DataFrame, masking: Masking) -> DataFrame:
    return _as_below(
        breaks.where(F.col("level") != OUTCOME),
        by_level=F.col("level"),
        by_name=F.col("name"),
        by_kind=F.col("kind"),
        by_column=F.col("column"),
        by_subject=F.col("subject"),
        by_cluster=F.col("cluster"),
        by_rule=F.col("rule"),
        by_amount=F.when(~hidden_values(masking), F.col("amount")),
    )


def _exceptions(exceptions: DataFrame) -> DataFrame:
    return _as_below(
        exceptions,
        by_level=F.col("level"),
        by_event=F.col("event_id"),
        **_row(),
        **_of_a_rule(),
    )


def _left_out(workspace: Workspace) -> DataFrame:
    rules = filter_rules(workspace.translation)
    rows = workspace.lake.read(workspace.spark, DISPOSITIONS)
    of_history = ~F.col("side").eqNullSafe(AFTER)
    return _as_below(
        rows.where(of_history & (F.col("disposition") == NO_OP) & F.col("rule").isin(*rules)),
        by_level=F.lit(SOURCE_ROW),
        **_row(),
        **_of_a_rule(),
    )


def _refused(workspace: Workspace) -> DataFrame:
    """Refused events of history that are no exceptions, for those are possible feeds already."""
    events = workspace.lake.read(workspace.spark, REFUSED)
    ended = ~F.col("verdict").isin(*EXCEPTIONAL, AFTER_CUT)
    return _as_below(
        events.where(ended & F.col("winner").isNull()),
        by_level=F.lit(EVENT),
        by_event=F.col("id"),
        by_source=F.col("migsrcsystem"),
        by_table=F.col("migsrctable"),
        by_key=F.col("migsrckey"),
        **_of_a_rule(),
    )


def _of_a_rule() -> dict[str, Column]:
    names = {"by_name": "aggregate", "by_kind": "rule", "by_subject": "subject"}
    return {name: F.col(of) for name, of in names.items()}


def _row() -> dict[str, Column]:
    return {f"by_{name}": F.col(name) for name in ROW}


def _as_below(rows: DataFrame, **columns: Column) -> DataFrame:
    """The columns of BY; those that the rows lack are null."""
    return rows.select(*(columns.get(n, F.lit(None)).cast(t).alias(n) for n, t in BY.items()))
