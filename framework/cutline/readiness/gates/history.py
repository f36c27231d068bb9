"""The whole history, reckoned from the share of it that was rehearsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cutline.control import RunRecord
from cutline.project.readiness import GateName
from cutline.readiness.gates.rehearsed import rehearsed
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork
from cutline.results import ReportResult
from cutline.topics.names import is_history, is_state

GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class WholeHistory:
    """Records and bytes of one copy of the history with its states, and the seconds that it takes
    to publish at the rate that was measured."""

    records: int
    bytes: int
    seconds: float

    @property
    def gigabytes(self) -> float:
        """Of 1,000,000,000 bytes."""
        return self.bytes / GIGABYTE


def whole_history(record: RunRecord, volume: Mapping[str, Any]) -> WholeHistory | None:
    """What all that a run published comes to; null where neither run nor rehearsal has records.

    A topic's kind of which nothing was rehearsed is reckoned by the bytes of the other.
    """
    reported = record.result_of(ReportResult)
    published = {} if reported is None else reported.published
    events = sum(count for topic, count in published.items() if is_history(topic))
    states = sum(count for topic, count in published.items() if is_state(topic))
    rehearsed = volume["events"] + volume["states"]
    if not rehearsed or not events + states:
        return None
    mean = (volume["event_bytes"] + volume["state_bytes"]) / rehearsed
    of_event = volume["event_bytes"] / volume["events"] if volume["events"] else mean
    of_state = volume["state_bytes"] / volume["states"] if volume["states"] else mean
    return WholeHistory(
        records=events + states,
        bytes=round(events * of_event + states * of_state),
        seconds=(events + states) / volume["records_per_second"],
    )


@dataclass(frozen=True)
class Reckoned:
    """What the whole history comes to beside what was declared: in words, whether it is more, the
    figures, and what is done then."""

    says: str
    is_more: bool
    figures: Mapping[str, Any]
    otherwise: str


def reckoned(
    work: ReadinessWork,
    gate: GateName,
    designed: str,
    reckon: Callable[[WholeHistory], Reckoned],
) -> GateResult:
    """The colour of a gate that reckons the whole history from what a rehearsal measured; red where
    it comes to more than was declared."""
    result = rehearsed(work, gate, designed)
    if result.colour == "red" or result.evidence is None or work.newest_go is None:
        return result
    whole = whole_history(work.newest_go, result.evidence.figures)
    if whole is None:
        return replace(
            result,
            colour="red",
            says=f"run {work.newest_go.run_id} published no history to reckon from",
            next_command=work.rehearse,
        )
    end = reckon(whole)
    evidence = replace(result.evidence, figures={**result.evidence.figures, **end.figures})
    if end.is_more:
        return GateResult(gate, "red", end.says, evidence, end.otherwise)
    says = f"{result.says}; {end.says}" if result.colour == "yellow" else end.says
    return replace(result, says=says, evidence=evidence)
