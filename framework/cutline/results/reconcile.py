"""What reconciliation found: the one shape that gates decide on, reports show and runs store.

`compared` counts what was judged: what agrees and what breaks. What exceptions explain and what is
not eligible is counted apart and is in no rate; the exceptions gate answers for it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    computed_field,
    model_serializer,
)
from pydantic.dataclasses import dataclass

from cutline.results.model import Moment, ResultModel
from cutline.results.names import RECONCILE
from cutline.results.result import StageResult
from cutline.tables.exception import ExceptionLevel

GO: Literal["go"] = "go"
NO_GO: Literal["no-go"] = "no-go"

ShortAmount = Annotated[Decimal, PlainSerializer(lambda amount: f"{amount.normalize():f}", str)]
"""An amount that JSON keeps as text, without zeros at its end."""
FullAmount = Annotated[Decimal, PlainSerializer(lambda amount: f"{amount:f}", str)]
"""An amount that JSON keeps as text, with all the decimals that it was counted in."""


def rate(matched: int, compared: int) -> float | None:
    """The share of matches, 0 to 1, for display: never 1 unless all match; null if none compared.

    Decisions are taken on the two counts, not on this number.
    """
    if not compared:
        return None
    share = Fraction(matched, compared)
    return min(float(share), 0.999999999) if share < 1 else 1.0


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
    at_risk: ShortAmount | None = None
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

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rate(self) -> float | None:
        """The share of matches, for display."""
        return rate(self.matched, self.compared)

    @computed_field  # type: ignore[prop-decorator]
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

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rate(self) -> float | None:
        """The share of matches, for display."""
        return rate(self.matched, self.compared)


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
    legacy_total: ShortAmount | None = None
    """The sum of the legacy's values of the decisions judged; null where none is a number."""
    new_total: ShortAmount | None = None
    """The same of the new side."""
    at_risk: ShortAmount | None = None
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

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rate(self) -> float | None:
        """The share of matches, for display."""
        return rate(self.matched, self.compared)


@dataclass(frozen=True)
class LevelResults:
    """All levels. A level is empty where the translation brings no truth for it."""

    record: tuple[RecordLevel, ...] = ()
    """By aggregate."""
    state: tuple[StateLevel, ...] = ()
    """By aggregate."""
    outcome: tuple[OutcomeLevel, ...] = ()
    """By outcome of the context."""
    without_truth: tuple[str, ...] = Field(default=(), exclude=True)
    """The aggregates of the context whose truth nobody tells; what is stored does not have them."""


@dataclass(frozen=True)
class GateVerdict:
    """What one gate says."""

    name: str
    """conservation | exceptions:<rule> | waiver:<name> | record | state | outcome:<name> | truth;
    further limits of a level as <level>.breaks, <level>.money, <level>.category;
    compared:<aggregate>; reverify. Written by `gate_name`, read by `kind` and `subject`."""
    passed: bool
    """Whether it lets the run pass."""
    sentence: str
    """What it says, for people, with the numbers."""
    exception_level: ExceptionLevel | None = None
    """The unit of the exceptions that a gate caps; null for other gates, and in what older versions
    stored."""

    @property
    def kind(self) -> str:
        """The kind of gate, such as `exceptions` or `outcome.drift`."""
        return self.name.partition(_SUBJECT)[0]

    @property
    def subject(self) -> str:
        """The rule, waiver, outcome, category or aggregate that the gate is on; empty for all."""
        return self.name.partition(_SUBJECT)[2]

    @model_serializer(mode="wrap")
    def _without_nulls(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The stored gate, which has no level of exceptions where none is known."""
        return {key: value for key, value in handler(self).items() if value is not None}


def gate_name(kind: str, *subjects: str) -> str:
    """The name of a gate: its kind, and what it is on, from the widest to the narrowest."""
    return _SUBJECT.join((kind, *filter(None, subjects)))


_SUBJECT = ":"


@dataclass(frozen=True)
class Decision:
    """GO or NO-GO, and which gate decided."""

    decision: Literal["go", "no-go"]
    """go | no-go."""
    decided_by: str
    """The sentence of the first gate that says no; for a GO, what was shown."""
    gates: tuple[GateVerdict, ...]
    """Every gate in the order in which they are asked."""


@dataclass(frozen=True)
class ClusterResult:
    """A cluster of breaks: a row of the table `clusters`."""

    cluster: str
    by_count: int
    by_money: int | None
    level: str
    name: str
    kind: str
    column: str | None
    columns: str | None
    pattern: str
    rule: str | None
    disposition: str | None
    count: int
    subjects: int
    amount: FullAmount | None
    money: FullAmount | None
    cause: str | None
    with_cause: int | None
    matched_with_cause: int | None
    matched: int
    risk_ratio: FullAmount | None
    fed_by: tuple[str, ...] | None
    fed_subjects: int | None
    fed_amount: FullAmount | None
    settled: int | None
    why: str
    sentence: str


@dataclass(frozen=True)
class LevelFigures:
    """What became of the breaks of one level in one run: the figures of the table `trend`."""

    opened: int
    """Breaks that no run before found."""
    persisting: int
    """Breaks that the run before had open."""
    fixed: int
    """Breaks that the run before had open, and this one not."""
    reopened: int
    """Breaks that were fixed before."""
    open: int
    """Opened, persisting and reopened."""
    waived: int
    """Those of them that a waiver takes."""


@dataclass(frozen=True)
class OpenAge:
    """How long what is open has been so, as of the run's knowledge time."""

    oldest: Moment
    """When the oldest of it was first found: the knowledge time of that run. What was fixed and
    came again counts from its first time."""
    ages: Mapping[str, int]
    """How much of it is how old, by the names of `cutline.tables.history.AGES`."""


class HistoryResult(ResultModel):
    """How the run's breaks compare with those of the run before it."""

    compared_with: str | None
    """The run before; null for the first of the slice, or if no history of it is left."""
    removed_runs: tuple[str, ...] = Field(default=(), alias="gone")
    """Runs between the two whose histories are no longer in the lake, newest first."""
    place: int
    """The run's place in the trend of its slice, 1 for the first."""
    levels: Mapping[str, LevelFigures]
    """By level."""
    breaks: Mapping[str, OpenAge] = Field(default_factory=dict)
    """Open breaks by level, without levels that have none."""
    exceptions: Mapping[str, OpenAge] = Field(default_factory=dict)
    """Rows of `exceptions` by rule."""


@dataclass(frozen=True, kw_only=True)
class WaiverResult:
    """A waiver as the project wrote it, and what it came to in the run."""

    name: str
    context: str | None = None
    """The context that it is for; null for every one."""
    region: str | None = None
    """The region that it is for; null for every one."""
    reason: str
    owner: str
    ticket: str
    expires: dt.date
    """The last day on which it holds, in UTC."""
    max_breaks: int
    max_money: Decimal
    match: Mapping[str, Any]
    """Which breaks it is for: the keys that the project gave, as JSON."""
    passed: bool
    """False if it has expired, is exceeded or is unused."""
    sentence: str
    """What its gate says."""
    expired: bool
    """Whether its last day was before the run's; then no break names it."""
    matched: int
    """Breaks that it matches, those that an earlier waiver took included."""
    taken: int
    """Breaks that it took; of an expired one, that it would have taken."""
    money: FullAmount
    """The money of these, cut off to six decimals."""
    without_amount: int
    """How many of these have no amount."""


@dataclass(frozen=True)
class ReverifyCounts:
    """The re-verify queue: subjects that changed after the end of history."""

    owed: int
    """Subjects that are owed a comparison."""
    settled: int
    """Subjects that an earlier run owed and this one compared."""
    touches: int
    """Changes of the owed subjects."""


@dataclass(frozen=True)
class TruthLoad:
    """A table of a file source, loaded so that the legacy's truth can be asked of it.

    A line that cannot be read is nobody's truth; it is counted, and the translation's side of the
    books has it as an exception.
    """

    rows: int
    """Rows that were read."""
    malformed: int
    """Lines that could not be read and were skipped."""


class ReconcileResult(StageResult):
    """What the stage `reconcile` hands on.

    Of its books, `breaks` has the breaks by level, and there is one for each outcome.
    """

    stage: ClassVar[str] = RECONCILE

    decision: Literal["go", "no-go"] = NO_GO
    """`go` or `no-go`."""
    decided_by: str = ""
    """The sentence of the gate that decided."""
    gates: tuple[GateVerdict, ...] = ()
    """Every gate in the order in which they were asked."""
    levels: LevelResults = LevelResults()
    """Record, state and outcome level, without what waivers took."""
    clusters: tuple[ClusterResult, ...] = ()
    """The first clusters of breaks, by count; the table has all."""
    history: HistoryResult | None = Field(default=None, alias="memory")
    """How its breaks compare with those of the run before; null in what was stored before there
    were histories."""
    waivers: tuple[WaiverResult, ...] = ()
    """In the order of their file."""
    reverify: ReverifyCounts = ReverifyCounts(0, 0, 0)
    """The re-verify queue."""
    truth: Mapping[str, TruthLoad] = Field(default_factory=dict)
    """By table of a file source, `<source>.<table>`, what was loaded."""

    @property
    def outcome_counts(self) -> dict[str, Mapping[str, int]]:
        """Subjects by class of agreement, by outcome, sorted by name."""
        return {
            book.removeprefix(_OUTCOME_BOOK): entries
            for book, entries in sorted(self.counts.items())
            if book.startswith(_OUTCOME_BOOK)
        }


def outcome_book(outcome: str) -> str:
    """The name of the book that counts an outcome; `outcome_counts` reads it."""
    return f"{_OUTCOME_BOOK}{outcome}"


_OUTCOME_BOOK = "outcomes:"
