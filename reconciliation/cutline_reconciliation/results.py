"""What reconciliation found, as data: the report, the JSON and the decision are views of it.

`compared` counts what was judged: what agrees and what breaks. What exceptions explain and what is
not eligible is counted apart and is in no rate; the exceptions gate answers for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Category:
    """One category's share of a level, in subjects or decisions."""

    category: str | None
    """Such as `channel=web`; null for subjects of which no side tells it."""
    compared: int
    """Those judged."""
    matched: int
    """Those that agree, within tolerance included."""
    broken: int
    """Those with at least one break."""
    explained: int
    """Those that exceptions explain."""
    late: int
    """Those that are late."""
    not_eligible: int
    """Those that are not eligible."""
    at_risk: Decimal | None = None
    """What their breaks put at risk, in the outcome's unit; null where no value is a number."""


@dataclass(frozen=True)
class RecordLevel:
    """Is every subject of one aggregate that the legacy knows there, and nothing else?"""

    name: str
    """The aggregate."""
    compared: int
    """Subjects judged, on either side."""
    matched: int
    """Subjects once on both sides."""
    missing: int
    """Subjects that only the legacy has, and no exception explains."""
    unexpected: int
    """Subjects that only the new side has."""
    duplicated: int
    """Subjects that the new side has more than once."""
    explained: int
    """Subjects that only the legacy has, because a row or an event of theirs is an exception."""
    explained_by: Mapping[str, int] = field(default_factory=dict)
    """The explained subjects by the rule of that exception; the first by name where several are."""
    waived: int = 0
    """Subjects of which a waiver took every break of the level. They are not among the compared."""
    late: int = 0
    """Subjects changed after the end of history: they are owed a comparison."""
    not_eligible: int = 0
    """Subjects that truth declares not eligible, or that a translator leaves out by rule."""
    not_eligible_by: Mapping[str, int] = field(default_factory=dict)
    """The most frequent of these reasons, truth's own or the rule's name; at most 20."""
    categories: tuple[Category, ...] = ()
    """By category, those with the most breaks first: bounded, `categories_in_all` says of what."""
    categories_in_all: int = 0
    """How many categories there are; 0 where none is declared."""

    @property
    def breaks(self) -> int:
        """Subjects that break: rows of this aggregate in `breaks` at record level."""
        return self.missing + self.unexpected + self.duplicated


@dataclass(frozen=True)
class StateLevel:
    """Does the state of one aggregate equal the legacy's truth?"""

    name: str
    """The aggregate."""
    compared: int
    """Subjects judged: those once on both sides, less the explained ones."""
    matched: int
    """Subjects in which every column that the truth vouches for is the same."""
    breaks: int
    """Rows of `breaks`: one per differing column of a subject."""
    explained: int
    """Subjects that differ and of which a row or an event is an exception."""
    columns: Mapping[str, int] = field(default_factory=dict)
    """For each column that the truth vouches for, the judged subjects in which it differs."""
    waived: int = 0
    """Subjects of which waivers took every break, as at record level."""
    late: int = 0
    """Subjects that are not judged because they are late, as at record level."""
    forgiven: int = 0
    """Those of `matched` that match only because column rules forgive a difference."""
    forgiven_by: Mapping[str, int] = field(default_factory=dict)
    """Subjects in which each rule was needed, by `<column>.<rule>`; 0 where it forgave nothing."""
    categories: tuple[Category, ...] = ()
    """By category, as at record level."""
    categories_in_all: int = 0
    """How many categories there are; 0 where none is declared."""


@dataclass(frozen=True)
class OutcomeLevel:
    """Do both sides take the same decision?"""

    name: str
    """The outcome."""
    question: str
    """What a business person would ask."""
    unit: str
    """The unit of its value; empty where it has none."""
    compared: int
    """Decisions judged: subjects in either population, less not eligible and explained ones."""
    agree: int
    """Subjects on which both decide the same."""
    within_tolerance: int
    """Subjects whose values differ by no more than the outcome's tolerance."""
    differ: int
    """Subjects on which both decide, and not the same."""
    only_legacy: int
    """Subjects in the legacy's population alone."""
    only_new: int
    """Subjects in the new side's population alone."""
    not_eligible: int
    """Subjects that either side declares not eligible, with a reason."""
    explained: int
    """Subjects that would break, and of which a row or an event is an exception."""
    duplicated: int = 0
    """Subjects that the new side decides more than once."""
    waived: int = 0
    """Subjects of which waivers took the break, as at record level."""
    late: int = 0
    """Subjects of which a row changed after the end of history."""
    noise: int | None = None
    """Subjects of which the legacy decided otherwise at its other moment; null without one."""
    noise_compared: int | None = None
    """Subjects in the legacy's population at either moment."""
    drift: int | None = None
    """The breaks beyond the noise: of subjects on which the legacy agrees with itself."""
    legacy_total: Decimal | None = None
    """The sum of the legacy's values of the decisions judged; null where none is a number."""
    new_total: Decimal | None = None
    """The same of the new side."""
    at_risk: Decimal | None = None
    """Money at risk: over the breaks, by how much both differ, or the whole value where one side
    decides alone; null where no value of either side is a number, and where a break has none."""
    not_eligible_by: Mapping[str, int] = field(default_factory=dict)
    """The most frequent reasons, as at record level."""
    categories: tuple[Category, ...] = ()
    """By category, as at record level."""
    categories_in_all: int = 0
    """How many categories there are; 0 where none is told."""
    aggregate: str = ""
    """The aggregate whose subjects it decides on."""

    @property
    def matched(self) -> int:
        """Decisions that agree, those within tolerance included."""
        return self.agree + self.within_tolerance


@dataclass(frozen=True)
class Summary:
    """All levels. A level is empty where the translation brings no truth for it."""

    record: tuple[RecordLevel, ...]
    """By aggregate."""
    state: tuple[StateLevel, ...]
    """By aggregate."""
    outcome: tuple[OutcomeLevel, ...]
    """By outcome of the context."""
    untold: tuple[str, ...] = ()
    """The aggregates of the context whose truth nobody tells."""


@dataclass(frozen=True)
class GateVerdict:
    """What one gate says."""

    name: str
    """conservation | exceptions:<rule> | waiver:<name> | record | state | outcome:<name> | truth;
    further limits of a level as <level>.breaks, <level>.money, <level>.category;
    compared:<aggregate>; reverify."""
    passed: bool
    """Whether it lets the run pass."""
    sentence: str
    """What it says, for people, with the numbers."""


@dataclass(frozen=True)
class Decision:
    """GO or NO-GO, and which gate decided."""

    decision: str
    """go | no-go."""
    decided_by: str
    """The sentence of the first gate that says no; for a GO, what was shown."""
    gates: tuple[GateVerdict, ...]
    """Every gate in the order in which they are asked."""


def rate(matched: int, compared: int) -> float | None:
    """The share of matches, 0 to 1, for display: never 1 unless all match; null if none compared.

    Decisions are taken on the two counts, not on this number.
    """
    if not compared:
        return None
    share = Fraction(matched, compared)
    return min(float(share), 0.999999999) if share < 1 else 1.0


def as_facts(summary: Summary, decision: Decision, unexplained: int) -> dict[str, Any]:
    """The stage's facts, JSON-serialisable: what the report reads back."""
    levels = {
        "record": [_fact(level) | {"breaks": level.breaks} for level in summary.record],
        "state": [_fact(level) for level in summary.state],
        "outcome": [_fact(level) for level in summary.outcome],
    }
    return {
        "unexplained": unexplained,
        "decision": decision.decision,
        "decided_by": decision.decided_by,
        "gates": [dataclasses.asdict(gate) for gate in decision.gates],
        "levels": levels,
    }


def _fact(level: RecordLevel | StateLevel | OutcomeLevel) -> dict[str, Any]:
    told = _plain(dataclasses.asdict(level)) | {"rate": rate(level.matched, level.compared)}
    return dict(told)


def _plain(value: Any) -> Any:
    """Amounts as texts, which JSON keeps exactly."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value
