"""Where the rollout of each slice stands: one row, changed by compare-and-set, each change kept."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Table, and_, insert, select, update

from cutline.control.columns import as_json
from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import RELEASES, ROLLOUT_LEDGER, ROLLOUTS, SLICES
from cutline.control.plan import (
    LEFT_BEHIND,
    READ_OF_LEDGER,
    Command,
    Ending,
    PlanUnderWay,
    Reads,
    StepEvidence,
    StepName,
    Writes,
)
from cutline.control.records import Authority
from cutline.control.rows import (
    DamagedRow,
    damaged,
    damaged_document,
    read_row,
    readable_key,
)
from cutline.control.shapes import fault_of
from cutline.errors import RunFailed

LedgerEvent = Literal["opened", "begun", "done", "undoing", "undone", "ended"]

READS: tuple[Reads, ...] = get_args(Reads)
WRITES: tuple[Writes, ...] = get_args(Writes)
SETTLE = "settle"
"""What the ledger calls the settling of a decision that was taken without authority."""


class RolloutChanged(RunFailed):
    """Another process changed the rollout since this one looked at it."""


@dataclass(frozen=True)
class Rollout:
    """Where the rollout of a slice stands. Times are UTC.

    `percent` is of mirror and canary alone. `epoch` counts who decided for the slice, `version` the
    changes of this row. `staged` is the newest release that was prepared, `release` the one that
    readers of the new side see, null while there are none; `previous`, `previous_reads` and
    `previous_percent` are what `reverse reads` puts back. `expanded` is the release whose columns
    views show beside those of `release`. `denial` is the epoch of the denial that
    stands in the legacy. `step` and `plan` are null while nothing is under way.
    """

    context: str
    region: str
    reads: Reads
    percent: int | None
    writes: Writes
    epoch: int
    version: int
    staged: int | None
    release: int | None
    previous: int | None
    previous_reads: Reads | None
    previous_percent: int | None
    expanded: int | None
    denial: int | None
    step: StepName | None
    plan: PlanUnderWay | None
    opened_at: dt.datetime
    changed_at: dt.datetime
    ended_at: dt.datetime | None
    ending: Ending | None

    @property
    def is_given_back(self) -> bool:
        """Whether nobody writes, and the new side did last: `reverse writes` is under way."""
        return self.writes == "held" and self.command_under_way == "reverse writes"

    @property
    def is_off_legacy(self) -> bool:
        """Whether the new side writes, or did last and its writes are on their way back."""
        return self.writes == "new" or self.is_given_back

    @property
    def has_no_writer(self) -> bool:
        """Whether neither side may write: writes are held, or the legacy still refuses those that
        it has back."""
        return self.writes == "held" or (self.writes == "legacy" and self.denial is not None)

    @property
    def command_under_way(self) -> Command | None:
        """The command whose plan is under way; None while nothing is."""
        return None if self.plan is None else self.plan.plan.command

    @property
    def authority(self) -> Authority:
        """Who decides for the slice: `shadow` where the new side is read and the legacy writes."""
        if self.writes == "new":
            return "new"
        return "legacy" if self.reads == "legacy" else "shadow"


@dataclass(frozen=True)
class Release:
    """What one run of a slice offers to its readers.

    `positions` has, by topic and partition, the offset behind the history of the release;
    `read_model` is its tables as they were read back, null where the project declares none.
    """

    context: str
    region: str
    release: int
    run_id: str
    timeline_digest: str
    positions: Mapping[str, Mapping[str, int]]
    read_model: Mapping[str, Any] | None
    staged_at: dt.datetime


@dataclass(frozen=True)
class RolloutChange:
    """A change of a rollout, as the ledger keeps it. `values` are columns of the row."""

    command: str
    event: LedgerEvent
    changed_by: str
    step: str | None = None
    why: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LedgerLine:
    """One change of a rollout, and where the rollout stood after it."""

    context: str
    region: str
    version: int
    changed_at: dt.datetime
    changed_by: str
    why: str | None
    command: str
    step: StepName | None
    event: LedgerEvent
    evidence: Mapping[str, Any]
    plan: Mapping[str, Any] | None
    reads: Reads
    percent: int | None
    writes: Writes
    release: int | None
    epoch: int

    @property
    def recorded(self) -> StepEvidence:
        """What a step recorded; nothing of other changes, whose evidence is what was looked at."""
        return cast(StepEvidence, self.evidence) if self.event == "done" else {}


def rolled_out(database: Database, context: str | None) -> list[tuple[str, str]]:
    """Context and region of the slices with a rollout, of a context if it is given, in this
    order. Of their rows no more is looked at; DamagedRow where that cannot be read."""
    key = (ROLLOUTS.c.context, ROLLOUTS.c.region)
    of_context = [] if context is None else [ROLLOUTS.c.context == context]
    with database.read() as connection:
        rows = connection.execute(select(*key).where(*of_context).order_by(*key)).all()
    return [readable_key(database, ROLLOUTS, row) for row in rows]


def rollout(database: Database, context: str, region: str) -> Rollout | None:
    """Where the rollout of a slice stands; None if it was never opened."""
    with database.read() as connection:
        return _standing(database, connection, context, region)


def releases(database: Database, context: str, region: str) -> list[Release]:
    """The releases of a slice, newest first."""
    query = select(RELEASES).where(_slice(RELEASES, context, region))
    with database.read() as connection:
        rows = connection.execute(query.order_by(RELEASES.c.release.desc()))
        return [read_row(database, RELEASES, row, Release) for row in rows]


def damaged_release(
    database: Database, release: Release, column: str, error: ValidationError
) -> DamagedRow:
    """The error of a release whose column holds a document of another form."""
    key = {name: getattr(release, name) for name in ("context", "region", "release")}
    return damaged_document(database, RELEASES, key, column, error)


def rollout_ledger(database: Database, context: str, region: str) -> list[LedgerLine]:
    """Every change of the rollout of a slice, newest first. DamagedRow where one is missing: who
    wrote the slice when could not be said without it."""
    version = select(ROLLOUTS.c.context, ROLLOUTS.c.region, ROLLOUTS.c.version).where(
        _slice(ROLLOUTS, context, region)
    )
    query = select(ROLLOUT_LEDGER).where(_slice(ROLLOUT_LEDGER, context, region))
    with database.read() as connection:
        # The row first: of lines there may be more by now, and never fewer.
        standing = connection.execute(version).one_or_none()
        rows = connection.execute(query.order_by(ROLLOUT_LEDGER.c.version.desc()))
        lines = [_line(database, row) for row in rows]
    if standing is not None and isinstance(standing.version, int):
        numbers = {line.version for line in lines}
        every = range(1, max(standing.version, *numbers, 0) + 1)
        if missing := next((number for number in every if number not in numbers), None):
            why = f"and {ROLLOUT_LEDGER.name} has no line of version {missing}"
            raise damaged(database, ROLLOUTS, standing, "version", standing.version, why)
    return lines


def open_rollout(database: Database, lease: Lease, version: int, change: RolloutChange) -> Rollout:
    """A rollout that stands at its beginning, with its line in the ledger.

    RolloutChanged unless the slice has none (version 0), or one of this version that was
    cancelled. That is begun anew; its ledger and releases stay, and its epoch goes on counting.
    """
    with fenced_transaction(database, lease) as connection:
        standing = _standing(database, connection, lease.context, lease.region)
        stands_at = 0 if standing is None else standing.version
        if stands_at != version or (standing is not None and standing.ending != "cancelled"):
            raise _changed_error(lease, version)
        now = database.now(connection)
        values: dict[str, Any] = {
            **{column.name: None for column in ROLLOUTS.columns},
            "context": lease.context,
            "region": lease.region,
            "reads": "legacy",
            "writes": "legacy",
            "epoch": 1 if standing is None else standing.epoch + 1,
            "version": 1 if standing is None else standing.version + 1,
            "opened_at": now,
            "changed_at": now,
        }
        if standing is None:
            connection.execute(insert(ROLLOUTS).values(**values))
        else:
            where = _slice(ROLLOUTS, lease.context, lease.region)
            connection.execute(update(ROLLOUTS).where(where).values(**values))
        return _with_ledger_line(database, connection, lease, change)


def change_rollout(
    database: Database,
    lease: Lease,
    version: int,
    change: RolloutChange,
    release: Release | None = None,
) -> Rollout:
    """The rollout with a change, made in one transaction with its line in the ledger, the slice's
    authority and a new release.

    RolloutChanged, and nothing is changed, unless the row still has this version.
    """
    with fenced_transaction(database, lease) as connection:
        now = database.now(connection)
        where = and_(_slice(ROLLOUTS, lease.context, lease.region), ROLLOUTS.c.version == version)
        values = {**change.values, "version": version + 1, "changed_at": now}
        if change.event == "ended":
            values["ended_at"] = now
        if connection.execute(update(ROLLOUTS).where(where).values(**values)).rowcount == 0:
            raise _changed_error(lease, version)
        if release is not None:
            stored = dataclasses.asdict(release) | {"staged_at": now}
            connection.execute(insert(RELEASES).values(**stored))
        return _with_ledger_line(database, connection, lease, change)


def _with_ledger_line(
    database: Database, connection: Connection, lease: Lease, change: RolloutChange
) -> Rollout:
    """The row as it stands now; the ledger gets its line, and the slice its authority."""
    rollout = _standing(database, connection, lease.context, lease.region)
    assert rollout is not None
    connection.execute(
        insert(ROLLOUT_LEDGER).values(
            context=rollout.context,
            region=rollout.region,
            version=rollout.version,
            changed_at=rollout.changed_at,
            changed_by=change.changed_by,
            why=change.why,
            command=change.command,
            step=change.step,
            event=change.event,
            evidence=as_json(dict(change.evidence)),
            plan=change.values.get("plan") if change.event == "begun" else None,
            reads=rollout.reads,
            percent=rollout.percent,
            writes=rollout.writes,
            release=rollout.release,
            epoch=rollout.epoch,
        )
    )
    where = _slice(SLICES, lease.context, lease.region)
    connection.execute(update(SLICES).where(where).values(authority=rollout.authority))
    return rollout


def _standing(
    database: Database, connection: Connection, context: str, region: str
) -> Rollout | None:
    row = connection.execute(select(ROLLOUTS).where(_slice(ROLLOUTS, context, region))).first()
    if row is None:
        return None
    rollout = read_row(database, ROLLOUTS, row, Rollout)
    query = select(RELEASES.c.release).where(_slice(RELEASES, context, region))
    numbers = set(connection.scalars(query))
    for column in ("staged", "release", "previous", "expanded"):
        number = getattr(rollout, column)
        if number is not None and number not in numbers:
            why = f"and {RELEASES.name} has no release of that number of the slice"
            raise damaged(database, ROLLOUTS, row, column, number, why)
    for column in ("percent", "previous_percent"):
        percent = getattr(rollout, column)
        if percent is not None and not 1 <= percent <= 100:
            raise damaged(database, ROLLOUTS, row, column, percent, "which is not from 1 to 100")
    if rollout.ended_at is not None and rollout.ending is None:
        raise damaged(database, ROLLOUTS, row, "ending", None, "and ended_at says that it ended")
    if rollout.ended_at is None and rollout.ending is not None:
        raise damaged(database, ROLLOUTS, row, "ended_at", None, "and ending says that it ended")
    _refuse_plan(database, row, rollout)
    return rollout


def _refuse_plan(database: Database, row: Any, rollout: Rollout) -> None:
    """Raises DamagedRow where step and plan of a rollout contradict each other."""
    plan, step = rollout.plan, rollout.step
    if plan is None:
        if step is not None:
            raise damaged(database, ROLLOUTS, row, "plan", None, f"and step {step} is under way")
        return
    stored = row._mapping[ROLLOUTS.c.plan]
    if (plan.plan.context, plan.plan.region) != (rollout.context, rollout.region):
        why = f"which is of {plan.plan.context}/{plan.plan.region}"
        raise damaged(database, ROLLOUTS, row, "plan", stored, why)
    if step is None:
        raise damaged(database, ROLLOUTS, row, "step", None, "and a plan is under way")
    if (fault := plan.fault_at(step)) is not None:
        raise damaged(database, ROLLOUTS, row, "plan", stored, f"whose {fault}")


def _line(database: Database, row: Any) -> LedgerLine:
    line = read_row(database, ROLLOUT_LEDGER, row, LedgerLine)
    if (fault := fault_of(StepEvidence, line.recorded)) is not None:
        raise damaged(database, ROLLOUT_LEDGER, row, "evidence", line.evidence, fault)
    needed: tuple[str, ...] = ()
    if line.event == "done" and line.step in READ_OF_LEDGER:
        needed = LEFT_BEHIND[line.step]
    elif line.event == "done" and line.command == SETTLE:
        needed = ("settled",)
    if missing := [name for name in needed if name not in line.evidence]:
        why = f"which has no {missing[0]}"
        raise damaged(database, ROLLOUT_LEDGER, row, "evidence", line.evidence, why)
    return line


def _slice(table: Table, context: str, region: str) -> ColumnElement[bool]:
    return and_(table.c.context == context, table.c.region == region)


def _changed_error(lease: Lease, version: int) -> RolloutChanged:
    return RolloutChanged(
        f"The rollout of {lease.context}/{lease.region} was changed by somebody else: it is no "
        f"longer at version {version}.",
        left_behind="Nothing was changed by this command.",
        next_step=f"Look at it: cutline rollout show {lease.context}",
    )
