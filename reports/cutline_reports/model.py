"""The report of a run as data. The HTML and the JSON are two views of one `RunReport`.

Texts of a source are as they were read, with personal data masked; nothing here is escaped. Counts
are whole numbers, seconds are wall time, times have a zone.
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
    """`part` of `whole`, both counts of the same unit; exact, never a rounded rate."""

    part: int
    whole: int

    @property
    def exact(self) -> Fraction | None:
        """The share, 0 to 1; None where nothing was counted."""
        return Fraction(self.part, self.whole) if self.whole else None


@dataclass(frozen=True)
class GateRow:
    """One condition of the decision, with its evidence."""

    name: str
    """The subject of the gate, such as `state` or `exceptions:orphan-line`."""
    passed: bool
    """Whether the evidence fulfils the condition."""
    decided: bool
    """Whether this gate decided the run."""
    kind: str
    """`rate`: at least `required` must agree. `cap`: at most `required` is accepted, of an
    exception rule. `condition`: true or false.
    """
    sentence: str
    """The condition and the evidence in words."""
    level: str = ""
    """record, state or outcome; empty for a gate that belongs to no level."""
    target: str = ""
    """The aggregate, outcome or rule of the gate; empty for the whole level."""
    measured: Ratio | None = None
    """Agreeing of compared subjects (rate), or exceptions of all rows or events (cap)."""
    required: Decimal | None = None
    """The threshold as a share, 0 to 1; None for a condition."""


@dataclass(frozen=True)
class DecisionSection:
    """GO or NO-GO, with the reason."""

    decision: str
    """`go` or `no-go`."""
    decided_by: str
    """The rule that decided, in one sentence."""
    gates: tuple[GateRow, ...]
    """Every gate, in the order of evaluation."""

    @property
    def go(self) -> bool:
        """Whether the decision is GO."""
        return self.decision == GO


@dataclass(frozen=True)
class RuleCount:
    """The number of source rows that one rule gave one end."""

    disposition: str
    rule: str
    rows: int


@dataclass(frozen=True)
class RunBooks:
    """The counts from source rows to the target, which must balance."""

    source_rows: int
    """Rows of the sources for the slice: snapshot rows and changes."""
    dispositions: Mapping[str, int]
    """Source rows by disposition."""
    rules: tuple[RuleCount, ...]
    """Source rows by the rule that decided their end, most first."""
    synthetic: int
    """Candidate events that translators announced."""
    native: int
    """Candidate events that live producers sent."""
    native_unreadable: int
    """Records of live topics that cannot be read as events, or whose writer had not the authority;
    each is an exception."""
    verdicts: Mapping[str, int]
    """Candidate events by verdict."""
    timeline: int
    """Events that survived the merge."""
    subjects: Mapping[str, int]
    """Projected subjects by aggregate."""
    written_over: int = 0
    """Changes that a later change of their own transaction overwrote; they are among the rows."""
    fell_within: int = 0
    """Facts that held only between changes of one transaction, and are not announced."""
    untold_transactions: Mapping[str, int] = field(default_factory=dict)
    """By source, changes without a known transaction; empty where all are known."""

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
    """One category's part of a comparison."""

    category: str | None
    """Such as `channel=web`; None for subjects whose category no side has."""
    rate: Ratio
    """Agreement."""
    broken: int
    """Subjects (or decisions) with a break."""


@dataclass(frozen=True)
class MoneyRow:
    """The sums of an outcome's decisions in its unit; None where no value is a number."""

    legacy: Decimal | None
    """The sum of the legacy's values over judged decisions."""
    new: Decimal | None
    """The sum of the new side's values over them."""
    at_risk: Decimal | None
    """The sum over breaks of the absolute difference, or of the whole value where only one side
    decides.

    None also where a break has no amount.
    """


@dataclass(frozen=True)
class LevelRow:
    """The comparison of one aggregate or one outcome."""

    name: str
    """The aggregate or the outcome."""
    compared: int
    """Subjects (or decisions) that were judged: agreeing and broken ones."""
    agreeing: int
    """Those that agree, or differ within tolerance."""
    explained: int
    """Broken ones with an exception of a row or an event; they are in no rate."""
    breaks: Mapping[str, int]
    """Breaks by kind; at state level, by column."""
    question: str = ""
    """At outcome level, the business question in words."""
    unit: str = ""
    """The unit of amounts; empty without one."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """Further counts, such as decisions that are not eligible, which are in no rate."""
    money: MoneyRow | None = None
    """At outcome level, the sums of the decisions."""
    categories: tuple[CategoryRow, ...] = ()
    """The categories with the most breaks first."""
    categories_in_all: int = 0
    """The number of all categories; only the worst are shown."""

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
    """The level's question in words."""
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
        """Breaks over all rows together; one subject may have several."""
        return sum(sum(r.breaks.values()) for r in self.rows)


@dataclass(frozen=True)
class ValuePair:
    """A legacy value and the new value, and the number of such breaks. None is null."""

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
    """All breaks of one kind of one column of an aggregate, or of an outcome."""

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
    """Breaks that no earlier run had."""
    reopened: int = 0
    """Breaks that had been fixed before."""
    waived: int = 0
    """Breaks that a waiver takes."""


@dataclass(frozen=True)
class Acceptance:
    """The acceptance of a rule's exceptions, by a person, with a reason."""

    reason: str
    owner: str
    max_rate: Decimal
    """The largest accepted share, 0 to 1."""


@dataclass(frozen=True)
class ExceptionExample:
    """One row or event that a person must look at."""

    id: str
    """Its id, by which the commands of `cutline exceptions` know it; in every run the same."""
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
    """source-row or event: the unit of the share."""
    share: Ratio
    """Exceptions of all source rows, or of all candidate events."""
    accepted: Acceptance | None
    """The acceptance; None without one."""
    examples: tuple[ExceptionExample, ...]
    """At most five."""

    @property
    def within_cap(self) -> bool:
        """Whether they are accepted, and no more than the accepted share."""
        return self.accepted is not None and (self.share.exact or 0) <= Fraction(
            self.accepted.max_rate
        )


@dataclass(frozen=True)
class FindingExample:
    """One departure from an expected order."""

    subject: str
    type: str
    """The type of the event that came out of order."""
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
    """The input from one legacy system."""

    name: str
    extracted_at: dt.datetime
    """The time of the extract."""
    position: str
    """The identity of the input."""
    snapshot: str
    """The snapshot's position in the source's log; empty where unknown."""
    tables: Mapping[str, int]
    """Rows by table."""


@dataclass(frozen=True)
class Skew:
    """The mutual order of a translator's sources, which is assumed to be that of commit times."""

    sources: Mapping[str, dt.datetime]
    """The time of each source's extract."""
    crossings: int
    """Changes that follow a change of another source within their subject."""
    within_a_minute: int
    within_a_second: int
    """Crossings within a second."""


@dataclass(frozen=True)
class TranslatorUsed:
    """A translator of the run."""

    name: str
    version: str
    aggregate: str
    transient: tuple[str, ...] = ()
    """Events of transient facts: a snapshot shows those that still hold."""
    per_row: tuple[str, ...] = ()
    """Events whose facts are decided in Python, row by row."""
    folded: tuple[str, ...] = ()
    """State columns of its aggregate that are folded in Python, event by event."""
    skew: Skew | None = None
    """The mutual order of its sources; None for a single source."""


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
        """Rows in per second; None where the time is unknown or too short."""
        return self.rows_in / self.seconds if self.seconds and self.seconds >= 0.01 else None


@dataclass(frozen=True)
class ObligationRow:
    """One obligation of the run's convergence certificate."""

    code: str
    says: str
    status: str
    """proven, held, assumed or violated."""
    by: str
    """The figures that prove it, the person who assumed it, or the place of its violation."""
    sources: tuple[str, ...] = ()
    """The sources that it is about; empty for the whole run."""


@dataclass(frozen=True)
class ExcuseExample:
    """One subject that is not judged, with the row or event that proves it."""

    subject: str
    whole: str | None
    """The subject of its whole, for a row or an event of the whole."""
    source: str | None
    table: str | None
    key: str | None
    position: str | None
    event_id: str | None
    """The event; None for a row. All of these are None where truth or `decide` is the evidence."""


@dataclass(frozen=True)
class ExcuseGroup:
    """Subjects that one level does not judge, of one reason."""

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
    """The inputs of the run, with which it can be repeated."""

    run_id: str
    project: str
    context: str
    region: str
    cut: str
    """The cut line in words."""
    recorded_at: dt.datetime
    """The run's knowledge time: the latest extract that it read."""
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
    """The run whose extract was reused because its input was the same; None without one."""
    certificate: tuple[ObligationRow, ...] = ()
    """The run's proven and assumed obligations; sources with the same are one row."""


@dataclass(frozen=True)
class RunReport:
    """The whole report of one run."""

    decision: DecisionSection
    books: RunBooks
    levels: tuple[LevelSection, ...]
    breaks: tuple[BreakGroup, ...]
    """Largest groups first within outcome, then state, then record level."""
    exceptions: tuple[ExceptionGroup, ...]
    """Those without acceptance first, then by count."""
    findings: tuple[FindingGroup, ...]
    """By count, largest first."""
    provenance: Provenance
    change: Change | None = None
    """The change since the previous run; None without histories."""
    waivers: tuple[WaiverRow, ...] = ()
    """In the order of their file."""
    clusters: Clusters = field(default_factory=Clusters)
    """The breaks by common properties, with their likely causes."""
    excuses: tuple[ExcuseGroup, ...] = ()
    """Subjects that are not judged, with evidence: by level and name, the largest groups first."""
