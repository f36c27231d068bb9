"""What a run found, as data. The HTML and the JSON are two views of one `RunReport`.

Texts that came from a source are as they were read, with personal data masked; nothing here is
escaped. Counts are whole numbers, seconds are of wall time, moments carry their zone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from cutline.results.reconcile import GO
from cutline.tables.verdict import ACCEPTED
from cutline_reports.causes import Clusters
from cutline_reports.memory_model import Change, WaiverRow

RATE, CAP, CONDITION = "rate", "cap", "condition"


@dataclass(frozen=True)
class Ratio:
    """`part` of `whole`, both counts of the same things; exact, never a rounded rate."""

    part: int
    whole: int

    @property
    def exact(self) -> Fraction | None:
        """The share, 0 to 1; None where there was nothing to count."""
        return Fraction(self.part, self.whole) if self.whole else None


@dataclass(frozen=True)
class GateRow:
    """One condition of the decision and the evidence for it."""

    name: str
    """What it guards, such as `state` or `exceptions:orphan-line`."""
    passed: bool
    """Whether the evidence satisfies it."""
    decided: bool
    """Whether this gate is the one that decided the run."""
    kind: str
    """`rate`: at least `required` must agree. `cap`: at most `required` is accepted (of an
    exception rule). `condition`: it holds or it does not."""
    sentence: str
    """The condition and the evidence in words."""
    level: str = ""
    """record, state or outcome; empty for a gate that belongs to no level."""
    target: str = ""
    """The aggregate, outcome or rule it looks at; empty for the whole level."""
    measured: Ratio | None = None
    """What agreed of what was compared (rate), or what was found of what could be (cap)."""
    required: Decimal | None = None
    """The threshold as a share, 0 to 1; None where the condition is no threshold."""


@dataclass(frozen=True)
class DecisionSection:
    """GO or NO-GO and why."""

    decision: str
    """`go` or `no-go`."""
    decided_by: str
    """The rule that decided, in one sentence."""
    gates: tuple[GateRow, ...]
    """Every gate, in the order in which they were asked."""

    @property
    def go(self) -> bool:
        """Whether the slice may go on."""
        return self.decision == GO


@dataclass(frozen=True)
class RuleCount:
    """How many source rows one rule sent to one end."""

    disposition: str
    rule: str
    rows: int


@dataclass(frozen=True)
class RunBooks:
    """The way from source rows to the target, as counts that must balance."""

    source_rows: int
    """Rows that the sources hold for the slice: snapshot rows and changes."""
    dispositions: Mapping[str, int]
    """Source rows by their one end."""
    rules: tuple[RuleCount, ...]
    """Source rows by the rule that decided their end, most first."""
    synthetic: int
    """Candidate events that translators announced."""
    native: int
    """Candidate events that live producers sent."""
    native_unreadable: int
    """Records of live topics that are no readable event; each is an exception."""
    verdicts: Mapping[str, int]
    """Candidate events by their one end."""
    timeline: int
    """Events that survived the merge."""
    subjects: Mapping[str, int]
    """Projected subjects by aggregate."""
    written_over: int = 0
    """Changes that a later one of their own transaction wrote over; they are among the rows."""
    fell_within: int = 0
    """Facts that held only between such changes: nobody could read them, so none is announced."""
    untold_transactions: Mapping[str, int] = field(default_factory=dict)
    """By source, changes of which it does not tell the transaction; none where it tells all."""

    @property
    def unexplained_rows(self) -> int:
        """Source rows without exactly one end. Zero, or the books do not balance."""
        return self.source_rows - sum(self.dispositions.values())

    @property
    def unexplained_events(self) -> int:
        """Candidate events without exactly one end. Zero, or the books do not balance."""
        return self.synthetic + self.native - sum(self.verdicts.values())

    @property
    def unexplained_timeline(self) -> int:
        """Accepted events that are not in the timeline. Zero, or the books do not balance."""
        return self.verdicts.get(ACCEPTED, 0) - self.timeline

    @property
    def unexplained(self) -> int:
        """Rows and events without exactly one end, whichever way they are off."""
        return (
            abs(self.unexplained_rows)
            + abs(self.unexplained_events)
            + abs(self.unexplained_timeline)
        )


@dataclass(frozen=True)
class CategoryRow:
    """One category's share of a comparison."""

    category: str | None
    """Such as `channel=web`; None for subjects of which no side tells it."""
    rate: Ratio
    """Agreement."""
    broken: int
    """Subjects (or decisions) with a break."""


@dataclass(frozen=True)
class MoneyRow:
    """What an outcome's decisions come to, in its unit; None where no value is a number."""

    legacy: Decimal | None
    """The legacy's values of the decisions judged, added up."""
    new: Decimal | None
    """The new side's."""
    at_risk: Decimal | None
    """Over the breaks: by how much both differ, or the whole value where one side decides alone.
    None as well where one of them has no amount."""


@dataclass(frozen=True)
class LevelRow:
    """One aggregate or one outcome, compared between the legacy's truth and the new side."""

    name: str
    """The aggregate or the outcome."""
    compared: int
    """Subjects (or decisions) that were judged: those that agree and those that break."""
    agreeing: int
    """Those that agree, within tolerance included."""
    explained: int
    """Those that would break, but of which a row or an event is an exception. In no rate."""
    breaks: Mapping[str, int]
    """Breaks by kind; at state level, by column."""
    question: str = ""
    """At outcome level, the business question in words."""
    unit: str = ""
    """The unit of amounts, where they have one."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """Further counts worth a line, such as decisions that are not eligible, which is in no rate."""
    money: MoneyRow | None = None
    """At outcome level, what the decisions come to."""
    categories: tuple[CategoryRow, ...] = ()
    """By category, those with the most breaks first."""
    categories_in_all: int = 0
    """How many categories there are; only the worst are told."""

    @property
    def rate(self) -> Ratio:
        """Agreement."""
        return Ratio(self.agreeing, self.compared)


@dataclass(frozen=True)
class LevelSection:
    """One of the three levels of reconciliation."""

    name: str
    """record, state or outcome."""
    question: str
    """What the level asks, in words."""
    rows: tuple[LevelRow, ...]
    """One per aggregate, or per outcome."""

    @property
    def rate(self) -> Ratio:
        """Agreement over all rows together."""
        return Ratio(sum(r.agreeing for r in self.rows), sum(r.compared for r in self.rows))

    @property
    def explained(self) -> int:
        """Subjects that exceptions explain, over all rows together."""
        return sum(r.explained for r in self.rows)

    @property
    def breaks(self) -> int:
        """Differences over all rows together; one subject may have several."""
        return sum(sum(r.breaks.values()) for r in self.rows)


@dataclass(frozen=True)
class ValuePair:
    """A legacy value that became a new value, and how often. None is null."""

    legacy: str | None
    new: str | None
    count: int
    """Breaks with exactly this pair."""


@dataclass(frozen=True)
class BreakExample:
    """One break."""

    subject: str
    legacy: str | None
    """The legacy's value; None is null."""
    new: str | None
    """The new side's value; None is null."""
    amount: Decimal | None
    """New minus legacy, where both are numbers."""


@dataclass(frozen=True)
class BreakGroup:
    """All breaks of one column of one aggregate (or of one outcome) of one kind."""

    level: str
    name: str
    """The aggregate or the outcome."""
    column: str | None
    """The column that differs; None where the whole subject (or decision) does."""
    kind: str
    """missing, unexpected, different or duplicated."""
    count: int
    """Breaks in the group, which is as many subjects."""
    amount: Decimal | None
    """Sum of new minus legacy; None where no value is a number."""
    unit: str
    """The unit of the amount, where it has one."""
    pairs: tuple[ValuePair, ...]
    """The most frequent pairs, most frequent first; at most five."""
    examples: tuple[BreakExample, ...]
    """The largest by amount, then by subject; at most five."""
    opened: int = 0
    """Breaks that no run before found."""
    reopened: int = 0
    """Breaks that were fixed before."""
    waived: int = 0
    """Breaks that a waiver takes."""


@dataclass(frozen=True)
class Acceptance:
    """Somebody has looked at the exceptions of a rule and accepts them."""

    reason: str
    owner: str
    max_rate: Decimal
    """The largest share that is still acceptable, 0 to 1."""


@dataclass(frozen=True)
class ExceptionExample:
    """One row or event that a person must look at."""

    subject: str | None
    reason: str
    source: str | None
    """The legacy system, or the topic of a native event."""
    table: str | None
    key: str | None
    """The row's key, or the event's partition and offset."""
    position: str | None
    payload: str | None
    """The row as it was read, personal values masked; None where there is none to show."""


@dataclass(frozen=True)
class ExceptionGroup:
    """All exceptions of one rule."""

    rule: str
    level: str
    """source-row or event: what the share is a share of."""
    share: Ratio
    """Exceptions of all source rows, or of all candidate events."""
    accepted: Acceptance | None
    """Who accepts them and why; None if nobody does."""
    examples: tuple[ExceptionExample, ...]
    """At most five."""

    @property
    def within_cap(self) -> bool:
        """Whether they are accepted and no more than that."""
        return self.accepted is not None and (self.share.exact or 0) <= Fraction(
            self.accepted.max_rate
        )


@dataclass(frozen=True)
class FindingExample:
    """One departure from an expected order."""

    subject: str
    type: str
    """The event that came when it was not expected."""
    reason: str


@dataclass(frozen=True)
class FindingGroup:
    """All findings of one rule. The events flow; the finding is recorded."""

    rule: str
    aggregate: str
    count: int
    examples: tuple[FindingExample, ...]
    """At most five."""


@dataclass(frozen=True)
class SourceRead:
    """What was read from one legacy system."""

    name: str
    extracted_at: dt.datetime
    """When the extract was taken."""
    position: str
    """What identifies the input that was read."""
    snapshot: str
    """The position in the source's log at which its snapshot was taken; empty where none is."""
    tables: Mapping[str, int]
    """Rows by table."""


@dataclass(frozen=True)
class Skew:
    """The mutual order of a translator's sources, which is by commit time and assumed."""

    sources: Mapping[str, dt.datetime]
    """When the extract of each was taken."""
    crossings: int
    """Changes that follow, within their subject, a change of another source."""
    within_a_minute: int
    within_a_second: int
    """Of these, the ones that came so soon after it."""


@dataclass(frozen=True)
class TranslatorUsed:
    """A translator that took part."""

    name: str
    version: str
    aggregate: str
    transient: tuple[str, ...] = ()
    """Events whose facts can cease to hold: a snapshot shows those that still do."""
    per_row: tuple[str, ...] = ()
    """Events whose facts are decided in Python, row by row."""
    folded: tuple[str, ...] = ()
    """State columns of its aggregate that Python makes, event by event."""
    skew: Skew | None = None
    """What is known of the mutual order of its sources, where it has several."""


@dataclass(frozen=True)
class TableRow:
    """A table that a stage wrote."""

    name: str
    rows: int
    digest: str
    """Order-independent, over all columns."""


@dataclass(frozen=True)
class StageRow:
    """One stage of the run."""

    name: str
    seconds: float | None
    """Wall time; None where it was not recorded."""
    rows_in: int
    rows_out: int
    tables: tuple[TableRow, ...]

    @property
    def rows_per_second(self) -> float | None:
        """Rows taken in per second; None where the time is not known or too short to say."""
        return self.rows_in / self.seconds if self.seconds and self.seconds >= 0.01 else None


@dataclass(frozen=True)
class ObligationRow:
    """One obligation of the run's convergence certificate."""

    code: str
    says: str
    status: str
    """proven, held, assumed or violated."""
    by: str
    """The figures that prove it, who assumed it, or where it is violated."""
    sources: tuple[str, ...] = ()
    """Those of which it is said; none for the whole run."""


@dataclass(frozen=True)
class ExcuseExample:
    """One subject that is not judged, and the very row or event that this rests on."""

    subject: str
    whole: str | None
    """The subject of its whole, where the row or event is one of the whole."""
    source: str | None
    table: str | None
    key: str | None
    position: str | None
    event_id: str | None
    """The event, where it is one. All of these are None where truth or `decide` says so."""


@dataclass(frozen=True)
class ExcuseGroup:
    """Subjects that one level does not judge for one reason."""

    level: str
    """record, state or outcome."""
    name: str
    """The aggregate or the outcome."""
    kind: str
    """explained, late or not-eligible."""
    rests_on: str
    """source-row, event, truth or decide."""
    reason: str
    count: int
    examples: tuple[ExcuseExample, ...]
    """The first subjects, by id."""


@dataclass(frozen=True)
class Provenance:
    """What went into the run, so that the same can be done again."""

    run_id: str
    project: str
    context: str
    region: str
    cut: str
    """The cut line in words."""
    recorded_at: dt.datetime
    """The run's knowledge time: the latest extract that it saw."""
    cutline_version: str
    configuration_digest: str
    """Hexadecimal, over everything in cutline.yaml that can change results."""
    translation: str
    """Name and version."""
    translators: tuple[TranslatorUsed, ...]
    sources: tuple[SourceRead, ...]
    stages: tuple[StageRow, ...]
    """The stages before the report, in order."""
    lake: str
    """The run's folder."""
    taken_from: str | None = None
    """The run whose extract was taken over because it read the same, if one was."""
    certificate: tuple[ObligationRow, ...] = ()
    """What the run proves of itself and what it takes on trust, sources of which the same is said
    together."""


@dataclass(frozen=True)
class RunReport:
    """Everything that the report of one run says."""

    decision: DecisionSection
    books: RunBooks
    levels: tuple[LevelSection, ...]
    breaks: tuple[BreakGroup, ...]
    """Largest groups first within outcome, then state, then record level."""
    exceptions: tuple[ExceptionGroup, ...]
    """Those that nobody accepts first, then by count."""
    findings: tuple[FindingGroup, ...]
    """By count, largest first."""
    provenance: Provenance
    change: Change | None = None
    """Against the run before; None where nothing was remembered."""
    waivers: tuple[WaiverRow, ...] = ()
    """In the order of their file."""
    clusters: Clusters = field(default_factory=Clusters)
    """The breaks once more, by what they share, with their likely causes."""
    excuses: tuple[ExcuseGroup, ...] = ()
    """What is not judged, and what that rests on: by level and name, the largest first."""
