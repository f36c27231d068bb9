"""Steps: snapshot rows and changes of a source, one row each, in the order of commits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cutline.errors import ConfigurationError
from cutline.tables.change import CREATE, DELETE, SNAPSHOT, UPDATE
from cutline.testing.literals import moment
from cutline.testing.row import Row, row
from cutline.translator import SourceContract
from cutline.translator.contract import table_name

EXTRACTED = dt.datetime(2026, 11, 1, 2, 0, tzinfo=dt.UTC)
"""When every extract of the kit was taken."""

_WORDS = {SNAPSHOT: "snapshot", CREATE: "created", UPDATE: "updated", DELETE: "deleted"}


@dataclass(frozen=True)
class Step:
    """A snapshot row, or a change committed `at`; null for a time by its place in the list.

    `before` and `after` are the images; null where there is none, or the source does not send it.
    `defects` are the names of reading errors. `place` is the change's place in its source's
    log, from 1; null for its place in the list. `begun` is the place of the first change of its
    transaction; null for a transaction of its own.
    """

    op: str
    before: Row | None
    after: Row | None
    at: dt.datetime | None = None
    defects: tuple[str, ...] = ()
    place: int | None = None
    begun: int | None = None

    @property
    def row(self) -> Row:
        """The image that names the row: after, or before for a deletion."""
        image = self.after or self.before
        assert image is not None
        return image

    @property
    def contract(self) -> type[SourceContract]:
        """The contract of the row's table."""
        return self.row.contract

    @property
    def is_change(self) -> bool:
        """Whether it comes from the source's change log, rather than from its snapshot."""
        return self.op != SNAPSHOT

    def __str__(self) -> str:
        table = table_name(self.contract)
        label = f"{_WORDS[self.op]} {table} {self.row.key}"
        if self.op == UPDATE and self.before is not None and self.after is not None:
            changed = {n: v for n, v in self.after.values.items() if self.before.values[n] != v}
            return f"{label}: {Row(self.contract, changed) if changed else 'nothing moved'}"
        return f"{label}: {self.row}" if self.op != DELETE else label


def snapshot(
    contract: type[SourceContract] | Row,
    mapping: Mapping[str, Any] | None = None,
    /,
    *,
    defects: Sequence[str] = (),
    **columns: Any,
) -> Step:
    """The row is in the snapshot; `defects` are the names of its reading errors."""
    return Step(SNAPSHOT, None, row(contract, mapping, **columns), defects=tuple(defects))


def created(
    contract: type[SourceContract] | Row,
    mapping: Mapping[str, Any] | None = None,
    /,
    *,
    at: Any = None,
    **columns: Any,
) -> Step:
    """The row was inserted; `at` is the time of the commit, as ISO text."""
    return Step(CREATE, None, row(contract, mapping, **columns), _moment(at))


def updated(
    then: Row | type[SourceContract],
    /,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    at: Any = None,
    **columns: Any,
) -> Step:
    """The row was changed: `updated(order, status="R", at="…")` is `order` before it.

    Of a contract, `before` and `after` are the two images, and without `before` the source tells
    only what the row became: `updated(ErpOrder, after={"order_no": "1", "status": "R"})`.
    """
    if isinstance(then, Row):
        return Step(UPDATE, then, then.but(after, **columns), _moment(at))
    image_before = None if before is None else row(then, before)
    return Step(
        UPDATE, image_before, row(then, {**(before or {}), **(after or {})}, **columns), _moment(at)
    )


def deleted(
    contract: type[SourceContract] | Row,
    mapping: Mapping[str, Any] | None = None,
    /,
    *,
    at: Any = None,
    **columns: Any,
) -> Step:
    """The row was deleted; the row is its image before."""
    return Step(DELETE, row(contract, mapping, **columns), None, _moment(at))


@dataclass(frozen=True)
class Together:
    """Changes of one transaction, in the order in which it made them; see `together`."""

    changes: tuple[Step, ...]


def together(*changes: Step) -> Together:
    """One transaction made these changes: nobody could read any without the others.

    ConfigurationError for a row of the snapshot, which no transaction of the log made.
    """
    for change in changes:
        if not change.is_change:
            raise ConfigurationError(
                f"{change} is no change of a transaction",
                next_step="Give `together` what was created, updated or deleted.",
            )
    return Together(changes)


def _moment(at: Any) -> dt.datetime | None:
    return None if at is None else moment(at)
