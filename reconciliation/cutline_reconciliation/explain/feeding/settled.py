"""Decisions taken again with the legacy's values in place of broken ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import reduce

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Outcome, state_name, truth_name
from cutline.tables import OUTCOMES
from cutline.tables.breaks import OUTCOME, STATE
from cutline.tables.outcome import AGREE, WITHIN_TOLERANCE
from cutline.workspace import Workspace
from cutline_reconciliation.explain.attributes import LABEL, MATCHED_LABEL
from cutline_reconciliation.explain.feeding.feed import Feed, FeedKind
from cutline_reconciliation.explain.groups import GROUP, group_key
from cutline_reconciliation.levels.excuses.lateness import Lateness
from cutline_reconciliation.levels.outcome import decisions
from cutline_reconciliation.levels.outcome_sql import query_decisions

MOST = 3
"""The number of kinds of breaks that are tried per outcome, those of most decisions first."""
_Key = tuple[str, str]


def with_settled(
    workspace: Workspace,
    outcomes: Iterable[Outcome],
    feeds: Mapping[_Key, list[Feed]],
    members: DataFrame,
    breaks: DataFrame,
) -> dict[_Key, list[Feed]]:
    """The feeds with the numbers of decisions that their removal settles and unsettles.

    `decide` runs once for each kind of state break that is tried, with the legacy's values in place
    of breaks of that kind, and its decisions are compared with the legacy's. Breaks at record level
    are not tried. Where `decide` fails on the legacy's values, the feed is left as it is: an
    explanation must not stop a run.
    """
    answers = [
        _answers(workspace, outcome, below, members, breaks)
        for outcome in outcomes
        for below in _kinds_to_try(feeds, group_key(OUTCOME, outcome.name))
    ]
    if not answers:
        return dict(feeds)
    try:
        rows = reduce(DataFrame.unionByName, answers).collect()
    except PySparkException:
        return dict(feeds)
    counts = {
        (row[GROUP], row[LABEL], FeedKind(row["level"], row["name"], row["kind"], row["column"])): (
            row["alike"], row["apart"],
        )
        for row in rows
    }  # fmt: skip

    def with_counts(key: _Key, feed: Feed) -> Feed:
        settled = counts.get((*key, feed.below))
        if settled is None:
            return feed
        matching = counts.get((key[0], MATCHED_LABEL, feed.below), (0, 0))
        return dataclasses.replace(feed, settled=settled[0], unsettled=matching[1])

    return {key: [with_counts(key, feed) for feed in those] for key, those in feeds.items()}


def _kinds_to_try(feeds: Mapping[_Key, list[Feed]], group: str) -> list[FeedKind]:
    most: dict[FeedKind, int] = {}
    for (of, _), those in feeds.items():
        for feed in those:
            if of == group and feed.below.level == STATE:
                most[feed.below] = max(most.get(feed.below, 0), feed.counts.broken_with)
    return sorted(most, key=lambda below: (-most[below], below))[:MOST]


def _answers(
    workspace: Workspace, outcome: Outcome, below: FeedKind, members: DataFrame, breaks: DataFrame
) -> DataFrame:
    """By label, how many of the outcome's decisions are then the legacy's, and how many are not."""
    lake, spark = workspace.lake, workspace.spark
    states = {
        state_name(a.name): lake.read(spark, state_name(a.name))
        for a in workspace.context.aggregates
    }
    name = state_name(below.name)
    of_kind = (
        (F.col("level") == STATE)
        & (F.col("name") == below.name)
        & (F.col("column") == below.column)
    )
    legacy = (
        lake.read(spark, truth_name(below.name))
        .select(
            "subject", F.col(f"`{below.column}`").alias("_legacy"), F.lit(True).alias("_differs")
        )
        .join(breaks.where(of_kind).select("subject"), "subject", "left_semi")
    )
    mended = F.when(F.col("_differs"), F.col("_legacy")).otherwise(F.col(f"`{below.column}`"))
    columns = [
        mended.alias(c) if c == below.column else F.col(f"`{c}`") for c in states[name].columns
    ]
    states[name] = states[name].join(legacy, "subject", "left").select(*columns)
    answered = lake.read(spark, OUTCOMES).where(F.col("outcome") == outcome.name)
    value = answered.select("subject", F.col("legacy").alias("value"))
    again = decisions(
        outcome,
        value.where(F.col("value").isNotNull()),
        query_decisions(outcome, states),
        Lateness(None, None),
    ).select("subject", F.col("class").isin(AGREE, WITHIN_TOLERANCE).alias("_alike"))
    # A subject without a decision on either side agrees.
    alike = F.coalesce("_alike", F.lit(True))
    return (
        members.where(F.col(GROUP) == group_key(OUTCOME, outcome.name))
        .join(again, "subject", "left")
        .groupBy(GROUP, LABEL)
        .agg(F.count_if(alike).alias("alike"), F.count_if(~alike).alias("apart"))
        .withColumns({n: F.lit(v) for n, v in dataclasses.asdict(below).items()})
    )
