"""The merge policy of a context: its rules, and the order in which they are asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutline.context.merge_rules import (
    AfterCut,
    DuplicateFacts,
    DuplicateIds,
    ExpectedOrder,
    LateArrivals,
    NativeCollision,
    NotAuthoritative,
    Overlap,
    PreferNative,
    RequiredOrder,
    SubjectTooLong,
    Supersede,
    Undecided,
)
from cutline.tables import verdict


@dataclass(frozen=True)
class MergePolicy:
    """The rules that decide which candidate events survive; each can be switched off.

    They are asked in the order of `PRECEDENCE`, whatever their order here.
    """

    not_authoritative: NotAuthoritative = field(default_factory=NotAuthoritative)
    subject_too_long: SubjectTooLong = field(default_factory=SubjectTooLong)
    late_arrivals: LateArrivals = field(default_factory=LateArrivals)
    after_cut: AfterCut = field(default_factory=AfterCut)
    overlap: Overlap = field(default_factory=Overlap)
    duplicate_ids: DuplicateIds = field(default_factory=DuplicateIds)
    prefer_native: PreferNative = field(default_factory=PreferNative)
    supersede: Supersede = field(default_factory=Supersede)
    undecided: Undecided = field(default_factory=Undecided)
    duplicate_facts: DuplicateFacts = field(default_factory=DuplicateFacts)
    native_collision: NativeCollision = field(default_factory=NativeCollision)
    required_order: RequiredOrder = field(default_factory=RequiredOrder)
    expected_order: ExpectedOrder = field(default_factory=ExpectedOrder)


@dataclass(frozen=True)
class MergeRule:
    """A rule of the merge. The first rule that applies to an event gives its verdict."""

    rule: str
    """The rule's name in the verdicts; a held event has that of its order rule instead."""
    declared_by: str
    """The field of MergePolicy that switches the rule on or off."""
    verdict: str
    reason: str
    """The reason that people read."""


PRECEDENCE: tuple[MergeRule, ...] = (
    MergeRule(
        verdict.NOT_AUTHORITATIVE,
        "not_authoritative",
        verdict.NOT_AUTHORITATIVE,
        "another system is the authority for it",
    ),
    MergeRule(
        verdict.SUBJECT_TOO_LONG,
        "subject_too_long",
        verdict.SUBJECT_TOO_LONG,
        "its subject is too long to be a key",
    ),
    MergeRule(
        verdict.TOO_LATE,
        "late_arrivals",
        verdict.TOO_LATE,
        "it was said after the cut, of a time longer ago than is allowed",
    ),
    MergeRule(
        verdict.AFTER_CUT,
        "after_cut",
        verdict.AFTER_CUT,
        "it came after the cut: the live topic carries it",
    ),
    MergeRule(
        verdict.IN_OVERLAP,
        "overlap",
        verdict.IN_OVERLAP,
        "it lies in the overlap zone, and consumers cannot take an event twice",
    ),
    MergeRule(
        verdict.DUPLICATE_ID,
        "duplicate_ids",
        verdict.DUPLICATE_ID,
        "the same event came more than once",
    ),
    MergeRule(
        verdict.NATIVE_PREFERRED,
        "prefer_native",
        verdict.NATIVE_PREFERRED,
        "the live producer announced the same fact",
    ),
    MergeRule(
        verdict.SUPERSEDED,
        "supersede",
        verdict.SUPERSEDED,
        "a higher version of its translator announces the same fact",
    ),
    MergeRule(
        verdict.UNDECIDED,
        "undecided",
        verdict.UNDECIDED,
        "equally good sources say different things of the same fact",
    ),
    MergeRule(
        verdict.DUPLICATE_FACT,
        "duplicate_facts",
        verdict.DUPLICATE_FACT,
        "another event announces the same fact",
    ),
    MergeRule(
        verdict.NATIVE_COLLISION,
        "native_collision",
        verdict.NATIVE_COLLISION,
        "a live event of its type came to the subject at about the same time",
    ),
    MergeRule(
        verdict.HELD,
        "required_order",
        verdict.HELD,
        "an event that must come first is missing, later, or held itself",
    ),
    MergeRule(
        verdict.LATE_ARRIVAL,
        "late_arrivals",
        verdict.ACCEPTED,
        "it was said after the cut, of a time before the effective date: a correction",
    ),
    MergeRule(verdict.ACCEPTED, "", verdict.ACCEPTED, "nothing speaks against it"),
)
"""The order in which the rules are asked. `docs/merging.md` shows it, held to this by a test."""
