"""Who looks after the exceptions of a slice: each assignment is a row, and none is changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import and_, func, insert, select

from cutline.control.database import Database
from cutline.control.models import SLICES, TRIAGE
from cutline.control.rows import damaged, read_row


@dataclass(frozen=True)
class NewAssignment:
    """What somebody is given: a single exception by its id, or all of a `rule`; one of the two.

    `owner` is null where it is taken from whoever had it. `made_by` is who gives it.
    """

    owner: str | None
    made_by: str
    rule: str | None = None
    exception: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Assignment:
    """One assignment of a slice. `at` is in UTC; `number` counts those of the slice from 1."""

    context: str
    region: str
    number: int
    rule: str | None
    exception: str | None
    owner: str | None
    note: str | None
    made_by: str
    at: dt.datetime


def assignments(database: Database, context: str, region: str) -> list[Assignment]:
    """The assignments of a slice, newest first."""
    where = and_(TRIAGE.c.context == context, TRIAGE.c.region == region)
    query = select(TRIAGE).where(where).order_by(TRIAGE.c.number.desc())
    with database.read() as connection:
        return [_assignment(database, row) for row in connection.execute(query)]


def _assignment(database: Database, row: Any) -> Assignment:
    assignment = read_row(database, TRIAGE, row, Assignment)
    if (assignment.rule is None) == (assignment.exception is None):
        why = "and it is of one exception or of one rule, not of both or none"
        raise damaged(database, TRIAGE, row, "rule", assignment.rule, why)
    return assignment


def assign(
    database: Database, context: str, region: str, new: Sequence[NewAssignment]
) -> list[Assignment]:
    """Stores assignments of a slice that was worked on before, in one transaction.

    No lease is needed: who looks after what changes no result. Two at once take turns by the row of
    the slice.
    """
    of_slice = and_(TRIAGE.c.context == context, TRIAGE.c.region == region)
    row = and_(SLICES.c.context == context, SLICES.c.region == region)
    with database.write() as connection:
        connection.execute(select(SLICES.c.epoch).where(row).with_for_update()).one()
        newest = connection.scalar(select(func.max(TRIAGE.c.number)).where(of_slice)) or 0
        at = database.now(connection)
        stored = [
            Assignment(context, region, number, at=at, **asdict(assignment))
            for number, assignment in enumerate(new, newest + 1)
        ]
        if stored:
            connection.execute(insert(TRIAGE), [asdict(assignment) for assignment in stored])
    return stored
