"""Repairs of tables of windows, for Python code and the command line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cutline.api.moment import exact_moment_text
from cutline.api.replays import moment_of
from cutline.display import paragraph, table
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.repair.performing import RepairEnd
    from cutline.repair.prepared import RepairWork

_AFTER = ("merge", "replace")
_UNCHANGED = "Nothing was changed."


@dataclass(frozen=True)
class RepairedWindow:
    """Rows of the window that begins at `begin`: `before` were in the table, `after` were computed,
    and `wrong` are those of the table that are other, missing or too much."""

    begin: dt.datetime
    before: int
    after: int
    wrong: int


@dataclass(frozen=True)
class RepairCheckOutcome:
    """Something that must hold before a table changes, whether it does, and what was looked at."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True)
class WindowRepair:
    """Windows of a table from `begin` to before `end` that were computed anew, or with `dry_run`
    only looked at.

    `changed` says whether the table has what was computed now, and `corrections` how many events
    about it were sent. `checks` must all hold for either. `events` counted, `late` came when their
    window was closed, `exceptions` nobody can read. `windows` are those that have rows, `samples`
    some of the wrong ones in words, `checksums` by column the sum over what was computed. `state`
    is the moment of the checkpoint that was begun from, `beginning`, or `nothing`; null where the
    repair declares no state. `per_second` records were read and computed, null where an earlier
    attempt did a part of it, `live_per_second` came. `slow` says that the repair was to be faster.
    `went_on`: an earlier attempt had begun it.
    """

    id: str
    name: str
    begin: dt.datetime
    end: dt.datetime
    dry_run: bool
    changed: bool
    corrections: int
    went_on: bool
    checks: Sequence[RepairCheckOutcome]
    events: int
    late: int
    exceptions: int
    windows: Sequence[RepairedWindow]
    samples: Sequence[str]
    checksums: Mapping[str, str]
    state: str | None
    records: int | None
    per_second: float | None
    live_per_second: float
    slow: bool

    @property
    def holds(self) -> bool:
        """Whether all checks hold."""
        return all(check.holds for check in self.checks)

    @property
    def wrong(self) -> int:
        """Rows that are wrong in the table, or were before it changed."""
        return sum(window.wrong for window in self.windows)

    @property
    def times_live(self) -> float | None:
        """How many times as fast as the records came they were computed; null where that is not
        known."""
        return _times(self.per_second, self.live_per_second)

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline repair window --json`."""
        windows = [asdict(w) | {"begin": exact_moment_text(w.begin)} for w in self.windows]
        moments = _moments(self.begin, self.end)
        return {**asdict(self), **moments, "windows": windows, "wrong": self.wrong}

    def _repr_html_(self) -> str:
        rows = [[c.name, "yes" if c.holds else "no", c.detail] for c in self.checks]
        return paragraph(f"repair {self.name}: {self.wrong:,} wrong rows") + table(
            ["check", "holds", "what was looked at"], rows
        )


@dataclass(frozen=True)
class ReversedRepair:
    """A repair whose windows have the rows of before again."""

    name: str
    id: str
    begin: dt.datetime
    end: dt.datetime

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline repair reverse --json`."""
        moments = _moments(self.begin, self.end)
        return {**asdict(self), **moments}


@dataclass(frozen=True)
class RepairCheckpoint:
    """The state of all events before a moment, kept in the table `place`."""

    name: str
    moment: dt.datetime
    place: str

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline repair checkpoint --json`."""
        return {**asdict(self), "moment": exact_moment_text(self.moment)}


@dataclass(frozen=True)
class TableRepair:
    """What can be done with a repair of cutline.yaml."""

    project: LoadedProject
    name: str
    session: Callable[[], AbstractContextManager[None]]

    def window(
        self,
        since: str | dt.datetime,
        until: str | dt.datetime,
        *,
        after: Literal["merge", "replace"] = "merge",
        corrections: bool = False,
        spot_checks: str | Path | None = None,
        pass_exceptions: bool = False,
        cold: bool = False,
        dry_run: bool = False,
        plan_anew: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> WindowRepair:
        """Compute the windows from `since` to before `until` (ISO 8601 with a zone) anew, and put
        them in place of those of the table, if all checks hold; else nothing changes.

        `after` says what becomes of later windows: `merge` leaves them as the job wrote them,
        `replace` replaces all that are closed as well. With `corrections` the table stays, and what
        is wrong in it is told on the topic that is declared for it. `spot_checks` is a file of rows
        that are known to be right. With `pass_exceptions` records that nobody can read are left
        out; with `cold` the state is empty where nobody knows what came before. `dry_run` looks
        only. The same call goes on where a killed one was; with `plan_anew` that is forgotten.

        ConfigurationError for windows that are not closed, queries that are wrong, and a table that
        is not there.
        """
        from cutline.repair.performing import look_at_repair, perform_repair

        if after not in _AFTER:
            raise ConfigurationError(
                f"after: {after!r} is neither merge nor replace.",
                left_behind=_UNCHANGED,
                next_step="Leave it out to merge.",
            )
        begin, end = (
            moment_of(option, moment, _UNCHANGED)
            for option, moment in (("--from", since), ("--to", until))
        )
        if begin is None or end is None:
            raise ConfigurationError(
                "A window has a beginning and an end.",
                left_behind=_UNCHANGED,
                next_step="Give --from and --to.",
            )
        with self.session():
            work = self._work(
                begin,
                end,
                say,
                after=after,
                corrections=corrections,
                spot_checks=None if spot_checks is None else Path(spot_checks),
                pass_exceptions=pass_exceptions,
                cold=cold,
            )
            done = look_at_repair(work) if dry_run else perform_repair(work, plan_anew=plan_anew)
        pace = self.project.file.repairs[self.name].pace
        return _window_repair(self.name, done, dry_run=dry_run, pace=pace)

    def reverse(self) -> ReversedRepair:
        """Put the rows back that the newest repair has replaced.

        RepairRefused, whose exit code is 1, where there is none, or where somebody has written into
        its windows since.
        """
        from cutline.control import REPAIR_LEASES, Control
        from cutline.repair.prepared import output_of
        from cutline.repair.swapping import put_back

        control = Control.open(self.project.file.control, self.project.folder)
        with control.lease(REPAIR_LEASES, self.name):
            performed = put_back(output_of(self.project, self.name), self.name)
        return ReversedRepair(self.name, performed.id, performed.begin, performed.end)

    def checkpoint(
        self,
        at: str | dt.datetime,
        *,
        cold: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> RepairCheckpoint:
        """Keep the state of all events before the moment `at`, from which later repairs begin.

        ConfigurationError where the repair declares no state, where no window begins at that
        moment, and where what came before is gone, unless `cold` says that it does not matter.
        """
        from cutline.repair.performing import make_checkpoint

        moment = moment_of("--at", at, _UNCHANGED)
        assert moment is not None
        with self.session():
            size = self.project.file.repairs[self.name].size
            # Where none can be before it, the request is refused by its year.
            begin = moment - size if moment.year > 1 else moment
            work = self._work(begin, moment, say, cold=cold, options=("--at", "--at"))
            newest = make_checkpoint(work, moment)
        return RepairCheckpoint(self.name, newest.moment, newest.place)

    def _work(
        self, begin: dt.datetime, end: dt.datetime, say: Callable[[str], None], **options: Any
    ) -> RepairWork:
        from cutline.control import Control
        from cutline.repair.prepared import RepairWork
        from cutline.repair.request import RepairRequest

        request = RepairRequest(self.name, begin, end, **options)
        control = Control.open(self.project.file.control, self.project.folder)
        return RepairWork(self.project, control, request, _now, say)


def _moments(begin: dt.datetime, end: dt.datetime) -> dict[str, str]:
    return {"begin": exact_moment_text(begin), "end": exact_moment_text(end)}


def _times(per_second: float | None, live_per_second: float) -> float | None:
    return None if per_second is None or not live_per_second else per_second / live_per_second


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _window_repair(name: str, done: RepairEnd, *, dry_run: bool, pace: float) -> WindowRepair:
    per_second = None if done.pace is None else done.pace.per_second
    times = _times(per_second, done.live_per_second)
    return WindowRepair(
        id=done.id,
        name=name,
        begin=done.begin,
        end=done.end,
        dry_run=dry_run,
        changed=done.changed,
        corrections=done.corrections,
        went_on=done.went_on,
        checks=[RepairCheckOutcome(c.name, c.holds, c.detail) for c in done.checks],
        events=done.counts.events,
        late=done.counts.late,
        exceptions=done.counts.exceptions,
        windows=[RepairedWindow(w.begin, w.before, w.after, w.wrong) for w in done.windows],
        samples=list(done.samples),
        checksums=done.after.checksums(),
        state=done.state,
        records=None if done.pace is None else done.pace.records,
        per_second=per_second,
        live_per_second=done.live_per_second,
        slow=times is not None and times < pace,
    )
