"""Performing a plan: each step is recorded before it is done and after, and a kill at any place is
gone on from."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cutline.control.plan import Guard, Plan, PlanUnderWay
from cutline.control.rollouts import LedgerEvent, Rollout, RolloutChange, RolloutChanged
from cutline.errors import EXIT_NO_GO, ConfigurationError, CutlineError, RunFailed, SliceBusy
from cutline.logs import logger
from cutline.rollout.events import OnRolloutEvent, RolloutEvent, ignore_rollout_events
from cutline.rollout.guards import (
    DENIAL,
    NEWEST_DECISION,
    command,
    denial_stands,
    is_go,
    newest_is_go,
)
from cutline.rollout.outside import is_frozen, outside_guards
from cutline.rollout.patience import patient_lease
from cutline.rollout.steps import STEPS
from cutline.rollout.steps.hold import FREEZE, seconds_left
from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.steps.writes import JOURNAL
from cutline.rollout.undo import undo
from cutline.rollout.work import RolloutWork, StepDone, overtaken
from cutline.secrets import as_written

_LOG = logger(__name__)

OVERDUE_SECONDS = 10.0
"""How long after its end a hold is one that nobody goes on with."""

LEASE_SECONDS = 60.0
"""For how long a step waits for another process that works on the slice."""

_LOOKED_AT_AGAIN = {NEWEST_DECISION: newest_is_go, DENIAL: denial_stands}
"""By their names, the guards that are looked at once more before what nobody reads is begun, and
before the step behind which nothing leads back: what is read for them is little."""


class PlanRefused(CutlineError):
    """A guard of a plan does not hold, and nothing was done. Exit code 1."""

    exit_code = EXIT_NO_GO

    def __init__(self, plan: Plan, left_behind: str = "Nothing was changed.") -> None:
        first = plan.refused[0]
        super().__init__(
            f"{plan.command} of {plan.context}/{plan.region} is refused: "
            + "; ".join(f"{guard.name}: {guard.says}" for guard in plan.refused),
            left_behind=left_behind,
            next_step=first.next_command or "",
        )
        self.plan = plan


def perform(
    work: RolloutWork, plan: Plan, changed_by: str, why: str | None, on_event: OnRolloutEvent
) -> Rollout:
    """The rollout as the plan leaves it.

    PlanRefused if a guard does not hold; RunFailed if the rollout was changed since the plan was
    made, or a step fails: then the message says whether it was undone, or how it goes on.
    """
    if plan.refused:
        raise PlanRefused(plan)
    if plan.command == "open":
        change = RolloutChange("open", "opened", changed_by, why=why, evidence=plan.looked_at)
        with work.control.lease(work.context, work.region) as lease:
            return work.control.open_rollout(plan.version, change, lease)
    begun = PlanUnderWay(plan=plan, changed_by=changed_by, why=why)
    with work.control.lease(work.context, work.region) as lease:
        _refuse_outdated(work, plan)
        rollout = work.control.change_rollout(
            plan.version,
            RolloutChange(
                plan.command,
                "begun",
                changed_by,
                why=why,
                evidence=plan.looked_at,
                values={"plan": begun.model_dump(mode="json"), "step": plan.steps[0].name},
            ),
            lease,
        )
    return _Performer(work, rollout, on_event).go_on()


def _refuse_outdated(work: RolloutWork, plan: Plan) -> None:
    """PlanRefused where what the plan asks for outside of the row fell since it was made: a run is
    NO-GO, somebody wrote into the read model, the denial is gone from the legacy.

    What `stage` prepares nobody reads: only the decision of its run is looked at. `switch writes`
    looks at the rest under its hold: of those only what is soon read.
    """
    if plan.command == "stage":
        guards = [is_go(work, work.run(plan.arguments["run_id"]))]
    elif plan.command == "switch writes":
        guards = _looked_at_again(work, plan)
    else:
        guards = outside_guards(work, plan.command, plan.arguments)
    if fallen := _fallen(guards):
        raise PlanRefused(plan.model_copy(update={"guards": fallen}))


def _looked_at_again(work: RolloutWork, plan: Plan) -> list[Guard]:
    names = {guard.name for guard in plan.guards} | ({DENIAL} if is_frozen(work) else set())
    return [look(work) for name, look in _LOOKED_AT_AGAIN.items() if name in names]


def _fallen(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    return tuple(guard for guard in guards if not guard.passed)


def plan_resume(work: RolloutWork) -> Plan:
    """What `resume` would do now with the plan that is under way: the steps that are left, with
    what must hold before them; or nothing but to take it back, which `undoes` says.

    ConfigurationError if nothing is under way.
    """
    return _Performer(work, _under_way(work), ignore_rollout_events).left()


def resume(
    work: RolloutWork, changed_by: str, why: str | None, on_event: OnRolloutEvent
) -> Rollout:
    """The rollout once the plan that is under way has ended.

    A plan whose undoing was begun is undone to the end, and a hold whose time is over is given
    back to the legacy. PlanRefused where what the plan asked for does not hold any more, and there
    is still a way back. ConfigurationError if nothing is under way.
    """
    performer = _Performer(work, _under_way(work), on_event, changed_by, why)
    undoes = performer.undoes
    return performer.go_on(is_resumed=True) if undoes is None else performer.undo(undoes)


def cancel(
    work: RolloutWork, changed_by: str, why: str | None, on_event: OnRolloutEvent
) -> Rollout:
    """The rollout with the plan that is under way undone.

    PlanRefused behind the point of no return: from there `resume` alone leads on.
    """
    rollout = _under_way(work)
    performer = _Performer(work, rollout, on_event, changed_by, why)
    plan = performer.plan
    assert rollout.step is not None
    if plan.is_behind_return(rollout.step):
        guard = Guard(
            name="point of no return",
            passed=False,
            says=f"{plan.command} is behind it, at step {rollout.step}",
            next_command=f"cutline rollout resume {work.context} --region {work.region}",
        )
        raise PlanRefused(plan.model_copy(update={"guards": (guard,)}))
    return performer.undo(why or f"cancelled by {changed_by}")


def end_overdue(work: RolloutWork, changed_by: str) -> bool:
    """Whether a move of writes that nobody went on with was ended now, so that a side may write: a
    hold whose time is over is given back, and behind the journal the plan is gone on with.

    Nothing happens while another process works on the slice, nor where the side that gets the
    writes does not answer.
    """
    rollout = work.rollout
    if rollout is None or rollout.plan is None or rollout.step is None:
        return False
    why = "nobody wrote, and nobody went on with it"
    performer = _Performer(work, rollout, ignore_rollout_events, changed_by, why)
    with contextlib.suppress(CutlineError):
        # Who is at work gives back by itself when the time is over.
        if rollout.writes == "held" and performer.is_out_of_time(by=OVERDUE_SECONDS):
            performer.undo("its time was over, and nobody went on with it", patience=0)
            return True
        if rollout.has_no_writer and performer.plan.is_behind_return(rollout.step):
            idle = work.now() - rollout.changed_at
            if idle.total_seconds() >= OVERDUE_SECONDS:
                performer.go_on(patience=0)
                return True
    return False


def _under_way(work: RolloutWork) -> Rollout:
    rollout = work.rollout
    if rollout is None or rollout.plan is None:
        raise ConfigurationError(
            f"Nothing is under way in the rollout of {work.context}/{work.region}.",
            next_step=f"Look at it: cutline rollout show {work.context}",
        )
    return rollout


class _Performer:
    """Carries one plan on, step by step. `_rollout` is the row as this process last changed it: by
    comparing it, a process that slept meanwhile changes nothing."""

    def __init__(
        self,
        work: RolloutWork,
        rollout: Rollout,
        on_event: OnRolloutEvent,
        changed_by: str | None = None,
        why: str | None = None,
    ) -> None:
        assert rollout.plan is not None
        self._under_way = rollout.plan
        # Who goes on with the plan of somebody else is named by what they change.
        self._changed_by = changed_by or self._under_way.changed_by
        self._why = why or self._under_way.why
        self.plan = self._under_way.plan
        self._work, self._rollout, self._on_event = work, rollout, on_event
        self._is_resumed, self._patience = False, LEASE_SECONDS
        self._has_moved = False

    @property
    def undoing(self) -> str | None:
        """Why the plan is being undone; None if it is not."""
        return self._under_way.undoing

    @property
    def undoes(self) -> str | None:
        """Why the plan is taken back when it is resumed; None if it goes forward."""
        if self.undoing is None and self.is_out_of_time():
            return "its time was over when it was resumed"
        return self.undoing

    def left(self) -> Plan:
        """The plan with the steps that are left, and what must hold before the first of them."""
        step, undoes = self._rollout.step, self.undoes
        version = {"version": self._rollout.version}
        if step is None or undoes is not None:
            return self.plan.model_copy(
                update={**version, "guards": (), "steps": (), "undoes": undoes}
            )
        guards: list[Guard] = []
        if not self.plan.is_behind_return(step):
            guards = outside_guards(self._prepared(), self.plan.command, self.plan.arguments)
        steps = self.plan.steps[self.plan.place(step) :]
        return self.plan.model_copy(update={**version, "guards": tuple(guards), "steps": steps})

    def go_on(self, *, is_resumed: bool = False, patience: float = LEASE_SECONDS) -> Rollout:
        """Perform what is left of the plan; what is resumed is looked at once more before. Another
        process that has the slice is waited for with `patience`, in seconds."""
        self._is_resumed, self._patience = is_resumed, patience
        # Who performs a plan from its beginning has just written that it is begun.
        self._has_moved = not is_resumed
        while (name := self._rollout.step) is not None:
            step = STEPS[name]
            try:
                self._tell("begun", name, step.says)
                _LOG.info("rollout step begun", extra=self._fields(name))
                self._do(step)
                _LOG.info("rollout step done", extra=self._fields(name))
                self._tell("done", name, "done")
            except RolloutChanged:
                raise
            except BaseException as error:
                raise self._ended_badly(error) from error
        return self._rollout

    def is_out_of_time(self, *, by: float = 0.0) -> bool:
        """Whether writes are held and the time for it has been over for so many seconds."""
        step = self._rollout.step
        if step is None or not self.plan.undone_by_itself or self.plan.is_behind_return(step):
            return False
        return "held_at" in self._under_way.evidence and seconds_left(self._prepared()) <= -by

    def undo(self, why: str, *, patience: float = LEASE_SECONDS) -> Rollout:
        """Take the plan back, and say why in the ledger.

        That it is taken back is recorded first: nobody may go on with a plan whose hold a process
        that slept meanwhile may still give back.
        """
        with self._leased(patience) as work:
            if self.undoing is None:
                undoing = self._under_way.model_copy(update={"undoing": why})
                values = {"plan": undoing.model_dump(mode="json")}
                self._change(work, "undoing", self._rollout.step, {}, values, why)
                self._under_way = undoing
                work = dataclasses.replace(self._prepared(), lease=work.lease)
            values = {**undo(work, self.plan), **_IDLE}
            self._change(work, "undone", self._rollout.step, {}, values, why)
        _LOG.warning("rollout undone", extra=self._fields(None))
        return self._rollout

    def _do(self, step: RolloutStep) -> None:
        if step.needs_lease:
            with self._leased(self._patience) as work:
                self._refuse_fallen(work, step)
                self._record(work, step, step.perform(work))
            return
        done = step.perform(self._prepared())
        with self._leased() as work:
            self._record(work, step, done)

    def _refuse_fallen(self, work: RolloutWork, step: RolloutStep) -> None:
        """PlanRefused where what the plan asks for fell since it was made, and there is a way back.

        All of it is looked at where the plan is resumed, and little of it before there is no way
        back; under the lease, so that no run is decided meanwhile.
        """
        plan = self.plan
        if plan.is_behind_return(step.name):
            return
        guards: list[Guard] = []
        if self._is_resumed:
            guards = outside_guards(work, plan.command, plan.arguments)
        elif plan.steps[plan.place(step.name)].point_of_no_return:
            guards = _looked_at_again(work, plan)
        self._is_resumed = False
        fallen = _fallen(guards)
        if not fallen:
            return
        if not plan.undone_by_itself:
            back = command(work, "cancel")
            again = f"{back} (or, once it holds: {command(work, 'resume')})"
            fallen = tuple(g.model_copy(update={"next_command": again}) for g in fallen)
        raise PlanRefused(
            plan.model_copy(update={"guards": fallen}),
            f"Nothing was changed. {plan.command} stands at {step.name}.",
        )

    def _record(self, work: RolloutWork, step: RolloutStep, done: StepDone) -> None:
        place = self.plan.place(step.name) + 1
        is_last = place == len(self.plan.steps)
        evidence = {**self._under_way.evidence, **done.evidence}
        under_way = self._under_way.model_copy(update={"evidence": evidence})
        following: Mapping[str, Any] = (
            _IDLE
            if is_last
            else {
                "plan": under_way.model_dump(mode="json"),
                "step": self.plan.steps[place].name,
            }
        )
        event: LedgerEvent = "ended" if step.name == "end" else "done"
        values = {**done.values, **following}
        self._change(work, event, step.name, done.evidence, values, None, done)
        self._under_way = under_way

    def _change(
        self,
        work: RolloutWork,
        event: LedgerEvent,
        step: str | None,
        evidence: Mapping[str, Any],
        values: Mapping[str, Any],
        why: str | None,
        done: StepDone | None = None,
    ) -> None:
        assert work.lease is not None
        change = RolloutChange(
            self.plan.command,
            event,
            self._changed_by,
            step=step,
            why=why or self._why,
            evidence=evidence,
            values=values,
        )
        release = None if done is None else done.release
        self._rollout = work.control.change_rollout(
            self._rollout.version, change, work.lease, release
        )
        self._has_moved = True

    def _ended_badly(self, error: BaseException) -> BaseException:
        """What may be undone is undone; the error that says what stands now, and what comes next.

        RolloutChanged where another process carries the plan on.
        """
        name = self._rollout.step
        if name is None:
            return error
        if self._is_overtaken():
            return overtaken(self._work, "This one does nothing more.")
        if isinstance(error, SliceBusy) and not self._has_moved:
            stands = f"{self.plan.command} stands at {name}, and this process recorded nothing."
            return SliceBusy(error.what, left_behind=stands, next_step=error.next_step)
        _LOG.error(
            "rollout step failed", extra={**self._fields(name), "error": type(error).__name__}
        )
        place = f"{self.plan.context} --region {self.plan.region}"
        stands = f"{self.plan.command} stands at {name}."
        if not self.plan.undone_by_itself or self.plan.is_behind_return(name):
            if isinstance(error, PlanRefused):
                return error
            return _step_failed(name, error, stands, f"cutline rollout resume {place}")
        try:
            self.undo(f"{name} failed: {_sentence(error)}")
        except RolloutChanged:
            raise
        except Exception as second:
            ends = "A denial that was made one without an end stands until it is removed."
            if name not in (FREEZE.name, JOURNAL.name):
                ends = "A hold ends by itself."
            return RunFailed(
                f"{_sentence(error)} And it could not be undone: {_sentence(second)}",
                left_behind=f"{stands} {ends}",
                next_step=_step_before(second, f"cutline rollout cancel {place}"),
            )
        # A release that was staged under the hold stays staged, and writes follow reads.
        is_staged = self._rollout.staged not in (None, self._rollout.release)
        again = f"cutline rollout {self.plan.command} {place}"
        if is_staged and self.plan.command == "switch writes":
            again = f"cutline rollout switch reads {place}, and then: {again}"
        undone = f"{self.plan.command} was undone: writes are {self._rollout.writes} again."
        return _step_failed(name, error, undone, again)

    def _is_overtaken(self) -> bool:
        """Whether another process changed the row since this one did: whatever failed, it is none
        of this one's any more. Not where the control database does not answer."""
        with contextlib.suppress(CutlineError):
            current = self._work.control.rollout(self.plan.context, self.plan.region)
            return current is None or current.version != self._rollout.version
        return False

    @contextlib.contextmanager
    def _leased(self, patience: float = LEASE_SECONDS) -> Iterator[RolloutWork]:
        with patient_lease(
            self._work.control, self.plan.context, self.plan.region, patience
        ) as lease:
            work = self._prepared()
            current = work.control.rollout(work.context, work.region)
            if current is None or current.version != self._rollout.version:
                raise overtaken(work, "This one does nothing more.")
            yield dataclasses.replace(work, lease=lease)

    def _prepared(self) -> RolloutWork:
        return dataclasses.replace(
            self._work,
            rollout=self._rollout,
            arguments=self.plan.arguments,
            evidence=self._under_way.evidence,
            say=lambda text: self._tell("said", self._rollout.step, text),
        )

    def _tell(self, phase: Any, step: str | None, says: str) -> None:
        self._on_event(RolloutEvent(phase, step, says))

    def _fields(self, step: str | None) -> dict[str, Any]:
        return {
            "context": self.plan.context,
            "region": self.plan.region,
            "command": self.plan.command,
            "step": step,
        }


_IDLE: Mapping[str, Any] = {"plan": None, "step": None}


def _sentence(error: BaseException) -> str:
    if isinstance(error, CutlineError):
        return error.what
    return as_written(f"{type(error).__name__}: {error}")


def _step_failed(name: str, error: BaseException, left_behind: str, command: str) -> CutlineError:
    """The error of a step: what its own error said to do comes before the command."""
    return RunFailed(
        f"step {name} failed: {_sentence(error)}",
        left_behind=left_behind,
        next_step=_step_before(error, command),
    )


def _step_before(error: BaseException, command: str) -> str:
    """The command, behind what the error said to do before it.

    What a step would have typed again is no command of the operator's: that is resumed.
    """
    if isinstance(error, SliceBusy):
        return f"Wait until who works on the slice has ended. Then: {command}"
    before = error.next_step if isinstance(error, CutlineError) else ""
    return f"{before} Then: {command}" if before and "same command again" not in before else command
