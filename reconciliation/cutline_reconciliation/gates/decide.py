"""The decision of the gates from counts and policy, GO or NO-GO. Pure Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from cutline.project.gates import AcceptedExceptions, Gates, OwedComparisons
from cutline.results.reconcile import (
    GO,
    NO_GO,
    Decision,
    GateVerdict,
    LevelResults,
    OutcomeLevel,
    RecordLevel,
    StateLevel,
    gate_name,
)
from cutline.tables.exception import SOURCE_ROW, ExceptionLevel
from cutline.wording import counted
from cutline_reconciliation.gates.figures import at_most_text, exact_fraction, limit_text
from cutline_reconciliation.gates.limits import GateWording, LevelShares, Share
from cutline_reconciliation.gates.uncompared import uncompared


@dataclass(frozen=True)
class ExceptionCount:
    """The number of exceptions of one rule, of source rows or of events."""

    rule: str
    """The rule's name."""
    level: ExceptionLevel
    """The unit of the count."""
    count: int
    """Rows of `exceptions`."""
    cause: str | None = None
    """The doubt and its remedy in a text, where all exceptions of the rule share it; else null."""


@dataclass(frozen=True)
class ConservationTotals:
    """The numbers of source rows and candidate events, and of those without an end."""

    source_rows: int
    """Rows of the changes tables."""
    candidate_events: int
    """Events announced from source rows, and native events."""
    unexplained: int
    """Source rows and candidate events without exactly one end."""


def decide(
    summary: LevelResults,
    gates: Gates,
    exceptions: Sequence[ExceptionCount],
    totals: ConservationTotals,
    waivers: Sequence[GateVerdict] = (),
) -> Decision:
    """The verdicts of all gates in order, and the decision; one failed gate makes it NO-GO.

    The order is conservation, exceptions by rule, `waivers`, record and state level over all
    aggregates, and each outcome. Rates are compared as exact fractions. A gate without anything
    compared fails, and so does an aggregate without anything compared, unless the policy declares
    it.
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


def _conservation(totals: ConservationTotals) -> GateVerdict:
    rows = counted(totals.source_rows, "source row")
    events = counted(totals.candidate_events, "candidate event")
    if totals.unexplained:
        sentence = f"Conservation: {totals.unexplained:,} of {rows} and {events} are unexplained"
    else:
        sentence = f"Conservation: {rows} and {events} have one end each, 0 are unexplained"
    return GateVerdict("conservation", totals.unexplained == 0, sentence)


def _exceptions(
    gates: Gates, exceptions: Sequence[ExceptionCount], totals: ConservationTotals
) -> Iterator[GateVerdict]:
    accepted = {a.rule: a for a in gates.accept}
    for count in sorted(exceptions, key=lambda e: (_rank(e), e.rule, e.level)):
        of_rows = count.level == SOURCE_ROW
        total = totals.source_rows if of_rows else totals.candidate_events
        population = counted(total, "source row" if of_rows else "candidate event")
        yield _exception(count, total, population, accepted.get(count.rule))


def _rank(exceptions: ExceptionCount) -> int:
    """A sort key: causes before consequences.

    A row that waits for another, and an event that is held because of an earlier one, may be well
    once that one is.
    """
    if exceptions.level != SOURCE_ROW:
        return 2
    return 1 if exceptions.rule.startswith(_WAITING) else 0


_WAITING = (
    *("no-prior-image", "part-missing:", "part-awaited:", "part-unreadable:"),
    "lookup-unreadable:",
)


def _exception(
    exceptions: ExceptionCount, total: int, population: str, accepted: AcceptedExceptions | None
) -> GateVerdict:
    name = gate_name("exceptions", exceptions.rule)
    sentence = f"Exceptions: {exceptions.count:,} of {population} under rule '{exceptions.rule}'"
    if exceptions.cause is not None:
        sentence += f" ({exceptions.cause})"
    if accepted is None:
        return GateVerdict(name, False, f"{sentence}, which nobody has accepted", exceptions.level)
    limit = exact_fraction(accepted.max_rate)
    share = Fraction(exceptions.count, total) if total else Fraction(1)
    passed = share <= limit
    terms = (
        f"{at_most_text(share, limit)}, at most {limit_text(limit)} accepted by {accepted.owner}"
    )
    return GateVerdict(name, passed, f"{sentence} ({terms}): {accepted.reason}", exceptions.level)


def _levels(summary: LevelResults, gates: Gates) -> Iterator[GateVerdict]:
    if not (summary.record or summary.state or summary.outcome):
        nothing = "Truth: nothing to compare with, because the translation brings no truth"
        yield GateVerdict("truth", False, nothing)
    if summary.record:
        broken = "subjects are missing, unexpected or duplicated"
        wording = GateWording("record", "Record", broken, "match")
        yield from wording.verdicts(_shares(summary.record), gates.record)
    if summary.state:
        wording = GateWording("state", "State", "subjects differ from the legacy's truth", "agree")
        yield from wording.verdicts(_shares(summary.state), gates.state)
    for level in summary.outcome:
        broken, about = f"decisions of {level.name} differ", f": '{level.question}'"
        wording = GateWording("outcome", "Outcome", broken, "agree", level.name, about, level.unit)
        gate = gates.outcomes.get(level.name, gates.outcome)
        yield from wording.verdicts(_shares([level]), gate)
        if gate.max_drift is not None:
            yield _drift(level, gate.max_drift)
    yield from uncompared(summary, gates.uncompared)
    yield from _owed(summary, gates.owed)


def _shares(levels: Sequence[RecordLevel | StateLevel | OutcomeLevel]) -> LevelShares:
    """The shares of several aggregates together, or of one outcome."""
    whole = Share(
        sum(level.matched for level in levels),
        sum(level.compared for level in levels),
        next((level.at_risk for level in levels if isinstance(level, OutcomeLevel)), None),
    )
    parts: dict[str, Share] = {}
    for part in (part for level in levels for part in level.categories):
        if part.category is not None:
            share = parts.get(part.category, Share(0, 0, None))
            parts[part.category] = share.with_(part.matched, part.compared, part.at_risk)
    return LevelShares(whole, parts)


def _drift(level: OutcomeLevel, limit: int) -> GateVerdict:
    name, about = gate_name("outcome.drift", level.name), f": '{level.question}'"
    if level.drift is None:
        missing = f"Outcome: no baseline tells the noise of {level.name}, so its drift is not known"
        return GateVerdict(name, False, f"{missing}{about}")
    sentence_start = f"Outcome: {level.drift:,} decisions of {level.name} differ beyond the noise"
    noise = f"{level.noise:,} of {level.noise_compared:,} changed in the legacy itself"
    sentence = f"{sentence_start} ({noise}), at most {limit:,} accepted{about}"
    return GateVerdict(name, level.drift <= limit, sentence)


def _owed(summary: LevelResults, accepted: OwedComparisons | None) -> Iterator[GateVerdict]:
    """A sentence on subjects that changed after the end of history: neither breaks nor matches."""
    subjects = sum(level.late for level in summary.record)
    decisions = sum(level.late for level in summary.outcome)
    if subjects or decisions:
        counts = f"{counted(subjects, 'subject')} and {counted(decisions, 'decision')}"
        owed = f"Re-verify: {counts} changed after the end of history and are owed a comparison"
        if accepted is None:
            yield GateVerdict("reverify", False, owed)
            return
        terms = f"at most {accepted.max_count:,}, accepted by {accepted.owner}"
        passed = subjects + decisions <= accepted.max_count
        yield GateVerdict("reverify", passed, f"{owed} ({terms}): {accepted.reason}")
