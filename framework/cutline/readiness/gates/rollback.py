"""Rollback: the way back was gone."""

from __future__ import annotations

from cutline.readiness.gates.rehearsed import rehearsed
from cutline.readiness.result import GateEvidence, GateResult
from cutline.readiness.slice import ReadinessWork

_REVERSALS = ("reverse reads", "reverse writes")


def rollback(work: ReadinessWork) -> GateResult:
    """Green where a rehearsal removed all that it made; a reversal of the slice itself is named."""
    rollout = work.project.file.rollout
    if rollout.legacy_writes is None or rollout.reverse_feed is None:
        missing = "legacy_writes" if rollout.legacy_writes is None else "reverse_feed"
        return GateResult(
            "rollback",
            "red",
            f"cutline.yaml does not say how the slice's writes come back: rollout.{missing}",
            next_command="edit cutline.yaml as docs/rollout.md shows",
        )
    result = rehearsed(work, "rollback", "nothing was taken back yet")
    reversal = _reversal(work)
    if result.colour != "yellow" or reversal is None:
        return result
    return GateResult("rollback", "green", f"{reversal.command} came to its end", reversal)


def _reversal(work: ReadinessWork) -> GateEvidence | None:
    """The newest reversal of the slice that came to its end within the days of the gate."""
    for line in work.ledger:
        is_end = line.command in _REVERSALS and line.event == "done" and line.step in _LAST_STEPS
        if is_end and (work.now - line.changed_at).days < work.section.days_of("rollback"):
            run_id = next(
                (r.run_id for r in work.releases if r.staged_at <= line.changed_at), "none"
            )
            return GateEvidence(
                command=f"cutline rollout {line.command} {work.context} --region {work.region}",
                run_id=run_id,
                at=line.changed_at,
                made_by=line.changed_by,
                figures={"reads": line.reads, "writes": line.writes, "epoch": line.epoch},
            )
    return None


_LAST_STEPS = ("set-reads", "release-legacy")
"""The steps with which a reversal ends."""
