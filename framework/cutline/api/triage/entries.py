"""Exceptions of a slice, for lists: each with its age, its money and its owner."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from cutline import display
from cutline.api.moment import moment_text
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class ExceptionEntry:
    """A row or an event that waits for a person. Personal values are masked.

    `id` is the same in every run. `rows` counts the rows of the table `exceptions` that have it.
    `age_days` are the whole days since the first run that found it. `money` is what its field of
    `triage.money` says; None where it has none. `owner` was given it, or accepts its rule; None for
    nobody. `discarded` is the entry of waivers.yaml that has it.
    """

    id: str
    rule: str
    level: str
    aggregate: str | None
    subject: str | None
    reason: str
    source: str | None
    table: str | None
    key: str | None
    rows: int
    state: str
    first_seen_run: str
    first_seen_at: dt.datetime
    last_seen_run: str
    age_days: int
    money: Decimal | None
    owner: str | None
    discarded: str | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `exceptions` in `cutline exceptions list --json`."""
        return asdict(self) | {
            "first_seen_at": moment_text(self.first_seen_at),
            "money": _amount(self.money),
        }


@dataclass(frozen=True)
class RuleEntry:
    """All exceptions of one rule among those that were asked for.

    `subjects` counts those that they name. `oldest_days` is the age of the oldest; `owners` are who
    was given some, `unowned` how many nobody has.
    """

    rule: str
    exceptions: int
    subjects: int
    oldest_days: int
    money: Decimal | None
    owners: tuple[str, ...]
    unowned: int
    discarded: int

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `rules` in `cutline exceptions list --json`."""
        return asdict(self) | {"money": _amount(self.money), "owners": list(self.owners)}


@dataclass(frozen=True)
class ExceptionList:
    """The exceptions of a run that were asked for: all of them by rule, and the first as entries.

    Both are in order: most money first, then the oldest. `total` counts all of them.
    """

    run_id: str
    total: int
    rules: tuple[RuleEntry, ...]
    entries: tuple[ExceptionEntry, ...]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline exceptions list --json`."""
        return {
            "run_id": self.run_id,
            "total": self.total,
            "rules": [rule.as_json() for rule in self.rules],
            "exceptions": [entry.as_json() for entry in self.entries],
        }

    def _repr_html_(self) -> str:
        rows = [entry.as_json() for entry in self.entries]
        if not rows:
            return display.paragraph("none")
        return display.table(list(rows[0]), [list(row.values()) for row in rows])


@dataclass(frozen=True)
class ExceptionDetails:
    """One exception with all that is known of it.

    `payload` is the row or the event as it was read, personal values masked; `checks` are all that
    its contract has against it. `siblings` are the subject's other open exceptions, the events that
    are held among them; `on_timeline` counts the subject's accepted events. `assignments` are those
    of it and of its rule, newest first. `commands` come next.
    """

    run_id: str
    entry: ExceptionEntry
    payload: str | None
    checks: tuple[str, ...]
    siblings: tuple[ExceptionEntry, ...]
    on_timeline: int
    assignments: Sequence[Mapping[str, Any]]
    commands: tuple[str, ...]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline exceptions show --json`."""
        return {
            "run_id": self.run_id,
            "exception": self.entry.as_json(),
            "payload": self.payload,
            "checks": list(self.checks),
            "siblings": [entry.as_json() for entry in self.siblings],
            "on_timeline": self.on_timeline,
            "assignments": list(self.assignments),
            "commands": list(self.commands),
        }


def _amount(money: Decimal | None) -> str | None:
    return None if money is None else f"{money.normalize():f}"
