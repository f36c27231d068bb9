"""From what differs to what feeds it from below: links, counted, and of decisions tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from cutline_reconciliation.explain.counting import GROUP, LABEL, Likely
from cutline_reconciliation.explain.feeding.below import below
from cutline_reconciliation.explain.feeding.counted import feeds_of
from cutline_reconciliation.explain.feeding.feed import Feed, worth_telling
from cutline_reconciliation.explain.feeding.links import as_table, of_decisions, of_states
from cutline_reconciliation.explain.feeding.settled import with_settled

_Key = tuple[str, str]


@dataclass(frozen=True)
class Fed:
    """What feeds the decisions and the states that differ."""

    links: DataFrame
    """The rows of LINKS."""
    feeds: Mapping[_Key, Sequence[Feed]] = field(default_factory=dict)
    """By group and cluster what is told of it from below, the best first; none where nothing
    explains it."""


def fed(
    workspace: Workspace,
    clusters: Sequence[Mapping[str, Any]],
    breaks: DataFrame,
    exceptions: DataFrame,
    members: DataFrame,
    known: Mapping[_Key, Likely],
    masking: Masking,
    once: Callable[[str, DataFrame], DataFrame],
) -> Fed:
    """What feeds the decisions and the states of `clusters`.

    `breaks` have their clusters; `exceptions` are those of history; `members` are the subjects of
    each cluster and those that match: `grouped`, `label`, `aggregate`, `subject`; `known` says how
    many these are. `once` keeps a frame that is read several times.
    """
    outcomes = _broken(workspace, clusters)
    states = sorted({row["name"] for row in clusters if row["level"] == STATE})
    if not outcomes and not states:
        return Fed(no_rows(workspace.spark, LINKS.ddl))
    things = once("below", below(workspace, breaks, exceptions, masking))
    every = members.select(GROUP, LABEL, "aggregate", "subject")
    decisions = every.where(F.col(GROUP).isin([f"{OUTCOME}/{one.name}" for one in outcomes]))
    frames = []
    if outcomes:
        broken = sorted({row["name"] for row in clusters if row["level"] != OUTCOME})
        frames.append(of_decisions(workspace, outcomes, decisions, breaks, broken, things))
    if states:
        differing = every.where(F.col(GROUP).isin([f"{STATE}/{name}" for name in states]))
        frames.append(of_states(workspace, differing, things))
    links = once("links", reduce(DataFrame.unionByName, frames))
    feeds = with_settled(workspace, outcomes, feeds_of(links, known), decisions, breaks)
    return Fed(as_table(links), {key: worth_telling(those) for key, those in feeds.items()})


def _broken(workspace: Workspace, clusters: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    names = {row["name"] for row in clusters if row["level"] == OUTCOME}
    return [one for one in workspace.context.outcomes if one.name in names]
