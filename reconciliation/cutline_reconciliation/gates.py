"""The gates: from what was found and what the policy asks, GO or NO-GO. Pure Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from cutline.project.gates import AcceptedExceptions, Gates, LevelGate
from cutline.tables.exception import SOURCE_ROW
from cutline_reconciliation.figures import count, least, most, needed
from cutline_reconciliation.results import (
    Decision,
    GateVerdict,
    RecordLevel,
    StateLevel,
    Summary,
)

GO, NO_GO = "go", "no-go"


@dataclass(frozen=True)
class ExceptionCount:
    """How many exceptions one rule made of source rows, or of events."""

    rule: str
    """The rule's name."""
    level: str
    """source-row | event."""
    count: int
    """Rows of `exceptions`."""


@dataclass(frozen=True)
class Totals:
    """What came into the run, and what of it has no end."""

    source_rows: int
    """Rows of the changes tables."""
    candidate_events: int
    """Events announced from them, and native events."""
    unexplained: int
    """Source rows and candidate events without exactly one end."""


def decide(
    summary: Summary,
    gates: Gates,
    exceptions: Sequence[ExceptionCount],
    totals: Totals,
    waivers: Sequence[GateVerdict] = (),
) -> Decision:
    """Ask every gate, in order; the first that says no decides.

    First conservation, then the exceptions by rule, then what is said of `waivers`, then record and
    state over all aggregates, then each outcome. Rates are compared as exact fractions. A gate that
    compared nothing says no.
    """
    verdicts = (
        _conservation(totals),
        *_exceptions(gates, exceptions, totals),
        *waivers,
        *_levels(summary, gates),
    )
    refused = next((v for v in verdicts if not v.passed), None)
    if refused is not None:
        return Decision(NO_GO, refused.sentence, verdicts)
    shown = " ".join(f"{v.sentence}." for v in verdicts if v.name in ("record", "state"))
    return Decision(GO, f"Every one of {len(verdicts)} gates says yes. {shown}".strip(), verdicts)


def _conservation(totals: Totals) -> GateVerdict:
    rows = count(totals.source_rows, "source row")
    events = count(totals.candidate_events, "candidate event")
    if totals.unexplained:
        sentence = f"Conservation: {totals.unexplained:,} of {rows} and {events} are unexplained"
    else:
        sentence = f"Conservation: {rows} and {events} have one end each, 0 are unexplained"
    return GateVerdict("conservation", totals.unexplained == 0, sentence)


def _exceptions(
    gates: Gates, exceptions: Sequence[ExceptionCount], totals: Totals
) -> Iterator[GateVerdict]:
    accepted = {a.rule: a for a in gates.accept}
    for found in sorted(exceptions, key=lambda e: (e.rule, e.level)):
        of_rows = found.level == SOURCE_ROW
        total = totals.source_rows if of_rows else totals.candidate_events
        population = count(total, "source row" if of_rows else "candidate event")
        yield _exception(found, total, population, accepted.get(found.rule))


def _exception(
    found: ExceptionCount, total: int, population: str, accepted: AcceptedExceptions | None
) -> GateVerdict:
    name = f"exceptions:{found.rule}"
    told = f"Exceptions: {found.count:,} of {population} under rule '{found.rule}'"
    if accepted is None:
        return GateVerdict(name, False, f"{told}, which nobody has accepted")
    limit = _fraction(accepted.max_rate)
    share = Fraction(found.count, total) if total else Fraction(1)
    passed = share <= limit
    terms = f"{most(share, limit)}, at most {needed(limit)} accepted by {accepted.owner}"
    return GateVerdict(name, passed, f"{told} ({terms}): {accepted.reason}")


def _levels(summary: Summary, gates: Gates) -> Iterator[GateVerdict]:
    if not (summary.record or summary.state or summary.outcome):
        nothing = "Truth: nothing to compare with, because the translation brings no truth"
        yield GateVerdict("truth", False, nothing)
    if summary.record:
        broken = "subjects are missing, unexpected or duplicated"
        asked = _Asked("record", "Record", broken, "match")
        yield asked.verdict(_matched(summary.record), _compared(summary.record), gates.record)
    if summary.state:
        asked = _Asked("state", "State", "subjects differ from the legacy's truth", "agree")
        yield asked.verdict(_matched(summary.state), _compared(summary.state), gates.state)
    for one in summary.outcome:
        broken, about = f"decisions of {one.name} differ", f": '{one.question}'"
        asked = _Asked(f"outcome:{one.name}", "Outcome", broken, "agree", about)
        gate = gates.outcomes.get(one.name, gates.outcome)
        yield asked.verdict(one.matched, one.compared, gate)


def _matched(levels: Sequence[RecordLevel | StateLevel]) -> int:
    return sum(level.matched for level in levels)


def _compared(levels: Sequence[RecordLevel | StateLevel]) -> int:
    return sum(level.compared for level in levels)


@dataclass(frozen=True)
class _Asked:
    """The words of one gate on a share."""

    name: str
    title: str
    broken: str
    matching: str
    about: str = ""

    def verdict(self, matched: int, compared: int, gate: LevelGate) -> GateVerdict:
        if not compared:
            nothing = f"{self.title}: nothing was compared, which is never GO{self.about}"
            return GateVerdict(self.name, False, nothing)
        limit, share = _fraction(gate.min_match_rate), Fraction(matched, compared)
        terms = f"{least(share, limit)} {self.matching}, {needed(limit)} needed"
        figures = f"{compared - matched:,} of {compared:,} {self.broken} ({terms})"
        return GateVerdict(self.name, share >= limit, f"{self.title}: {figures}{self.about}")


def _fraction(configured: float) -> Fraction:
    """The number as it is written in the file: 0.999, not the nearest binary one."""
    return Fraction(str(configured))
