"""The rollout of one slice: its plans are made, looked at and performed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from cutline.api.arguments import require_text, require_text_if_given
from cutline.api.metrics.sending import send_after_run
from cutline.api.rollouts.board import RolloutOverview, overview_of
from cutline.api.rollouts.entries import (
    ReleaseSummary,
    RolloutLedgerEntry,
    ledger_entry,
    release_summary,
)
from cutline.api.rollouts.feeding import FedVersion, fed_version
from cutline.api.user import user_of_process
from cutline.control import Control, RunRecord
from cutline.display import ResultList
from cutline.errors import ConfigurationError
from cutline.rollout import (
    OnRolloutEvent,
    Plan,
    RolloutWork,
    cancel,
    end_overdue,
    ignore_rollout_events,
    perform,
    plan_resume,
    plans,
    resume,
)
from cutline.rollout.decisions import SliceDecisions, reconcile_decisions, settle
from cutline.run.progress import OnEvent, RunEvent, StageDone

if TYPE_CHECKING:
    from cutline.api.metrics import Metrics
    from cutline.api.run import Run
    from cutline.feed import AsideEntry
    from cutline.project import LoadedProject


class ProjectOfRollout(Protocol):
    """The part of a project that a rollout needs."""

    def load(self, region: str | None = None) -> LoadedProject:
        """cutline.yaml with what a region lays over it."""

    def session(self) -> AbstractContextManager[None]:
        """A context manager in which the project's Spark session is this thread's active one."""

    def metrics(self) -> Metrics:
        """Every slice in numbers."""

    def advance(self, context: str, *, region: str, on_event: OnEvent = ...) -> Run:
        """Carry one slice on from its newest complete run."""


@dataclass(frozen=True)
class SliceRollout:
    """The rollout of one slice of a project.

    A `plan_…` method looks at what must hold and changes nothing; `perform` does what the plan
    says, or raises `PlanRefused` (exit code 1) where a guard of it does not hold. What was
    interrupted is gone on with by `resume`, or taken back by `cancel_plan`.
    """

    project: ProjectOfRollout
    context: str
    region: str

    def overview(self) -> RolloutOverview:
        """Where it stands, and what can be done next."""
        project = self.project.load(self.region)
        return overview_of(self._control(), project, self.context, self.region)

    def under_way(self) -> Plan | None:
        """The plan that was begun and has not ended; None if nothing is under way."""
        rollout = self._control().rollout(self.context, self.region)
        return None if rollout is None or rollout.plan is None else rollout.plan.plan

    def ledger(self) -> ResultList[RolloutLedgerEntry]:
        """Every change of it, newest first."""
        lines = self._control().rollout_ledger(self.context, self.region)
        return ResultList(ledger_entry(line) for line in lines)

    def releases(self) -> ResultList[ReleaseSummary]:
        """Its releases, newest first."""
        releases = self._control().releases(self.context, self.region)
        return ResultList(release_summary(release) for release in releases)

    def decisions(self) -> SliceDecisions:
        """What both sides decided since it was opened, and what a side decided without authority.

        Sources and live topics are looked at as they are now; nothing is recorded.
        """
        with self.project.session():
            return self._decisions()

    def settle(self, stray: str, *, why: str, changed_by: str | None = None) -> RolloutLedgerEntry:
        """Say in the ledger what became of a decision without authority, by its id: from then on
        it stops nothing. The line of the ledger."""
        require_text(stray=stray, why=why)
        require_text_if_given(changed_by=changed_by)
        control = self._control()
        with self.project.session():
            settle(control, self._decisions(), stray, changed_by or user_of_process(), why)
        return self.ledger()[0]

    def _decisions(self) -> SliceDecisions:
        project, control = self.project.load(self.region), self._control()
        return reconcile_decisions(project, control, self.context, self.region)

    def plan_open(self) -> Plan:
        """Begin the rollout of the slice: the legacy is read and writes."""
        return self._planned(plans.plan_open)

    def plan_stage(self, run: str) -> Plan:
        """Prepare what a run offers, by its id or how that begins, as the next release."""
        require_text(run=run)
        return self._planned(lambda work: plans.plan_stage(work, run))

    def plan_mirror(self, percent: int) -> Plan:
        """Let so many of 100 reads be asked of both sides; the legacy answers."""
        share = _percent(percent)
        return self._planned(lambda work: plans.plan_mirror(work, share))

    def plan_switch_reads(self, percent: int | None = None) -> Plan:
        """Let so many of 100 readers be answered by the new side; None, or 100, lets all."""
        share = None if percent is None else _percent(percent)
        return self._planned(lambda work: plans.plan_switch_reads(work, share))

    def plan_switch_writes(self) -> Plan:
        """Give the writes to the new side, once all that the legacy wrote has come over."""
        return self._planned(plans.plan_switch_writes)

    def plan_reverse_reads(self) -> Plan:
        """Put back who was read before the last change of reads, and which release."""
        return self._planned(plans.plan_reverse_reads)

    def plan_expand(self) -> Plan:
        """Let services read the columns of the staged release beside those that they read now."""
        return self._planned(plans.plan_expand)

    def plan_migrate(self, reader: str) -> Plan:
        """Confirm that a service reads the new columns; who performs it is who confirms."""
        require_text(reader=reader)
        return self._planned(lambda work: plans.plan_migrate(work, reader))

    def plan_contract(self) -> Plan:
        """Let the views show the columns of the release alone."""
        return self._planned(plans.plan_contract)

    def plan_reverse_contract(self) -> Plan:
        """Show the columns of the release before again, beside those of the release."""
        return self._planned(plans.plan_reverse_contract)

    def plan_reverse_writes(self) -> Plan:
        """Give the writes back to the legacy, once all that the new side wrote is there."""
        return self._planned(plans.plan_reverse_writes)

    def plan_complete(self) -> Plan:
        """End the rollout with the new side in charge. There is no way back behind it."""
        return self._planned(plans.plan_complete)

    def plan_cancel(self) -> Plan:
        """End the rollout with the legacy as it was."""
        return self._planned(plans.plan_cancel)

    def plan_resume(self) -> Plan:
        """What `resume` would do now: the steps that are left, with what must hold before them; or
        to take the plan back, which `undoes` says why.

        ConfigurationError if nothing is under way.
        """
        return self._planned(plan_resume)

    def perform(
        self,
        plan: Plan,
        *,
        why: str | None = None,
        changed_by: str | None = None,
        on_event: OnRolloutEvent = ignore_rollout_events,
    ) -> RolloutOverview:
        """Do what the plan says; where the rollout stands then.

        RunFailed if the rollout was changed since the plan was made. `why` and `changed_by` are
        kept in the ledger; without the latter it is the user of this process.
        """
        require_text_if_given(why=why, changed_by=changed_by)
        if (plan.context, plan.region) != (self.context, self.region):
            raise ConfigurationError(
                f"The plan is of {plan.context}/{plan.region}, not {self.context}/{self.region}.",
                next_step="Make it of this slice.",
            )
        by = changed_by or user_of_process()
        with self._moving():
            perform(self._work(), plan, by, why, on_event)
        return self.overview()

    def resume(
        self,
        *,
        why: str | None = None,
        changed_by: str | None = None,
        on_event: OnRolloutEvent = ignore_rollout_events,
    ) -> RolloutOverview:
        """Go on with the plan that is under way; where the rollout stands then.

        A hold of the legacy whose time is over is given back instead. What is changed from here on
        is changed by `changed_by`, whoever began the plan.
        """
        require_text_if_given(why=why, changed_by=changed_by)
        with self._moving():
            resume(self._work(), changed_by or user_of_process(), why, on_event)
        return self.overview()

    def cancel_plan(
        self,
        *,
        why: str | None = None,
        changed_by: str | None = None,
        on_event: OnRolloutEvent = ignore_rollout_events,
    ) -> RolloutOverview:
        """Take back the plan that is under way; PlanRefused behind its point of no return."""
        require_text_if_given(why=why, changed_by=changed_by)
        with self._moving():
            cancel(self._work(), changed_by or user_of_process(), why, on_event)
        return self.overview()

    def feed(self, *, version: int | None = None) -> ResultList[FedVersion]:
        """Apply the live events that came to every version of the read model that stands, or to
        that one alone; what that came to, by version.

        Each transaction holds rows and positions: a kill loses and doubles nothing. A hold of
        writes that nobody went on with is given back before, if its time is over; behind its
        journal the move is gone on with.
        ConfigurationError where there is nothing to feed.
        """
        from cutline.feed import feed_slice

        project = self.project.load(self.region)
        with self.project.session():
            end_overdue(self._work(), user_of_process())
            versions = feed_slice(project, self._control(), self.context, self.region, version)
            return ResultList(fed_version(fed) for fed in versions)

    def aside(self) -> ResultList[AsideEntry]:
        """The live records that are not applied, each with its rule, by their places."""
        from cutline.feed import aside_entries

        project = self.project.load(self.region)
        return ResultList(aside_entries(project, self._control(), self.context, self.region))

    def admit(self, record: str, *, why: str | None = None, decided_by: str | None = None) -> int:
        """Have the next feed decide anew about a record that is put aside, by its place, or about
        all of a rule: whatever its epoch is, and as the plugins of then read it. How many there
        are, counted in each version."""
        return self._decide(record, "admitted", why, decided_by)

    def discard(self, record: str, *, why: str, decided_by: str | None = None) -> int:
        """Give up a record that is put aside, by its place, or all of a rule: what waits behind it
        goes on with the next feed. How many there are, counted in each version."""
        require_text(why=why)
        return self._decide(record, "discarded", why, decided_by)

    def _decide(
        self,
        record: str,
        decision: Literal["admitted", "discarded"],
        why: str | None,
        decided_by: str | None,
    ) -> int:
        from cutline.feed import decide

        require_text(record=record)
        require_text_if_given(why=why, decided_by=decided_by)
        project, by = self.project.load(self.region), decided_by or user_of_process()
        return decide(
            project, self._control(), self.context, self.region, record, decision, by, why
        )

    def _planned(self, make: Callable[[RolloutWork], Plan]) -> Plan:
        with self.project.session():
            return make(self._work())

    @contextmanager
    def _moving(self) -> Iterator[None]:
        """The project's session; behind it the numbers are sent, where cutline.yaml says so."""
        try:
            with self.project.session():
                yield
        finally:
            # A slice that was moved has no runs which would send them.
            send_after_run(self.project.load(self.region), self.project.metrics)

    def _control(self) -> Control:
        project = self.project.load(self.region)
        return Control.open(project.file.control, project.folder)

    def _work(self) -> RolloutWork:
        project = self.project.load(self.region)
        control = Control.open(project.file.control, project.folder)

        def carry_on(say: Callable[[str], None]) -> RunRecord:
            def on_event(event: RunEvent) -> None:
                if isinstance(event, StageDone):
                    say(f"{event.stage}: {event.summary}")

            run = self.project.advance(self.context, region=self.region, on_event=on_event)
            record = control.run(run.id)
            assert record is not None
            return record

        return RolloutWork(
            project=project,
            control=control,
            context=self.context,
            region=self.region,
            carry_on=carry_on,
            say=lambda _: None,
            rollout=control.rollout(self.context, self.region),
        )


def _percent(value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 100:
        raise ConfigurationError(
            f"percent: {value!r} is no whole number from 1 to 100.",
            next_step="Write percent=5.",
        )
    return value
