"""Where the rollout of each slice stands: one row, changed by compare-and-set, each change kept."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Table, and_, insert, select, update

from cutline.control.columns import as_json
from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import RELEASES, ROLLOUT_LEDGER, ROLLOUTS, SLICES
from cutline.control.records import Authority
from cutline.errors import RunFailed

Reads = Literal["legacy", "mirror", "canary", "new"]
Writes = Literal["legacy", "held", "new"]
Ending = Literal["complete", "cancelled"]
LedgerEvent = Literal["opened", "begun", "done", "undoing", "undone", "ended"]

READS: tuple[Reads, ...] = get_args(Reads)
WRITES: tuple[Writes, ...] = get_args(Writes)


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
    step: str | None
    plan: Mapping[str, Any] | None
    opened_at: dt.datetime
    changed_at: dt.datetime
    ended_at: dt.datetime | None
    ending: Ending | None

    @property
    def is_given_back(self) -> bool:
        """Whether nobody writes, and the new side did last: `reverse writes` is under way."""
        under_way = None if self.plan is None else self.plan["plan"]["command"]
        return self.writes == "held" and under_way == "reverse writes"

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
    step: str | None
    event: LedgerEvent
    evidence: Mapping[str, Any]
    plan: Mapping[str, Any] | None
    reads: Reads
    percent: int | None
    writes: Writes
    release: int | None
    epoch: int


def rollouts(database: Database, context: str | None, region: str | None) -> list[Rollout]:
    """The rollouts of a context and a region (of all, if not given), by context and region."""
    wanted = [
        column == value
        for column, value in ((ROLLOUTS.c.context, context), (ROLLOUTS.c.region, region))
        if value is not None
    ]
    query = select(ROLLOUTS).where(*wanted).order_by(ROLLOUTS.c.context, ROLLOUTS.c.region)
    with database.read() as connection:
        return [Rollout(**row._mapping) for row in connection.execute(query)]


def releases(database: Database, context: str, region: str) -> list[Release]:
    """The releases of a slice, newest first."""
    query = select(RELEASES).where(_slice(RELEASES, context, region))
    with database.read() as connection:
        rows = connection.execute(query.order_by(RELEASES.c.release.desc()))
        return [Release(**row._mapping) for row in rows]


def rollout_ledger(database: Database, context: str, region: str) -> list[LedgerLine]:
    """Every change of the rollout of a slice, newest first."""
    query = select(ROLLOUT_LEDGER).where(_slice(ROLLOUT_LEDGER, context, region))
    with database.read() as connection:
        rows = connection.execute(query.order_by(ROLLOUT_LEDGER.c.version.desc()))
        return [LedgerLine(**row._mapping) for row in rows]


def open_rollout(database: Database, lease: Lease, version: int, change: RolloutChange) -> Rollout:
    """A rollout that stands at its beginning, with its line in the ledger.

    RolloutChanged unless the slice has none (version 0), or one of this version that was
    cancelled. That is begun anew; its ledger and releases stay, and its epoch goes on counting.
    """
    with fenced_transaction(database, lease) as connection:
        standing = _standing(connection, lease)
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
        return _with_ledger_line(connection, lease, change)


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
        return _with_ledger_line(connection, lease, change)


def _with_ledger_line(connection: Connection, lease: Lease, change: RolloutChange) -> Rollout:
    """The row as it stands now; the ledger gets its line, and the slice its authority."""
    rollout = _standing(connection, lease)
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
            plan=rollout.plan if change.event == "begun" and change.step is None else None,
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


def _standing(connection: Connection, lease: Lease) -> Rollout | None:
    where = _slice(ROLLOUTS, lease.context, lease.region)
    row = connection.execute(select(ROLLOUTS).where(where)).one_or_none()
    return None if row is None else Rollout(**row._mapping)


def _slice(table: Table, context: str, region: str) -> ColumnElement[bool]:
    return and_(table.c.context == context, table.c.region == region)


def _changed_error(lease: Lease, version: int) -> RolloutChanged:
    return RolloutChanged(
        f"The rollout of {lease.context}/{lease.region} was changed by somebody else: it is no "
        f"longer at version {version}.",
        left_behind="Nothing was changed by this command.",
        next_step=f"Look at it: cutline rollout show {lease.context}",
    )
