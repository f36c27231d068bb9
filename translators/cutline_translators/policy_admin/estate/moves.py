"""The changes that the system made around the extract and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from cutline_translators.estate.moments import CUT, END, EXTRACT, MINUTE
from cutline_translators.policy_admin.estate.books import (
    BookedChange,
    Books,
    deletion,
    insertions,
    update,
)
from cutline_translators.policy_admin.estate.days import (
    TODAY,
    YESTERDAY,
    anniversary,
    between,
    day,
    moment,
    plus,
)
from cutline_translators.policy_admin.estate.rows import REGIONS, Row
from cutline_translators.policy_admin.letters import (
    ACTIVE,
    APPROVED,
    CANCELLED,
    COVERED,
    DECLINED,
    DRAFT,
    ENDED,
    INVESTIGATED,
    ISSUED,
    LAPSED,
    PAID,
    QUOTED,
    REGISTERED,
    RESTING,
    VOID,
    VOIDED,
)

_TODAY = TODAY.isoformat()
_WINDOW = 20 * MINUTE
"""The seconds before the extract whose changes are in the change file as well."""

ChangeMaker = Callable[[np.random.Generator, Row, str], list[BookedChange]]


@dataclass(frozen=True)
class RowMove:
    """A kind of change: the rows of a table with a status letter, and the change that they get.

    `letter` is null for any status. `make` returns the changes for a row and the time of the
    transaction; `where` selects the rows further. `rate` is a share of the policies of a region.
    """

    table: str
    letter: str | None
    rate: float
    make: ChangeMaker
    where: Callable[[Row], bool] = lambda _: True

    def fits(self, row: Row) -> bool:
        """Whether the row is of this kind."""
        return self.letter in (None, row.get("status")) and self.where(row)


def _policy(row: Row, at: str, **values: str | None) -> BookedChange:
    return update("policies", row, updated_at=at, **values)


def _lapse(rng: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    # Decided by a nightly job, as of the day on which the premium was due.
    earliest = max(day(row["status_on"]), plus(YESTERDAY, -10))
    since = between(rng, plus(earliest, 1), TODAY).isoformat()
    return [_policy(row, at, status=LAPSED, status_on=since, lapsed_on=since)]


def _redate_lapse(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    since = plus(day(row["lapsed_on"]), -1).isoformat()
    return [_policy(row, at, status_on=since, lapsed_on=since)]


def _reinstate(rng: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    back = str(row["lapsed_on"]) if rng.random() < 0.5 else _TODAY
    return [_policy(row, at, status=ACTIVE, status_on=back, reinstated_on=back)]


def _rest(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    return [_policy(row, at, status=RESTING, status_on=_TODAY)]


def _resume(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    return [_policy(row, at, status=ACTIVE, status_on=_TODAY, reinstated_on=_TODAY)]


def _cancel(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    return [_policy(row, at, status=CANCELLED, status_on=_TODAY, cancelled_on=_TODAY)]


def _bind(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    return [_policy(row, at, status=ACTIVE)]


def _renew(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    ends = day(row["term_to"])
    return [
        _policy(row, at, term_from=ends.isoformat(), term_to=anniversary(ends, 1).isoformat()),
    ]


def _notice(_: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    return [_policy(row, at, noticed_on=_TODAY, noticed_for=str(row["term_to"]))]


def _correct(rng: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    cents = int(str(row["premium_cents"])) - int(rng.integers(100, 3_000))
    again = int(str(row["revision"])) + 1
    return [update("premiums", row, premium_cents=cents, revision=again, entered_at=at)]


def _end(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    return [update("coverages", row, status=ENDED, ended_on=_TODAY)]


def _issue(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    return [update("endorsements", row, status=ISSUED)]


def _void(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    return [update("endorsements", row, status=VOID, voided_on=_TODAY)]


def _delete(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    return [deletion("endorsements", row)]


def _amend(rng: np.random.Generator, row: Row, at: str) -> list[BookedChange]:
    number = int(str(row["endorsement_no"])[2:]) + 5_000_000
    new = {
        **row,
        "endorsement_no": f"E-{number:07d}",
        "status": ISSUED,
        "effective_on": between(rng, day(row["effective_on"]), YESTERDAY).isoformat(),
        "voided_on": None,
        "entered_at": at,
    }
    return insertions("endorsements", [new])


def _claim(**values: str) -> ChangeMaker:
    return lambda _, row, __: [update("claims", row, **values)]


def _approve(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    cents = row["reserve_cents"]
    return [update("claims", row, status=APPROVED, approved_on=_TODAY, approved_cents=cents)]


def _reopen(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    values = {"status": INVESTIGATED, "declined_on": None, "reopened_on": _TODAY}
    return [update("claims", row, **values)]


def _pay(_: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    cents = row["approved_cents"]
    return [update("claims", row, status=PAID, paid_on=_TODAY, paid_cents=cents)]


def _reserve(rng: np.random.Generator, row: Row, __: str) -> list[BookedChange]:
    cents = int(str(row["reserve_cents"])) + int(rng.integers(1, 40)) * 2_500
    again = int(str(row["reserve_no"])) + 1
    return [update("claims", row, reserve_cents=cents, reserve_no=again, reserve_on=_TODAY)]


def _ends_soon(row: Row) -> bool:
    return str(row["term_to"])[:7] in ("2026-11", "2026-12")


def _to_be_noticed(row: Row) -> bool:
    return str(row["term_to"])[:7] == "2026-12" and row["noticed_for"] != row["term_to"]


MOVES = (
    RowMove("policies", ACTIVE, 0.008, _notice, where=_to_be_noticed),
    RowMove("policies", ACTIVE, 0.006, _renew, where=_ends_soon),
    RowMove("policies", ACTIVE, 0.006, _lapse),
    RowMove("policies", LAPSED, 0.006, _reinstate),
    RowMove("policies", LAPSED, 0.004, _redate_lapse),
    RowMove("policies", ACTIVE, 0.004, _rest),
    RowMove("policies", RESTING, 0.004, _resume),
    RowMove("policies", ACTIVE, 0.006, _cancel),
    RowMove("policies", QUOTED, 0.006, _bind),
    RowMove("premiums", None, 0.01, _correct),
    RowMove("coverages", COVERED, 0.006, _end),
    RowMove("endorsements", DRAFT, 0.006, _issue),
    RowMove("endorsements", ISSUED, 0.006, _void),
    RowMove("endorsements", ISSUED, 0.004, _delete),
    RowMove("endorsements", ISSUED, 0.006, _amend),
    RowMove("claims", REGISTERED, 0.006, _claim(status=INVESTIGATED)),
    RowMove("claims", REGISTERED, 0.004, _approve),
    RowMove("claims", REGISTERED, 0.004, _reserve),
    RowMove("claims", REGISTERED, 0.004, _claim(status=VOIDED, voided_on=_TODAY)),
    RowMove("claims", INVESTIGATED, 0.004, _claim(status=DECLINED, declined_on=_TODAY)),
    RowMove("claims", DECLINED, 0.004, _reopen),
    RowMove("claims", APPROVED, 0.006, _pay),
)


def log_moves(
    rng: np.random.Generator, books: Books, policies: int, policy_numbers: Iterable[str]
) -> None:
    """Log the changes of rows of the policies `policy_numbers`; each row changes at most once.

    Of each kind of move a region has one between extract and cut at least, and one shortly before
    or after that, as far as it has rows.
    """
    eligible = set(policy_numbers)
    moved: set[int] = set()
    for turn, kind in enumerate(MOVES):
        for region in REGIONS:
            rows = [
                r
                for r in books.rows[kind.table]
                if r["region"] == region
                and r["policy_no"] in eligible
                and kind.fits(r)
                and id(r) not in moved
            ]
            wanted = max(2, round(policies / 2 * kind.rate))
            for i, place in enumerate(rng.permutation(len(rows))[:wanted]):
                chosen = rows[int(place)]
                moved.add(id(chosen))
                at = _commit_time(rng, i, turn)
                books.commit(at, kind.make(rng, chosen, moment(at)))


def _commit_time(rng: np.random.Generator, place: int, turn: int) -> int:
    """The first between extract and cut, the second around them, others mostly between."""
    way = float(rng.random())
    if place < 2:
        way = (0.0, (0.8, 0.9)[turn % 2])[place]
    if way < 0.75:
        return int(rng.integers(EXTRACT + 30, CUT - MINUTE))
    if way < 0.85:
        return int(rng.integers(EXTRACT - _WINDOW, EXTRACT - MINUTE))
    return int(rng.integers(CUT + MINUTE, END))
