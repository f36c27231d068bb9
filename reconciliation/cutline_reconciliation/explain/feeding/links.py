"""Links: broken subjects and decisions joined with their possible feeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Outcome
from cutline.tables import LINKS
from cutline.tables.breaks import OUTCOME
from cutline.workspace import Workspace
from cutline_reconciliation.explain.attributes import LABEL, MATCHED_LABEL
from cutline_reconciliation.explain.feeding.both_sides import both_sides
from cutline_reconciliation.explain.feeding.possible_feeds import BY
from cutline_reconciliation.explain.feeding.reach import reached_subjects
from cutline_reconciliation.explain.feeding.way import ITSELF, LOOKS_AT
from cutline_reconciliation.explain.groups import GROUP, group_key, level_column, name_column
from cutline_reconciliation.levels.outcome_sql import query_looks_at

_MEMBER = (GROUP, LABEL, "aggregate", "subject")


def state_links(workspace: Workspace, members: DataFrame, below: DataFrame) -> DataFrame:
    """One row per member and possible feed of `below` on which its state depends.

    `members` are subjects whose state differs or matches: `grouped`, `label`, `aggregate`,
    `subject`. The rows have these columns, those of BY, and `way`: the way in which the subject
    depends on the feed, the first of several.
    """
    return _once_each(members.join(reached_subjects(workspace, below), ["aggregate", "subject"]))


def decision_links(
    workspace: Workspace,
    outcomes: Iterable[Outcome],
    members: DataFrame,
    breaks: DataFrame,
    broken: Iterable[str],
    below: DataFrame,
) -> DataFrame:
    """One row per decision and possible feed of `below` of a subject that the decision looks at.

    The columns are those of `state_links`. A decision looks at its own subject, and at those that
    the outcome's `looks_at` returns. `broken` are the aggregates with breaks.
    """
    states = both_sides(workspace, breaks, broken)
    pairs = [_pairs(one, members, states) for one in outcomes]
    return _once_each(
        reduce(DataFrame.unionByName, pairs)
        .join(below, ["by_name", "by_subject"])
        .join(members, [GROUP, "subject"])
    )


def _once_each(links: DataFrame) -> DataFrame:
    return links.groupBy(*_MEMBER, *BY).agg(F.min("way").alias("way"))


def links_table(links: DataFrame) -> DataFrame:
    """The links of broken members, in the columns of LINKS."""
    columns: Mapping[str, Column] = {
        "level": level_column(),
        "name": name_column(),
        "cluster": F.col(LABEL),
    }
    return links.where(F.col(LABEL) != MATCHED_LABEL).select(
        *(columns[c].alias(c) if c in columns else F.col(c) for c in LINKS.names)
    )


def _pairs(outcome: Outcome, members: DataFrame, states: Mapping[str, DataFrame]) -> DataFrame:
    """The subjects that decisions look at.

    Columns are `grouped`, `subject`, `by_name`, `by_subject` and `way`.
    """
    group = group_key(OUTCOME, outcome.name)
    subject_pairs = members.where(F.col(GROUP) == group).select(
        GROUP,
        "subject",
        F.col("aggregate").alias("by_name"),
        F.col("subject").alias("by_subject"),
    )
    if outcome.looks_at:
        looked_at = query_looks_at(outcome, states, tuple(_aggregates(states)))
        columns = [c for c in looked_at.columns if c != "subject"]
        pairs = F.array(
            *(
                F.struct(
                    F.lit(c).alias("by_name"), F.col(f"`{c}`").cast("string").alias("by_subject")
                )
                for c in columns
            )
        )
        more = looked_at.select(
            F.lit(group).alias(GROUP),
            F.col("subject").cast("string").alias("subject"),
            F.inline(pairs),
        )
        subject_pairs = subject_pairs.unionByName(more)
    itself = (F.col("by_name") == outcome.aggregate) & (F.col("by_subject") == F.col("subject"))
    return subject_pairs.withColumn("way", F.when(itself, ITSELF).otherwise(LOOKS_AT))


def _aggregates(states: Mapping[str, DataFrame]) -> Iterable[str]:
    return (name.removeprefix("state_") for name in states)
