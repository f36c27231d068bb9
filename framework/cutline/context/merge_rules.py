"""The rules of a merge policy, each with its parameters."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields

from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class Rule:
    """A rule of the merge; it is not asked if it is switched off."""

    enabled: bool = True


@dataclass(frozen=True)
class Foreign:
    """Events of another authority: those with all attributes that are named here."""

    aggregate: str | None = None
    """The aggregate."""
    type: str | None = None
    """The event's type."""
    origin: str | None = None
    """synthetic, native or corrective."""
    source: str | None = None
    """The URI of the producer."""
    system: str | None = None
    """The legacy system."""
    region: str | None = None
    """The region that the event names."""

    def __post_init__(self) -> None:
        if all(getattr(self, field.name) is None for field in fields(self)):
            raise ConfigurationError(
                "not_authoritative: an entry names nothing, so that every event would be foreign",
                next_step="Name an aggregate, type, origin, source, system or region.",
            )


@dataclass(frozen=True)
class NotAuthoritative(Rule):
    """Turns away events of which another system is the authority."""

    foreign: tuple[Foreign, ...] = ()
    """An event is foreign if it matches one of these."""


@dataclass(frozen=True)
class SubjectTooLong(Rule):
    """Sends to a person events whose subject is too long for the key of a record."""

    limit: int = 1024
    """The largest number of bytes of a subject in UTF-8."""

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ConfigurationError(f"subject_too_long.limit: {self.limit} is less than 1")


@dataclass(frozen=True)
class LateArrivals(Rule):
    """Appends, as `corrective`, events from after the cut whose business time is before a date.

    Only synthetic events with a known business time are late; without a date, none is.
    """

    before: dt.datetime | None = None
    """The moment at which the new system begins to decide; by default the effective date of the cut
    line, if it has one."""
    allowed: dt.timedelta | None = None
    """The largest time between an event and that moment. Older events go to a person; null for no
    bound."""

    def __post_init__(self) -> None:
        if self.before is not None and self.before.tzinfo is None:
            raise ConfigurationError(f"late_arrivals.before: {self.before} has no time zone")
        if self.allowed is not None and self.allowed < dt.timedelta(0):
            raise ConfigurationError(f"late_arrivals.allowed: {self.allowed} is negative")


@dataclass(frozen=True)
class AfterCut(Rule):
    """Turns away events after the cut: the live topic carries them."""


@dataclass(frozen=True)
class Overlap(Rule):
    """Decides about events in the zone that both history and the live side may have."""

    idempotent_consumers: bool = True
    """True: they are kept, for consumers that an event may reach twice. False: held for a
    person."""


@dataclass(frozen=True)
class DuplicateIds(Rule):
    """Keeps one event of each id within a subject."""


@dataclass(frozen=True)
class PreferNative(Rule):
    """Of one fact the live producer's event wins."""


@dataclass(frozen=True)
class Supersede(Rule):
    """Of one fact, announced by two versions of one translator, the higher version wins."""


@dataclass(frozen=True)
class Undecided(Rule):
    """Sends to a person the events of a fact about which equally good sources differ.

    Events are equally good if they have one confidence and, if native ones are preferred, one
    origin; they differ in their payloads. Less good events of the fact are sent along, unless an
    earlier rule decided about them.
    """


@dataclass(frozen=True)
class DuplicateFacts(Rule):
    """Keeps one event of each fact: native before synthetic, exact before inferred before
    approximate, then by sequence, time and id."""


@dataclass(frozen=True)
class NativeCollision(Rule):
    """A native event wins over a synthetic one of its subject and type that is near in time.

    For live producers whose fact keys do not match ours. Only for known business times.
    """

    enabled: bool = False
    within: dt.timedelta = dt.timedelta(0)
    """How far apart their business times may be at most."""

    def __post_init__(self) -> None:
        if self.within < dt.timedelta(0):
            raise ConfigurationError(f"native_collision.within: {self.within} is negative")


@dataclass(frozen=True)
class RequiredOrder(Rule):
    """Holds events that come before, or without, an event that their aggregate requires first."""


@dataclass(frozen=True)
class ExpectedOrder(Rule):
    """Records departures from the order that an aggregate expects, and marks the events."""
