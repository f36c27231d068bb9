"""From decisions that differ to what feeds them: links, counted and tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Outcome
from cutline.masking import Masking
from cutline.spark.no_rows import no_rows
from cutline.tables import LINKS
from cutline.tables.breaks import OUTCOME
from cutline.workspace import Workspace
from cutline_reconciliation.explain.counting import GROUP, LABEL, Likely
from cutline_reconciliation.explain.feeding.counted import feeds_of
from cutline_reconciliation.explain.feeding.feed import Feed, explaining
from cutline_reconciliation.explain.feeding.links import as_table, linked
from cutline_reconciliation.explain.feeding.settled import with_settled

_Key = tuple[str, str]


@dataclass(frozen=True)
class Fed:
    """What feeds the decisions that differ."""

    links: DataFrame
    """The rows of LINKS."""
    feeds: Mapping[_Key, Feed] = field(default_factory=dict)
    """By group and cluster the breaks that explain its decisions best; none where none does."""


def fed(
    workspace: Workspace,
    clusters: Sequence[Mapping[str, Any]],
    breaks: DataFrame,
    members: DataFrame,
    known: Mapping[_Key, Likely],
    masking: Masking,
    once: Callable[[str, DataFrame], DataFrame],
) -> Fed:
    """What feeds the decisions of `clusters`, where breaks are below them.

    `breaks` have their clusters; `members` are the subjects of each cluster and those that match:
    `grouped`, `label`, `aggregate`, `subject`; `known` says how many these are. `once` keeps a
    frame that is read several times.
    """
    outcomes = _broken(workspace, clusters)
    below = sorted({row["name"] for row in clusters if row["level"] != OUTCOME})
    if not outcomes or not below:
        return Fed(no_rows(workspace.spark, LINKS.ddl))
    groups = [f"{OUTCOME}/{one.name}" for one in outcomes]
    decisions = members.where(F.col(GROUP).isin(groups)).select(
        GROUP, LABEL, "aggregate", "subject"
    )
    links = once("links", linked(workspace, outcomes, decisions, breaks, below, masking))
    feeds = with_settled(workspace, outcomes, feeds_of(links, known), decisions, breaks)
    best = {key: found[0] for key, those in feeds.items() if (found := explaining(those))}
    return Fed(as_table(links), best)


def _broken(workspace: Workspace, clusters: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    names = {row["name"] for row in clusters if row["level"] == OUTCOME}
    return [one for one in workspace.context.outcomes if one.name in names]
