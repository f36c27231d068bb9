"""Evidence: what commands measured of a slice, with what it was made of and how it ended."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict
from sqlalchemy import ColumnElement, and_, func, insert, select, update
from typing_extensions import TypedDict

from cutline.control.columns import as_json
from cutline.control.database import Database
from cutline.control.lease import Lease, fenced_transaction
from cutline.control.models import EVIDENCE
from cutline.control.rows import read_row
from cutline.control.shapes import shaped_as

Outcome = Literal["passed", "failed", "killed"]


class GateFigures(TypedDict):
    """What was measured for a gate: whether it passes, in words, and figures of its own."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    passed: bool
    says: str
    worst_lag: NotRequired[Mapping[str, int]]


class VolumeFigures(GateFigures):
    """What was measured of records."""

    events: int
    states: int
    event_bytes: int
    state_bytes: int
    records_per_second: float


class WayBackFigures(TypedDict):
    """What was tried of the way back of writes; `statements` is the digest of those that were."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    statements: str


class RollbackFigures(GateFigures):
    """What was taken back; null of the writes where it was not tried."""

    way_back: NotRequired[WayBackFigures | None]


class GatesFigures(TypedDict, total=False):
    """By gate, what was measured for it."""

    compatibility: GateFigures
    offsets: GateFigures
    storage: VolumeFigures
    cost: VolumeFigures
    rollback: RollbackFigures
    observability: GateFigures


class EvidenceFigures(TypedDict, total=False):
    """What is looked up in the figures of evidence; `failure` is why it came not so far."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    failure: str
    gates: GatesFigures


@dataclass(frozen=True)
class EvidenceKey:
    """What evidence is made of: the command, its run, and the versions of that run's translators.

    `release` is the newest one that was staged when it was begun, null before the first.
    `namespace` begins the names of all topics that the command makes.
    """

    kind: str
    command: str
    run_id: str
    release: int | None
    translators: Mapping[str, str]
    namespace: str | None
    made_by: str


@dataclass(frozen=True)
class Evidence:
    """What one command measured of a slice. Times are UTC.

    `finished_at`, `outcome` and `figures` are null while it is made; so is `removed_at` until
    nothing of its namespace is left. `killed` is what nobody came to finish.
    """

    context: str
    region: str
    number: int
    kind: str
    command: str
    run_id: str
    release: int | None
    translators: Mapping[str, str]
    namespace: str | None
    made_by: str
    begun_at: dt.datetime
    removed_at: dt.datetime | None
    finished_at: dt.datetime | None
    outcome: Outcome | None
    figures: Annotated[Mapping[str, Any] | None, shaped_as(EvidenceFigures)]


def evidence(database: Database, context: str, region: str) -> list[Evidence]:
    """The evidence of a slice, newest first."""
    where = and_(EVIDENCE.c.context == context, EVIDENCE.c.region == region)
    query = select(EVIDENCE).where(where).order_by(EVIDENCE.c.number.desc())
    with database.read() as connection:
        return [read_row(database, EVIDENCE, row, Evidence) for row in connection.execute(query)]


def begin_evidence(database: Database, key: EvidenceKey, lease: Lease) -> Evidence:
    """Stores what a command is about to measure, before it makes anything."""
    of_slice = and_(EVIDENCE.c.context == lease.context, EVIDENCE.c.region == lease.region)
    with fenced_transaction(database, lease) as connection:
        newest = connection.scalar(select(func.max(EVIDENCE.c.number)).where(of_slice))
        number = (newest or 0) + 1
        connection.execute(
            insert(EVIDENCE).values(
                context=lease.context,
                region=lease.region,
                number=number,
                kind=key.kind,
                command=key.command,
                run_id=key.run_id,
                release=key.release,
                translators=as_json(dict(key.translators)),
                namespace=key.namespace,
                made_by=key.made_by,
                begun_at=database.now(connection),
            )
        )
        row = connection.execute(select(EVIDENCE).where(_of(lease, number))).one()
        return read_row(database, EVIDENCE, row, Evidence)


def evidence_removed(database: Database, number: int, lease: Lease) -> None:
    """Stores that nothing of the namespace is left."""
    with fenced_transaction(database, lease) as connection:
        values = {"removed_at": database.now(connection)}
        connection.execute(update(EVIDENCE).where(_of(lease, number)).values(**values))


def finish_evidence(
    database: Database, number: int, outcome: Outcome, figures: Mapping[str, Any], lease: Lease
) -> None:
    """Stores how it ended, and what was measured."""
    with fenced_transaction(database, lease) as connection:
        values = {
            "finished_at": database.now(connection),
            "outcome": outcome,
            "figures": as_json(dict(figures)),
        }
        connection.execute(update(EVIDENCE).where(_of(lease, number)).values(**values))


def _of(lease: Lease, number: int) -> ColumnElement[bool]:
    return and_(
        EVIDENCE.c.context == lease.context,
        EVIDENCE.c.region == lease.region,
        EVIDENCE.c.number == number,
    )
