"""The merge's rules as a project, or a region's override, lays them over those of the context.

What is left out stays as the context declares it. The rules are those of `MergePolicy`.
"""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from cutline.project.base import Section
from cutline.project.moment import Moment


class RuleSection(Section):
    """A rule without parameters."""

    enabled: bool | None = None
    """Whether the rule is asked."""


class ForeignSection(Section):
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


class NotAuthoritativeSection(RuleSection):
    """Turns away what another system has the say about."""

    foreign: tuple[ForeignSection, ...] | None = None
    """What is foreign."""


class SubjectTooLongSection(RuleSection):
    """Sends to a person what has a subject that no topic would take as a key."""

    limit: int | None = Field(default=None, ge=1)
    """Bytes that a subject may have in UTF-8."""


class LateArrivalsSection(RuleSection):
    """Appends, as `corrective`, what was said after the cut of a time before a business date."""

    before: Moment | None = None
    """The moment at which the new system begins to decide. Left out, that of an effective date."""
    allowed: dt.timedelta | None = Field(default=None, ge=dt.timedelta(0))
    """How long before that moment an event may have happened, such as P90D; what is older goes to
    a person."""


class OverlapSection(RuleSection):
    """What becomes of events in a zone that history and the live side may both have."""

    idempotent_consumers: bool | None = None
    """Whether consumers can take an event twice. If not, it is held for a person."""


class NativeCollisionSection(RuleSection):
    """A native event wins over a synthetic one of its subject and type that is near in time."""

    within: dt.timedelta | None = Field(default=None, ge=dt.timedelta(0))
    """How far apart their business times may be at most, such as PT5S."""


class MergeSection(Section):
    """How what meets at the cut line is settled, if otherwise than the context says."""

    not_authoritative: NotAuthoritativeSection = NotAuthoritativeSection()
    """What another system has the say about."""
    subject_too_long: SubjectTooLongSection = SubjectTooLongSection()
    """Subjects that cannot be a key."""
    late_arrivals: LateArrivalsSection = LateArrivalsSection()
    """Corrections that come after the cut."""
    after_cut: RuleSection = RuleSection()
    """What lies after the cut."""
    overlap: OverlapSection = OverlapSection()
    """What both sides may have."""
    duplicate_ids: RuleSection = RuleSection()
    """One id, several events."""
    prefer_native: RuleSection = RuleSection()
    """One fact, told by the live producer too."""
    supersede: RuleSection = RuleSection()
    """One fact, told by two versions of a translator."""
    undecided: RuleSection = RuleSection()
    """One fact, of which equally good sources say different things."""
    duplicate_facts: RuleSection = RuleSection()
    """One fact, several events."""
    native_collision: NativeCollisionSection = NativeCollisionSection()
    """Native events near in time."""
    required_order: RuleSection = RuleSection()
    """The order that aggregates require."""
    expected_order: RuleSection = RuleSection()
    """The order that aggregates expect."""
