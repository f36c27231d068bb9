"""Holding the legacy's writes, until everything that it wrote before has come over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cutline.control.tenures import LEGACY_CLOCK
from cutline.errors import RunFailed
from cutline.results import ReconcileResult
from cutline.rollout.denial import refuse_bounded, refuse_missing, release_denial
from cutline.rollout.guards import (
    command,
    denial_stands,
    no_foreign_writes,
    no_overlap,
    stays_releasable,
)
from cutline.rollout.legacy import LegacyDatabase
from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.work import RolloutWork, StepDone, overtaken

POLL_SECONDS = 0.5
FREEZE_MARGIN = 2.0
"""How many seconds must be left of a hold behind its freezing. The legacy was given whole seconds,
and may count them from the second before: it may end so much earlier than it does by our reckoning,
and what is written between the end and the freezing would be lost."""


def seconds_left(work: RolloutWork) -> float:
    """For how long the hold still lasts, by the clock of the control database; infinite for one of
    the new side that an earlier version began, as it had no end."""
    began = work.evidence.get("held_at")
    if began is None:
        return math.inf
    return hold_seconds(work) - (work.now().timestamp() - began)


def hold_seconds(work: RolloutWork) -> float:
    """For how long the hold was begun: what cutline.yaml says by now, the legacy was never told."""
    return work.evidence.get("hold_seconds", work.holding.seconds)


def _carry_on(work: RolloutWork) -> StepDone:
    record = work.carry_on(work.say)
    if record.decision != "go":
        raise _no_go(work, record.run_id, record.decision)
    # Another slice may have been staged since this one was, with subjects of this one. The run
    # under the hold is asked for them too.
    overlap = no_overlap(work, record)
    if not overlap.passed:
        raise RunFailed(
            f"Run {record.run_id} may be no release: {overlap.says}",
            next_step="Let the `region` predicates of cutline.yaml tell the slices apart.",
        )
    return StepDone({"caught_up_run": record.run_id})


def _claim(work: RolloutWork) -> StepDone:
    """Recorded before the legacy is told, so that no denial stands there that nobody knows of."""
    epoch = work.standing.epoch + 1
    values = {"writes": "held", "epoch": epoch, "denial": epoch}
    return StepDone(hold_evidence(work, epoch), values)


def hold_evidence(work: RolloutWork, epoch: int) -> dict[str, float]:
    """Since when, for how long and under which epoch nobody writes."""
    return {
        "epoch": epoch,
        "held_at": work.now().timestamp(),
        "hold_seconds": work.holding.seconds,
    }


def _hold(work: RolloutWork) -> StepDone:
    legacy, section = work.legacy, work.holding
    left = seconds_left(work)
    if left <= 0:
        raise _hold_ended(work)
    epoch = work.evidence["epoch"]
    denied = legacy.tell("hold", section.hold, epoch=epoch, seconds=max(1, int(left)))
    _refuse_overtaken(work, legacy)
    refuse_missing(legacy, section, epoch)
    return StepDone({"hold_transaction": denied.transaction})


def _refuse_overtaken(work: RolloutWork, legacy: LegacyDatabase) -> None:
    """RolloutChanged where another process moved the rollout while this one slept before its hold,
    which is then taken away again, or made the frozen one that it was."""
    current = work.control.rollout(work.context, work.region)
    if current is not None and current.version == work.standing.version:
        return
    epoch, section = work.evidence["epoch"], work.holding
    if current is None or current.denial != epoch:
        legacy.tell("release", section.release, epoch=epoch)
    elif current.writes == "new" or (current.plan and "frozen_at" in current.plan.evidence):
        legacy.tell("freeze", section.freeze, epoch=epoch)
    raise overtaken(work, "The denial in the legacy is as that process left it.")


def _wait_for_transactions(work: RolloutWork) -> StepDone:
    legacy, section = work.legacy, work.holding
    transaction = work.evidence["hold_transaction"]

    def is_waiting() -> bool:
        if section.open_transactions is not None:
            return legacy.is_true(
                "open_transactions", section.open_transactions, epoch=work.evidence["epoch"]
            )
        return transaction is not None and legacy.has_older_transactions(transaction)

    waited = _wait(work, is_waiting, "transactions that began before the hold are still open")
    return StepDone({"waited_for_transactions": waited})


def _record_position(work: RolloutWork) -> StepDone:
    # Nothing of before the hold is open any more: what is dated later was accepted in spite of it.
    clock = {LEGACY_CLOCK: legacy_clock(work)}
    position = work.holding.position
    if position is None:
        return StepDone({"position": None, **clock})
    text = str(work.legacy.ask("position", position, epoch=work.evidence["epoch"]))
    work.say(f"the legacy's log stands at {text}")
    return StepDone({"position": text, **clock})


def legacy_clock(work: RolloutWork) -> str | None:
    """The moment by the clock that dates the legacy's commits, as text; null where it has none."""
    moment = work.legacy.moment(work.holding.clock)
    return None if moment is None else moment.isoformat()


def _drain(work: RolloutWork) -> StepDone:
    legacy, drained = work.legacy, work.holding.drained
    if drained is not None:
        values = {"epoch": work.evidence["epoch"], "position": work.evidence["position"]}
        _wait(
            work,
            lambda: not legacy.is_true("drained", drained, **values),
            f"the changes up to {work.evidence['position']} are not where runs read them",
        )
    record = work.carry_on(work.say)
    if record.decision != "go":
        raise _no_go(work, record.run_id, record.decision)
    return StepDone({"drained_run": record.run_id})


def _check_owed(work: RolloutWork) -> StepDone:
    record = work.run(work.evidence["drained_run"])
    checks = stays_releasable(work, record)
    release = work.release(work.standing.release)
    if release is not None and release.run_id == record.run_id:
        # Nothing came, so its tables are not written again, and stay what readers see.
        checks = [*checks, no_foreign_writes(work, release.release)]
    refused = [guard for guard in checks if not guard.passed]
    if refused:
        raise RunFailed(
            f"Run {record.run_id} may be no release: "
            + "; ".join(f"{guard.name}: {guard.says}" for guard in refused),
            next_step=f"{refused[0].next_command}.",
        )
    result = record.result_of(ReconcileResult)
    assert result is not None
    owed = result.reverify.owed
    if owed:
        raise RunFailed(
            f"Run {record.run_id} still owes the comparison of {owed:,} subjects that changed "
            "while it was made, though the legacy is held.",
            next_step=f"See them: cutline show {record.run_id} reverify",
        )
    return StepDone({"owed": owed})


def _check_feed(work: RolloutWork) -> StepDone:
    _wait(
        work,
        lambda: not work.feed_database.is_true("ready", work.feed.ready),
        "the feed to the legacy does not run: rollout.reverse_feed.ready is not true",
    )
    return StepDone({"reverse_feed": "ready"})


def _freeze(work: RolloutWork) -> StepDone:
    legacy, section = work.legacy, work.holding
    epoch = work.evidence["epoch"]
    if not legacy.is_true("denied", section.denied, epoch=epoch):
        raise _hold_ended(work)
    frozen = legacy.tell("freeze", section.freeze, epoch=epoch)
    if seconds_left(work) <= FREEZE_MARGIN or not legacy.is_true(
        "denied", section.denied, epoch=epoch
    ):
        raise _hold_ended(work)
    refuse_bounded(legacy, section, frozen, epoch)
    return StepDone({"frozen_at": work.now().isoformat()})


def refuse_lifted(work: RolloutWork) -> None:
    """RunFailed where the legacy takes writes in spite of the hold, or will by itself: nobody else
    may be given them then."""
    denial = denial_stands(work)
    if not denial.passed:
        raise RunFailed(
            f"Writes are not given to the new side: {denial.says}.",
            left_behind="Nobody else has the writes. What the legacy took since its denial was "
            "gone is in no release.",
            next_step="Put the denial back by hand, without an end, and look for what was written: "
            f"{command(work, 'decisions')}.",
        )


def give_back(work: RolloutWork) -> None:
    """Remove the slice's denial from the legacy, if one stands or may stand there.

    RunFailed where it stands behind that: nobody could write, and no command would remove it.
    """
    denial = work.standing.denial
    if denial is not None:
        release_denial(work.legacy, work.holding, denial)


def _wait(work: RolloutWork, is_waiting: Callable[[], bool], why: str) -> float:
    """The seconds that were waited; RunFailed when the hold ends before the waiting does."""
    began = time.monotonic()
    while is_waiting():
        if seconds_left(work) <= 0:
            raise RunFailed(
                f"The legacy of {work.context}/{work.region} was held for "
                f"{work.holding.seconds} s, and {why}",
                next_step="End what hinders it, or let rollout.legacy_writes.seconds be more.",
            )
        time.sleep(POLL_SECONDS)
    return round(time.monotonic() - began, 3)


def _hold_ended(work: RolloutWork) -> RunFailed:
    return RunFailed(
        f"The hold of {work.context}/{work.region} ended before everything was ready: it lasts "
        f"{work.holding.seconds} s.",
        next_step="Let rollout.legacy_writes.seconds be more.",
    )


def _no_go(work: RolloutWork, run_id: str, decision: str | None) -> RunFailed:
    return RunFailed(
        f"Run {run_id}, which carried {work.context}/{work.region} on, is "
        f"{'NO-GO' if decision else 'not decided'}.",
        next_step=f"Look at its breaks: cutline show {run_id} breaks",
    )


CATCH_UP = RolloutStep(
    "catch-up",
    "carry the slice on before anything is held, so that little is left to do under the hold",
    _carry_on,
    needs_lease=False,
)
CLAIM = RolloutStep("claim-epoch", "record that writes are held, and under which epoch", _claim)
HOLD = RolloutStep(
    "hold-legacy", "let the legacy refuse the writes of the slice, for a bounded time", _hold
)
WAIT = RolloutStep(
    "wait-for-transactions",
    "wait until transactions that began before the hold have ended",
    _wait_for_transactions,
)
POSITION = RolloutStep("record-position", "record where the legacy's log stands", _record_position)
DRAIN = RolloutStep(
    "drain-tail",
    "wait until that position is where runs read it, then carry the slice on to a GO",
    _drain,
    needs_lease=False,
)
CHECK_OWED = RolloutStep(
    "check-owed", "see that no comparison is owed, and that the run may be a release", _check_owed
)
CHECK_FEED = RolloutStep("check-reverse-feed", "see that the feed to the legacy runs", _check_feed)
FREEZE = RolloutStep("freeze-legacy", "make the denial in the legacy one without an end", _freeze)
HOLD_STEPS = (
    *(CATCH_UP, CLAIM, HOLD, WAIT, POSITION),
    *(DRAIN, CHECK_OWED, CHECK_FEED, FREEZE),
)
