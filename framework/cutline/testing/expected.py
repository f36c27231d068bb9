"""The expectations of a test: announced events, and the end of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cutline.context import Event
from cutline.tables import disposition


@dataclass(frozen=True)
class ExpectedEvent:
    """An expected event: its type, and the fields of envelope and payload that are compared."""

    type: type[Event] | str
    fields: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The CloudEvents type."""
        return self.type if isinstance(self.type, str) else self.type.event_type()


@dataclass(frozen=True)
class ExpectedEnd:
    """The expected end of a row: its disposition and, unless null, the rule that decided it."""

    disposition: str
    rule: str | None = None

    def __str__(self) -> str:
        return self.disposition + (f" by {self.rule}" if self.rule else "")


Expected = ExpectedEvent | ExpectedEnd


def event(
    type: type[Event] | str,
    /,
    data: Mapping[str, Any] | None = None,
    **fields: Any,
) -> ExpectedEvent:
    """An event that must be announced.

    `data` and `fields` are compared as far as they are named. Fields are `subject`, `time` (ISO
    text), `basis` (effective, commit, extract), `confidence` (exact, inferred, approximate),
    `replay_safe`, `occurrence` (the list of values that tell it from others) and `aggregate`.
    Values of `data` may be written as the payload's fields accept them: times, dates and decimals
    as text.
    """
    return ExpectedEvent(type, fields, data or {})


def translated(rule: str | None = None) -> ExpectedEnd:
    """The row is translated: it announces an event, or shares the end of a row that does."""
    return ExpectedEnd(disposition.TRANSLATED, rule)


def nothing(rule: str | None = None) -> ExpectedEnd:
    """The row is a no-op: no fact came to hold, or it is ignored by `rule`."""
    return ExpectedEnd(disposition.NO_OP, rule)


def quarantined(rule: str | None = None) -> ExpectedEnd:
    """The row is quarantined by `rule`."""
    return ExpectedEnd(disposition.QUARANTINED, rule)


def ambiguous(rule: str | None = None) -> ExpectedEnd:
    """The row is ambiguous by `rule`: a person must decide."""
    return ExpectedEnd(disposition.AMBIGUOUS, rule)
