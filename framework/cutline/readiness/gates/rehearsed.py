"""What a rehearsal measured, as a gate sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cutline.control import Evidence
from cutline.project.readiness import GateName
from cutline.project.topics import KafkaTopicsSection
from cutline.readiness.age import measurement_of, why_expired
from cutline.readiness.result import GateEvidence, GateResult
from cutline.readiness.slice import ReadinessWork


def rehearsed(work: ReadinessWork, gate: GateName, designed: str) -> GateResult:
    """The colour of a gate by the newest rehearsal alone; `designed` says what is not tested yet.

    A failure stays red until a newer rehearsal passes, however old it is.
    """
    evidence = work.rehearsal
    if evidence is None:
        return GateResult(gate, "yellow", f"not tested: {designed}", next_command=work.rehearse)
    check = measured(evidence, gate)
    rests_on = evidence_of(evidence, gate)
    if check is None or not check.get("passed"):
        failure = (evidence.figures or {}).get("failure")
        says = failure if check is None else check.get("says")
        return GateResult(
            gate,
            "red",
            f"the rehearsal of run {evidence.run_id} failed: {says or 'it was not measured'}",
            rests_on,
            work.rehearse,
        )
    expired = why_expired(work, gate, measurement_of(evidence))
    if expired is not None:
        return GateResult(
            gate, "yellow", f"{expired}; then: {check['says']}", rests_on, work.rehearse
        )
    return GateResult(gate, "green", str(check["says"]), rests_on)


def watched(work: ReadinessWork, gate: GateName, designed: str) -> GateResult:
    """As `rehearsed`, of a gate that looks at the live groups: on Kafka it is yellow while one that
    cutline.yaml declares was not watched by the rehearsal."""
    result = rehearsed(work, gate, designed)
    if result.colour != "green" or result.evidence is None:
        return result
    if not isinstance(work.project.file.topics, KafkaTopicsSection):
        return result
    lag = result.evidence.figures.get("worst_lag", {})
    missing = [group for group in work.section.live if group.place not in lag]
    if not missing:
        return result
    names = ", ".join(f"{group.group} on {group.topic}" for group in missing)
    says = f"not watched by the rehearsal: {names}; of the others: {result.says}"
    return replace(result, colour="yellow", says=says, next_command=work.rehearse)


def measured(evidence: Evidence, gate: GateName) -> Mapping[str, Any] | None:
    """What a rehearsal measured for a gate; null if it did not come so far."""
    gates = (evidence.figures or {}).get("gates", {})
    check: Mapping[str, Any] | None = gates.get(gate)
    return check


def evidence_of(evidence: Evidence, gate: GateName) -> GateEvidence:
    """A rehearsal as what a gate rests on."""
    return GateEvidence(
        command=evidence.command,
        run_id=evidence.run_id,
        at=evidence.finished_at or evidence.begun_at,
        made_by=evidence.made_by,
        figures=dict(measured(evidence, gate) or {}),
    )


def undeclared(work: ReadinessWork, gate: GateName, key: str, says: str) -> GateResult:
    """A gate of which nothing is known, since cutline.yaml does not say it."""
    return GateResult(
        gate,
        "red",
        f"cutline.yaml does not say {says}: readiness.{work.context}.{key}",
        next_command="edit cutline.yaml as docs/readiness.md shows",
    )
