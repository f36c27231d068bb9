"""The board: where the rollout of every slice stands, and what can be done next."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from cutline.api.moment import moment_text
from cutline.api.runs.listing import BreakTrend
from cutline.control import Control, DamagedRow, RunRecord
from cutline.control.rollouts import Rollout
from cutline.display import ResultList
from cutline.errors import ConfigurationError
from cutline.feed import FeedStanding, feed_standings
from cutline.project import LoadedProject
from cutline.readiness import Readiness, readiness_of
from cutline.results import MergeResult
from cutline.rollout.hold_end import hold_end
from cutline.run.naming import changed_settings
from cutline.secrets import document_as_written

NEVER_OPENED = "never opened"
DAMAGED = "damaged"
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class RolloutOverview:
    """Where the rollout of one slice stands, and what can be done next.

    `stands` is `never opened`, `open`, a command that is under way, `complete`, `cancelled`, or
    `damaged`;
    `step` is that of a command under way. `reads` and `percent`, `writes` and `epoch` say who is
    read and who writes; `denial` is the epoch of the denial that stands in the legacy. While nobody
    writes, `held_until` is when that ends, None for a denial without an end, and `is_hold_over`
    says that it has ended and nobody went on with it or took it back. `run_id` is
    the run of the release that readers see, `last_run` the slice's newest run with its `decision`,
    its `open_breaks`, those `opened` and `fixed` since the run before, its `exceptions`, and
    `read_up_to`, the commit time of the newest change of the source that is furthest behind; None
    where it has none yet. `readiness` says how many gates have which colour; None where
    cutline.yaml declares none for the context. `feed` says how far the versions of the read model
    that are fed are behind the live topics. `next` are commands. Times are UTC.

    `damage` is the error of a row of the slice in the control database that cannot be read: then
    `reads` and `writes` are `unknown`, and nothing else is said of it.

    Of a slice that cutline.yaml has no more, `is_declared` is false: what stands in the control
    database is there, and neither readiness, feed nor commands are, as nothing can be done with it
    before it is declared again.
    """

    context: str
    region: str
    is_declared: bool
    stands: str
    step: str | None
    reads: str
    percent: int | None
    writes: str
    epoch: int | None
    denial: int | None
    held_until: dt.datetime | None
    is_hold_over: bool
    release: int | None
    run_id: str | None
    staged: int | None
    previous: int | None
    expanded: int | None
    last_run: str | None
    decision: str | None
    open_breaks: int | None
    opened: int | None
    fixed: int | None
    exceptions: int | None
    read_up_to: dt.datetime | None
    changed_at: dt.datetime | None
    readiness: str | None
    feed: tuple[FeedStanding, ...]
    next: tuple[str, ...]
    damage: ConfigurationError | None = None

    @property
    def read_by(self) -> str:
        """Who is read, such as `canary 5 %`."""
        share = "" if self.percent is None else f" {self.percent} %"
        return f"{self.reads}{share}"

    @property
    def written_by(self) -> str:
        """Who writes; of a hold when it ends, or what there is when it has ended by itself."""
        until = self.held_until
        if self.writes == "legacy" and self.denial is not None:
            return f"legacy, which refuses them still by a denial of epoch {self.denial}"
        if until is None:
            return self.writes
        if not self.is_hold_over:
            return f"held until {until:%Y-%m-%d %H:%M:%S}"
        if self.stands == "switch writes":
            return f"held in the row; the hold ended at {until:%H:%M:%S}, and the legacy takes them"
        return f"held, by nobody who goes on: its time was over at {until:%H:%M:%S}"

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline rollout show --json`."""
        values = asdict(replace(self, damage=None))
        named = ("held_until", "read_up_to", "changed_at")
        times = {n: moment_text(getattr(self, n)) for n in named}
        renamed = {"slice" if name == "region" else name: v for name, v in values.items()}
        feed = [asdict(fed) | {"fed_at": moment_text(fed.fed_at)} for fed in self.feed]
        damage = None if self.damage is None else self.damage.what
        return renamed | times | {"feed": feed, "next": list(self.next), "damage": damage}


def undeclared_rollouts(
    control: Control | None, declared: Collection[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The slices with a rollout that is not cancelled, of those that cutline.yaml has no more;
    also those whose row cannot be read."""
    if control is None:
        return []
    return [
        (context, region)
        for context, region in control.rolled_out()
        if (context, region) not in declared and not _is_cancelled(control, context, region)
    ]


def _is_cancelled(control: Control, context: str, region: str) -> bool:
    try:
        rollout = control.rollout(context, region)
    except DamagedRow:
        return False
    return rollout is not None and rollout.ending == "cancelled"


def board(
    control: Control | None,
    wanted: Iterable[tuple[str, str]],
    load: Callable[[str], LoadedProject],
    undeclared: Collection[tuple[str, str]] = (),
) -> ResultList[RolloutOverview]:
    """One overview per wanted slice, in this order; `load` gives cutline.yaml as a region sees it,
    which has none of `undeclared`."""

    def overview(context: str, region: str) -> RolloutOverview:
        is_declared = (context, region) not in undeclared
        try:
            if is_declared:
                return overview_of(control, load(region), context, region)
            return _overview(control, None, context, region, None, ())
        except DamagedRow as error:
            return _damaged(context, region, error, is_declared=is_declared)

    return ResultList(overview(context, region) for context, region in wanted)


def _damaged(context: str, region: str, error: DamagedRow, *, is_declared: bool) -> RolloutOverview:
    """The overview of a slice of which a row cannot be read: nothing is said that may not be so."""
    empty: dict[str, Any] = dict.fromkeys(field.name for field in fields(RolloutOverview))
    values: dict[str, Any] = {
        "context": context,
        "region": region,
        "is_declared": is_declared,
        "stands": DAMAGED,
        "reads": _UNKNOWN,
        "writes": _UNKNOWN,
        "is_hold_over": False,
        "feed": (),
        "next": (),
        "damage": error,
    }
    return RolloutOverview(**(empty | values))


def overview_of(
    control: Control | None, project: LoadedProject, context: str, region: str
) -> RolloutOverview:
    """The overview of a slice, of the project as its region sees it."""
    feed = feed_standings(project, control, context, region) if control else []
    return overview_with(control, project, readiness_of(project, control, context, region), feed)


def overview_with(
    control: Control | None,
    project: LoadedProject,
    readiness: Readiness,
    feed: Iterable[FeedStanding],
) -> RolloutOverview:
    """The overview of the slice whose gates and feed say this; without a control database nothing
    was ever run."""
    return _overview(control, project, readiness.context, readiness.region, readiness, feed)


def _overview(
    control: Control | None,
    project: LoadedProject | None,
    context: str,
    region: str,
    readiness: Readiness | None,
    feed: Iterable[FeedStanding],
) -> RolloutOverview:
    """The overview of a slice; without `project` and `readiness` it is declared no more."""
    rollout = control.rollout(context, region) if control else None
    newest = next(iter(control.runs(context, region)), None) if control else None
    trend = control.trends(context, region).get(newest.run_id) if control and newest else None
    breaks = BreakTrend(trend.compared_with, trend.levels) if trend else None
    release = (
        next((r for r in control.releases(context, region) if r.release == rollout.release), None)
        if control and rollout and rollout.release is not None
        else None
    )
    until = hold_end(rollout) if rollout else None
    is_outdated = bool(project and newest and changed_settings(project, newest))
    return RolloutOverview(
        context=context,
        region=region,
        is_declared=readiness is not None,
        stands=_stands(rollout),
        step=rollout.step if rollout else None,
        reads=rollout.reads if rollout else "legacy",
        percent=rollout.percent if rollout else None,
        writes=rollout.writes if rollout else "legacy",
        epoch=rollout.epoch if rollout else 0,
        denial=rollout.denial if rollout else None,
        held_until=until,
        is_hold_over=until is not None and control is not None and until <= control.now(),
        release=rollout.release if rollout else None,
        run_id=release.run_id if release else None,
        staged=rollout.staged if rollout else None,
        previous=rollout.previous if rollout else None,
        expanded=rollout.expanded if rollout else None,
        last_run=newest.run_id if newest else None,
        decision=newest.decision if newest else None,
        open_breaks=breaks.open if breaks else None,
        opened=breaks.opened + breaks.reopened if breaks else None,
        fixed=breaks.fixed if breaks else None,
        exceptions=_exceptions(newest),
        read_up_to=min(newest.watermarks().values(), default=None) if newest else None,
        changed_at=rollout.changed_at if rollout else None,
        readiness=readiness.summary if readiness and readiness.declared else None,
        feed=tuple(feed),
        next=tuple(
            f"cutline {words}"
            for words in (
                _next(rollout, newest, context, region, is_outdated=is_outdated)
                if readiness
                else ()
            )
        ),
    )


def _exceptions(record: RunRecord | None) -> int | None:
    """The exceptions of a run; null until it is merged."""
    if record is None or record.result_of(MergeResult) is None:
        return None
    return sum(record.book("exceptions").values())


def _stands(rollout: Rollout | None) -> str:
    if rollout is None:
        return NEVER_OPENED
    return rollout.command_under_way or rollout.ending or "open"


def _next(
    rollout: Rollout | None,
    newest: RunRecord | None,
    context: str,
    region: str,
    *,
    is_outdated: bool,
) -> list[str]:
    place = f"{context} --region {region}"
    if rollout is None or rollout.ending == "cancelled":
        return [f"rollout open {place}"]
    if rollout.ending == "complete":
        return []
    if rollout.plan is not None:
        is_behind = rollout.step is not None and rollout.plan.plan.is_behind_return(rollout.step)
        back = [] if is_behind else [f"rollout cancel {place}"]
        return [f"rollout resume {place}", *back]
    if rollout.writes == "new":
        return [f"rollout complete {place}", f"rollout reverse writes {place}"]
    back = [] if rollout.reads == "legacy" else [f"rollout reverse reads {place}"]
    if newest is None or newest.decision is None:
        return [f"run {place}", *back]
    if newest.decision != "go" or is_outdated:
        # The inputs may be those of an earlier run again.
        return [f"run {place} --again", *back]
    if rollout.expanded is not None:
        readers = f"rollout migrate {context} READER --region {region} --by NAME"
        return [readers, f"rollout contract {place}", *back]
    commands = []
    number = rollout.staged or rollout.release
    if number is None:
        return [f"rollout stage {place} {newest.run_id}"]
    if rollout.staged not in (None, rollout.release) or rollout.reads != "new":
        if rollout.reads == "legacy":
            commands.append(f"rollout mirror {place} 100")
        commands.append(f"rollout switch reads {place}")
    else:
        commands.append(f"rollout switch writes {place}")
    return [*commands, *back]
