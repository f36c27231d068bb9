"""The feeds of broken decisions and states: links are counted, and decisions taken again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Outcome
from cutline.masking import Masking
from cutline.spark.no_rows import no_rows
from cutline.tables import LINKS
from cutline.tables.breaks import OUTCOME, STATE
from cutline.workspace import Workspace
from cutline_reconciliation.explain.attributes import LABEL, MATCHED_LABEL
from cutline_reconciliation.explain.feeding.count_feeds import count_feeds
from cutline_reconciliation.explain.feeding.feed import Feed, feeds_to_show
from cutline_reconciliation.explain.feeding.links import decision_links, links_table, state_links
from cutline_reconciliation.explain.feeding.possible_feeds import possible_feeds
from cutline_reconciliation.explain.feeding.settled import with_settled
from cutline_reconciliation.explain.groups import GROUP, group_key
from cutline_reconciliation.explain.likely_causes import LikelyCauses

_Key = tuple[str, str]


@dataclass(frozen=True)
class FeedingResult:
    """The feeds of the broken decisions and states of a run."""

    links: DataFrame
    """The rows of LINKS."""
    feeds: Mapping[_Key, Sequence[Feed]] = field(default_factory=dict)
    """By group and cluster the feeds that explain it, the best first; empty if none does."""


def find_feeds(
    workspace: Workspace,
    clusters: Sequence[Mapping[str, Any]],
    breaks: DataFrame,
    exceptions: DataFrame,
    members: DataFrame,
    attribute_causes: Mapping[_Key, LikelyCauses],
    looked_into: Collection[str] | None,
    masking: Masking,
    materialize: Callable[[str, DataFrame], DataFrame],
) -> FeedingResult:
    """The feeds of the decisions and the states of `clusters`.

    `breaks` have their clusters; `exceptions` are those of history. `members` has the subjects of
    each cluster and the matches: `grouped`, `label`, `aggregate`, `subject`; `attribute_causes` has
    their numbers. Where `looked_into` is not None, feeds are counted for those clusters
    alone; links are of all. `materialize` writes a frame that is read several times to scratch.
    """
    outcomes = _broken(workspace, clusters)
    states = sorted({row["name"] for row in clusters if row["level"] == STATE})
    if not outcomes and not states:
        return FeedingResult(no_rows(workspace.spark, LINKS.ddl))
    possible = materialize("below", possible_feeds(workspace, breaks, exceptions, masking))
    subjects = members.select(GROUP, LABEL, "aggregate", "subject")
    decisions = subjects.where(
        F.col(GROUP).isin([group_key(OUTCOME, one.name) for one in outcomes])
    )
    frames = []
    if outcomes:
        broken = sorted({row["name"] for row in clusters if row["level"] != OUTCOME})
        frames.append(decision_links(workspace, outcomes, decisions, breaks, broken, possible))
    if states:
        differing = subjects.where(F.col(GROUP).isin([group_key(STATE, name) for name in states]))
        frames.append(state_links(workspace, differing, possible))
    links = materialize("links", reduce(DataFrame.unionByName, frames))
    counted = links
    if looked_into is not None:
        counted = links.where(F.col(LABEL).isin(MATCHED_LABEL, *looked_into))
    feeds = with_settled(
        workspace, outcomes, count_feeds(counted, attribute_causes), decisions, breaks
    )
    return FeedingResult(
        links_table(links), {key: feeds_to_show(those) for key, those in feeds.items()}
    )


def _broken(workspace: Workspace, clusters: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    names = {row["name"] for row in clusters if row["level"] == OUTCOME}
    return [one for one in workspace.context.outcomes if one.name in names]
