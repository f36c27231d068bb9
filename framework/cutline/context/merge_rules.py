"""The rules of a merge policy, each with its parameters."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields

from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class Rule:
    """One rule. Switched off, it is never asked."""

    enabled: bool = True


@dataclass(frozen=True)
class Foreign:
    """Events of which another system is the authority: those that have all that is named here."""

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
    """Turns away what another system has the say about."""

    foreign: tuple[Foreign, ...] = ()
    """What is foreign: an event that one of them fits."""


@dataclass(frozen=True)
class SubjectTooLong(Rule):
    """Sends to a person what has a subject that no topic would take as a key."""

    limit: int = 1024
    """Bytes that a subject may have in UTF-8."""

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ConfigurationError(f"subject_too_long.limit: {self.limit} is less than 1")


@dataclass(frozen=True)
class LateArrivals(Rule):
    """Appends, as `corrective`, what was said after the cut of a time before a business date.

    Of synthetic events whose business time is known; without a date, none is late.
    """

    before: dt.datetime | None = None
    """The moment at which the new system begins to decide. An effective date of the cut line gives
    it where it is not said here."""
    allowed: dt.timedelta | None = None
    """How long before that moment an event may have happened. What is older goes to a person; null
    for no bound."""

    def __post_init__(self) -> None:
        if self.before is not None and self.before.tzinfo is None:
            raise ConfigurationError(f"late_arrivals.before: {self.before} has no time zone")
        if self.allowed is not None and self.allowed < dt.timedelta(0):
            raise ConfigurationError(f"late_arrivals.allowed: {self.allowed} is negative")


@dataclass(frozen=True)
class AfterCut(Rule):
    """Turns away what lies after the cut: the live topic carries it, history does not."""


@dataclass(frozen=True)
class Overlap(Rule):
    """What becomes of events in a zone that history and the live side may both have."""

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
    """Of one fact, told by two versions of one translator, the higher version wins."""


@dataclass(frozen=True)
class Undecided(Rule):
    """Sends to a person a fact of which equally good sources say different things.

    Equally good are events of one confidence and, if native ones are preferred, of one origin;
    different are their payloads. Events that tell such a fact less well are sent along, unless a
    rule before this one decided of them.
    """


@dataclass(frozen=True)
class DuplicateFacts(Rule):
    """Keeps one event of each fact: native before synthetic, exact before inferred before
    approximate, then by sequence, time and id."""


@dataclass(frozen=True)
class NativeCollision(Rule):
    """A native event wins over a synthetic one of its subject and type that is near in time.

    For live producers whose facts cannot be told to be ours. Only for known business times.
    """

    enabled: bool = False
    within: dt.timedelta = dt.timedelta(0)
    """How far apart their business times may be at most."""

    def __post_init__(self) -> None:
        if self.within < dt.timedelta(0):
            raise ConfigurationError(f"native_collision.within: {self.within} is negative")


@dataclass(frozen=True)
class RequiredOrder(Rule):
    """Holds what comes before an event that its aggregate requires first, or without it."""


@dataclass(frozen=True)
class ExpectedOrder(Rule):
    """Finds and marks what departs from the order that its aggregate expects."""
