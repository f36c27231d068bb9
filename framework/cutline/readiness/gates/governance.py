"""Governance: somebody answers for the slice, and what is accepted of it has not run out."""

from __future__ import annotations

import datetime as dt

from cutline.project.waivers import DiscardedExceptions, Waiver
from cutline.readiness.gates.rehearsed import undeclared
from cutline.readiness.result import GateEvidence, GateResult
from cutline.readiness.slice import ReadinessWork
from cutline.results import ReportResult


def governance(work: ReadinessWork) -> GateResult:
    """Green where owner, on-call, approver, retention and personal data are declared, nothing
    that was accepted of the slice has expired, and a run that is GO has a report to be signed that
    is not too old."""
    declared = work.section.governance
    if declared is None:
        says = "who answers for the slice, and what may be kept"
        return undeclared(work, "governance", "governance", says)
    accepted: tuple[Waiver | DiscardedExceptions, ...] = (
        *work.project.waivers_of(work.context, work.region),
        *work.project.discarded_of(work.context, work.region),
    )
    if expired := [entry for entry in accepted if entry.expires < work.now.date()]:
        names = ", ".join(f"{e.name} (of {e.owner}, {e.expires})" for e in expired)
        return GateResult(
            "governance",
            "red",
            f"waivers or discarded exceptions have expired: {names}",
            next_command="look at their breaks and exceptions again, then mend waivers.yaml",
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
    made_at = work.newest_go.finished_at or work.newest_go.created_at
    days = work.section.days_of("governance")
    if work.now >= made_at + dt.timedelta(days=days):
        return GateResult(
            "governance",
            "yellow",
            f"{people}; the report to be signed is more than {days} days old: it is of "
            f"{made_at:%Y-%m-%d}",
            next_command=f"cutline run {work.context} --region {work.region}",
        )
    return GateResult(
        "governance",
        "green",
        people,
        GateEvidence(
            command="cutline run",
            run_id=work.newest_go.run_id,
            at=made_at,
            made_by="the run",
            figures={
                "report": reported.files["report/report.json"],
                "waivers": len(accepted),
            },
        ),
    )
