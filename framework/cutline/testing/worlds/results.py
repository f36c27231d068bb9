"""The translation of one step: the row's end, and the events it announced."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from cutline.testing.step import Step


@dataclass(frozen=True)
class AnnouncedEvent:
    """One announced event.

    `ordinal` is the place of its fact among the translator's, from 1. `occurrence` and `data` are
    canonical JSON; `occurrence` is null for a fact that happens once.
    """

    type: str
    aggregate: str
    subject: str | None
    occurrence: str | None
    time: dt.datetime | None
    basis: str
    confidence: str
    replay_safe: bool
    schema: str
    ordinal: int
    data: str

    @property
    def identity(self) -> tuple[str, str | None, str | None]:
        """The parts of its fact key within one context."""
        return self.type, self.subject, self.occurrence


@dataclass(frozen=True)
class RowEnd:
    """The end of a step's row, with the reason for people, and the events it announced."""

    step: Step
    subject: str | None
    disposition: str
    rule: str
    reason: str | None
    events: tuple[AnnouncedEvent, ...] = field(default=())
