"""What a test expects: the events that are announced, and the one end of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cutline.context import Event
from cutline.tables import disposition


@dataclass(frozen=True)
class ExpectedEvent:
    """An event of a type; `fields` of its envelope and `data` of its payload, as far as named."""

    type: type[Event] | str
    fields: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The CloudEvents type."""
        return self.type if isinstance(self.type, str) else self.type.event_type()


@dataclass(frozen=True)
class ExpectedEnd:
    """The end of one row: its disposition, and the rule that decided where one is named."""

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
    """The row announced something, or another of its commit, or the row that it waited for."""
    return ExpectedEnd(disposition.TRANSLATED, rule)


def nothing(rule: str | None = None) -> ExpectedEnd:
    """The row announced nothing, rightly: nothing came to hold, or it is ignored by `rule`."""
    return ExpectedEnd(disposition.NO_OP, rule)


def quarantined(rule: str | None = None) -> ExpectedEnd:
    """The row was put aside for a person by `rule`."""
    return ExpectedEnd(disposition.QUARANTINED, rule)


def ambiguous(rule: str | None = None) -> ExpectedEnd:
    """The row could mean two things by `rule`; a person must decide."""
    return ExpectedEnd(disposition.AMBIGUOUS, rule)
