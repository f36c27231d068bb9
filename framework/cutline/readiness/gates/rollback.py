"""Rollback: the way back was gone."""

from __future__ import annotations

from dataclasses import replace

from cutline.readiness.age import Measurement, why_expired
from cutline.readiness.gates.rehearsed import rehearsed
from cutline.readiness.result import GateEvidence, GateResult
from cutline.readiness.slice import ReadinessWork
from cutline.readiness.way_back import way_back_digest

_READS_BACK = "reverse reads"
_REVERSALS = {
    "reverse writes": ("release-legacy",),
    _READS_BACK: ("set-reads", "drop-views"),
}
"""Commands that lead back, with the steps that each may end with."""


def rollback(work: ReadinessWork) -> GateResult:
    """Green where a rehearsal removed all that it made and tried the statements that bring writes
    back, as they are now, or where the writes of the slice itself went back to the legacy, as it
    would now; a reversal of reads shows less, and is named."""
    rollout = work.project.file.rollout
    if rollout.legacy_writes is None or rollout.reverse_feed is None:
        missing = "legacy_writes" if rollout.legacy_writes is None else "reverse_feed"
        return GateResult(
            "rollback",
            "red",
            f"cutline.yaml does not say how the slice's writes come back: rollout.{missing}",
            next_command="edit cutline.yaml as docs/rollout.md shows",
        )
    result = _with_way_back(work, rehearsed(work, "rollback", "nothing was taken back yet"))
    reversal = _reversal(work)
    if result.colour != "yellow" or reversal is None:
        return result
    says = f"{reversal.command} came to its end"
    if reversal.command.startswith(f"cutline rollout {_READS_BACK}"):
        says = f"{result.says}; {says}, and the writes never went back"
        return replace(result, says=says)
    return GateResult("rollback", "green", says, reversal)


def _with_way_back(work: ReadinessWork, result: GateResult) -> GateResult:
    """The result of a rehearsal, which is green only if the way back of writes was tried in it, by
    the statements of now."""
    if result.colour != "green" or result.evidence is None:
        return result
    rollout = work.project.file.rollout
    way_back = result.evidence.figures.get("way_back")
    says, next_command = None, work.rehearse
    if rollout.legacy_writes is not None and rollout.legacy_writes.trial_region is None:
        says = (
            "not tested: the statements that bring writes back; cutline.yaml has no "
            "rollout.legacy_writes.trial_region to try them with"
        )
        next_command = "edit cutline.yaml as docs/rollout.md shows"
    elif way_back is None:
        says = "not tested: this rehearsal did not try rollout.legacy_writes.trial_region"
    elif way_back["statements"] != way_back_digest(rollout):
        says = (
            "expired: rollout.legacy_writes or rollout.reverse_feed has changed since their "
            "statements were tried"
        )
    if says is None:
        return result
    says = f"{says}; then: {result.says}"
    return replace(result, colour="yellow", says=says, next_command=next_command)


def _reversal(work: ReadinessWork) -> GateEvidence | None:
    """The newest reversal of the slice that came to its end and still shows the way back: first
    one of its writes, by the statements of now, then one of its reads."""
    statements = way_back_digest(work.project.file.rollout)
    for command, last_steps in _REVERSALS.items():
        for line in work.ledger:
            if line.command != command or line.event != "done" or line.step not in last_steps:
                continue
            if command != _READS_BACK and line.recorded.get("statements") != statements:
                continue
            release = next((r for r in work.releases if r.staged_at <= line.changed_at), None)
            run_id = "none" if release is None else release.run_id
            translators = work.translators_of_run(run_id)
            measurement = Measurement(line.changed_at, run_id, translators)
            if why_expired(work, "rollback", measurement) is None:
                return GateEvidence(
                    command=f"cutline rollout {command} {work.context} --region {work.region}",
                    run_id=run_id,
                    at=line.changed_at,
                    made_by=line.changed_by,
                    figures={"reads": line.reads, "writes": line.writes, "epoch": line.epoch},
                )
    return None
