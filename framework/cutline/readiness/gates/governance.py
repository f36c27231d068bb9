"""Governance: somebody answers for the slice, and what is accepted of it has not run out."""

from __future__ import annotations

from cutline.readiness.gates.rehearsed import undeclared
from cutline.readiness.result import GateEvidence, GateResult
from cutline.readiness.slice import ReadinessWork
from cutline.results import ReportResult


def governance(work: ReadinessWork) -> GateResult:
    """Green where owner, on-call, approver, retention and personal data are declared, no waiver of
    the slice has expired, and there is a report of a run that is GO to be signed."""
    declared = work.section.governance
    if declared is None:
        says = "who answers for the slice, and what may be kept"
        return undeclared(work, "governance", "governance", says)
    expired = [
        w for w in work.project.waivers_of(work.context, work.region) if w.expires < work.now.date()
    ]
    if expired:
        names = ", ".join(f"{w.name} (of {w.owner}, {w.expires})" for w in expired)
        return GateResult(
            "governance",
            "red",
            f"waivers have expired: {names}",
            next_command="look at their breaks again, then mend waivers.yaml",
        )
    people = (
        f"owner {declared.owner}, on call {declared.on_call}, approver {declared.approver}; "
        f"kept: {declared.retention}; personal data: {declared.personal_data}"
    )
    reported = None if work.newest_go is None else work.newest_go.result_of(ReportResult)
    if work.newest_go is None or reported is None or not reported.files:
        return GateResult(
            "governance",
            "yellow",
            f"{people}; there is no report of a run that is GO to be signed",
            next_command=f"cutline run {work.context} --region {work.region}",
        )
    return GateResult(
        "governance",
        "green",
        people,
        GateEvidence(
            command="cutline run",
            run_id=work.newest_go.run_id,
            at=work.newest_go.finished_at or work.newest_go.created_at,
            made_by="the run",
            figures={
                "report": reported.files["report/report.json"],
                "waivers": len(work.project.waivers_of(work.context, work.region)),
            },
        ),
    )
