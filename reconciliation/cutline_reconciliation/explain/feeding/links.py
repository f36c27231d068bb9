"""Decisions joined with the breaks below them, subject by subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Outcome
from cutline.masking import Masking
from cutline.masking.frames import hidden_values
from cutline.tables import LINKS
from cutline.tables.breaks import OUTCOME
from cutline.workspace import Workspace
from cutline_reconciliation.decide_sql import looks_at
from cutline_reconciliation.explain.counting import GROUP, LABEL, MATCHED
from cutline_reconciliation.explain.feeding.both_sides import both_sides

BELOW = ("by_level", "by_name", "by_kind", "by_column")
"""What the breaks of one kind below a decision share."""


def linked(
    workspace: Workspace,
    outcomes: Iterable[Outcome],
    members: DataFrame,
    breaks: DataFrame,
    broken: Iterable[str],
    masking: Masking,
) -> DataFrame:
    """One row per decision and break of a level below in what it looks at.

    `members` are the decisions: `grouped`, `label`, `aggregate`, `subject`. The rows have these,
    `own` (whether it is the very subject that is decided on), BELOW, and the `by_subject`,
    `by_cluster`, `by_rule` and `by_amount` of the break; amounts of personal columns are null. A
    decision looks at its own subject, and at what the outcome's `looks_at` says. `broken` are the
    aggregates with breaks.
    """
    below = breaks.where(F.col("level") != OUTCOME).select(
        *(F.col(f"`{c}`").alias(f"by_{c}") for c in _OF_A_BREAK),
        F.when(~hidden_values(masking), F.col("amount")).alias("by_amount"),
    )
    states = both_sides(workspace, breaks, broken)
    pairs = [_pairs(one, members, states) for one in outcomes]
    return (
        reduce(DataFrame.unionByName, pairs)
        .join(below, ["by_name", "by_subject"])
        .join(members, [GROUP, "subject"])
        .distinct()
    )


_OF_A_BREAK = ("level", "name", "subject", "kind", "column", "cluster", "rule")


def as_table(links: DataFrame) -> DataFrame:
    """The links of decisions that break, in the columns of LINKS."""
    outcome = F.substring_index(GROUP, "/", -1)
    told: Mapping[str, Column] = {
        "level": F.lit(OUTCOME),
        "name": outcome,
        "cluster": F.col(LABEL),
    }
    return links.where(F.col(LABEL) != MATCHED).select(
        *(told[c].alias(c) if c in told else F.col(c) for c in LINKS.names)
    )


def _pairs(outcome: Outcome, members: DataFrame, states: Mapping[str, DataFrame]) -> DataFrame:
    """What its decisions look at: `grouped`, `subject`, `by_name`, `by_subject`, `own`."""
    group = f"{OUTCOME}/{outcome.name}"
    own = members.where(F.col(GROUP) == group).select(
        GROUP,
        "subject",
        F.col("aggregate").alias("by_name"),
        F.col("subject").alias("by_subject"),
    )
    if outcome.looks_at:
        found = looks_at(outcome, states, tuple(_aggregates(states)))
        columns = [c for c in found.columns if c != "subject"]
        pairs = F.array(
            *(
                F.struct(
                    F.lit(c).alias("by_name"), F.col(f"`{c}`").cast("string").alias("by_subject")
                )
                for c in columns
            )
        )
        more = found.select(
            F.lit(group).alias(GROUP),
            F.col("subject").cast("string").alias("subject"),
            F.inline(pairs),
        )
        own = own.unionByName(more)
    itself = (F.col("by_name") == outcome.aggregate) & (F.col("by_subject") == F.col("subject"))
    return own.withColumn("own", itself)


def _aggregates(states: Mapping[str, DataFrame]) -> Iterable[str]:
    return (name.removeprefix("state_") for name in states)
