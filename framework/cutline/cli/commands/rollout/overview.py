"""Where a rollout stands, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutline.api import FeedStanding, RolloutOverview


def overview_lines(overview: RolloutOverview) -> list[str]:
    """What is said of one slice."""
    head = f"{overview.context}/{overview.region}: {overview.stands}"
    lines = [head + (f", at step {overview.step}" if overview.step else "")]
    lines.append(f"  reads    {overview.read_by}")
    lines.append(f"  writes   {overview.written_by}, epoch {overview.epoch}")
    if overview.denial is not None:
        lines.append(f"  denial   of epoch {overview.denial}, in the legacy")
    if overview.release is not None:
        lines.append(f"  release  {overview.release}, run {overview.run_id}")
    if overview.expanded is not None:
        lines.append(f"  columns  those of release {overview.expanded} as well")
    if overview.staged not in (None, overview.release):
        lines.append(f"  staged   {overview.staged}")
    if overview.last_run:
        lines.append(f"  newest   run {overview.last_run}, {newest(overview)}")
    lines.append(f"  ready    {readiness(overview)}")
    if overview.feed:
        lines.append(f"  feed     {feed(overview)}")
    lines += [f"  next     {command}" for command in overview.next]
    return lines


def readiness(overview: RolloutOverview) -> str:
    """How many gates have which colour."""
    return overview.readiness or "not declared"


def feed(overview: RolloutOverview) -> str:
    """How far each version that is fed is behind, such as `version 2: 12 records behind, fed at
    2026-11-02 10:00:00`."""
    return "; ".join(map(_fed, overview.feed))


def _fed(fed: FeedStanding) -> str:
    behind = "the topics do not answer" if fed.behind is None else f"{fed.behind:,} records behind"
    aside = sum(fed.aside.values())
    more = f", {aside:,} put aside" if aside else ""
    return f"version {fed.version}: {behind}, fed at {fed.fed_at:%Y-%m-%d %H:%M:%S}{more}"


def newest(overview: RolloutOverview) -> str:
    """The newest run's decision with its breaks, exceptions and how far it read, such as
    `go, 3 breaks (+1 -2)`."""
    words = [overview.decision or "not decided"]
    if overview.open_breaks is not None:
        trend = f"(+{overview.opened:,} -{overview.fixed:,})"
        words.append(f"{overview.open_breaks:,} breaks {trend}")
    if overview.exceptions is not None:
        words.append(f"{overview.exceptions:,} exceptions")
    if overview.read_up_to is not None:
        words.append(f"read up to {overview.read_up_to:%Y-%m-%d %H:%M}")
    return ", ".join(words)
