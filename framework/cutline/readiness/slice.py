"""All that the gates of a slice look at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cutline.control import Control, Evidence, RunRecord, newest_go
from cutline.control.rollouts import LedgerLine, Release
from cutline.project.loaded import LoadedProject
from cutline.project.readiness import ReadinessSection

REHEARSAL = "rehearsal"
"""The kind of evidence that `cutline rehearse` files."""


@dataclass(frozen=True)
class ReadinessWork:
    """A slice as its gates see it: what is declared, and what the control database has.

    `newest_go` is the newest complete run that is GO; null without one. `evidence`, `ledger`,
    `releases` and `runs` are newest first; `now` is the database's clock.
    """

    project: LoadedProject
    context: str
    region: str
    section: ReadinessSection
    newest_go: RunRecord | None
    evidence: Sequence[Evidence]
    ledger: Sequence[LedgerLine]
    releases: Sequence[Release]
    runs: Sequence[RunRecord]
    now: dt.datetime

    @property
    def rehearse(self) -> str:
        """The command that gives what is missing where nothing was tested."""
        place = f"{self.context} --region {self.region}"
        if self.newest_go is None:
            return f"cutline run {place}"
        return f"cutline rehearse {place} --run {self.newest_go.run_id}"

    @property
    def rehearsal(self) -> Evidence | None:
        """The newest rehearsal that came to an end; what was killed proves nothing."""
        return next(
            (e for e in self.evidence if e.kind == REHEARSAL and e.outcome in ("passed", "failed")),
            None,
        )

    def translators_of_run(self, run_id: str) -> Mapping[str, str]:
        """The versions of a run's translators; none where it is not known any more."""
        record = next((run for run in self.runs if run.run_id == run_id), None)
        return {} if record is None else translators_of(record)


def readiness_work(
    project: LoadedProject, control: Control | None, context: str, region: str
) -> ReadinessWork:
    """The slice as it stands now; without a control database nothing was ever run."""
    section = project.file.readiness.get(context, ReadinessSection())
    if control is None:
        now = dt.datetime.now(dt.UTC)
        return ReadinessWork(project, context, region, section, None, (), (), (), (), now)
    now, runs = control.now(), control.runs(context, region)
    return ReadinessWork(
        project=project,
        context=context,
        region=region,
        section=section,
        newest_go=newest_go(runs),
        evidence=control.evidence(context, region),
        ledger=control.rollout_ledger(context, region),
        releases=control.releases(context, region),
        runs=runs,
        now=now,
    )


def translators_of(record: RunRecord) -> dict[str, str]:
    """The versions of a run's translators, by name."""
    return dict(record.inputs.get("translators", {}))
