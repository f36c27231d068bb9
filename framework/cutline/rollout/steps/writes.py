"""Moving who writes, and back; and the end of a rollout."""

from __future__ import annotations

import time
from typing import Any

from cutline.consumer.authority import USED_SECONDS
from cutline.control.plan import LiveEnds
from cutline.control.tenures import LEGACY_CLOCK, LIVE_ENDS
from cutline.errors import CutlineError, RunFailed
from cutline.readiness.way_back import way_back_digest
from cutline.rollout.live import live_ends
from cutline.rollout.release_topics import drop_topics
from cutline.rollout.steps.hold import (
    POLL_SECONDS,
    give_back,
    hold_evidence,
    hold_seconds,
    legacy_clock,
    refuse_lifted,
    seconds_left,
)
from cutline.rollout.steps.reads import LEGACY_READ
from cutline.rollout.steps.step import RolloutStep
from cutline.rollout.work import RolloutWork, StepDone

SERVICE_SECONDS = USED_SECONDS + 0.5
"""For how long after a hold of the new side began a service may act on the row of before."""


def _journal(work: RolloutWork) -> StepDone:
    return StepDone({"journaled_at": work.now().isoformat()})


def _flip(work: RolloutWork) -> StepDone:
    refuse_lifted(work)
    standing = work.standing
    values = {
        "writes": "new",
        "epoch": standing.epoch + 1,
        "release": standing.staged,
    }
    if standing.staged != standing.release:
        # With the same release `reverse reads` would put back what stands.
        values |= {
            "previous": standing.release,
            "previous_reads": standing.reads,
            "previous_percent": standing.percent,
        }
    ends = _live_ends(work, "the new side writes from here on cannot be counted")
    return StepDone({"epoch": standing.epoch + 1, LIVE_ENDS: ends}, values)


def _live_ends(work: RolloutWork, otherwise: str) -> LiveEnds | None:
    """Where the live topics end; null where they do not answer, which `otherwise` says."""
    try:
        return live_ends(work.project, work.context)
    except CutlineError as error:
        # Nobody writes meanwhile: what only counts must not keep a side waiting.
        work.say(f"what {otherwise}: {error.what}")
        return None


def _hold_new(work: RolloutWork) -> StepDone:
    epoch = work.standing.epoch + 1
    return StepDone(hold_evidence(work, epoch), {"writes": "held", "epoch": epoch})


def _drain_feed(work: RolloutWork) -> StepDone:
    began = time.monotonic()
    is_reported = False
    while not work.feed_database.is_true("drained", work.feed.drained):
        if not is_reported:
            work.say("the legacy does not have everything yet that the new side has written")
            is_reported = True
        if seconds_left(work) <= 0:
            raise RunFailed(
                "The feed to the legacy has not brought everything there within "
                f"{hold_seconds(work)} s: rollout.reverse_feed.drained is not true.",
                next_step="Look after the feed.",
            )
        time.sleep(POLL_SECONDS)
    _let_services_ask(work)
    return StepDone({"drained_after": round(time.monotonic() - began, 3)})


def _let_services_ask(work: RolloutWork) -> None:
    """Wait until no service acts any more on who it read had the writes before the hold."""
    held_at = work.evidence.get("held_at")
    if held_at is not None:
        time.sleep(max(0.0, held_at + SERVICE_SECONDS - work.now().timestamp()))


def _flip_back(work: RolloutWork) -> StepDone:
    epoch = work.standing.epoch + 1
    evidence = {
        "epoch": epoch,
        LIVE_ENDS: _live_ends(
            work, "comes too late from the new side cannot be known by its place"
        ),
        # The denial still stands: what is dated later was accepted when it had gone.
        LEGACY_CLOCK: legacy_clock(work),
    }
    return StepDone(evidence, {"writes": "legacy", "epoch": epoch})


def _release_legacy(work: RolloutWork) -> StepDone:
    denial = work.standing.denial
    give_back(work)
    statements = way_back_digest(work.project.file.rollout)
    return StepDone({"denial_removed": denial, "statements": statements}, {"denial": None})


def _drop_read_models(work: RolloutWork) -> StepDone:
    read_model, move = work.declared_read_model, work.standing.version
    shown_version = work.arguments.get("keep")
    if shown_version is None:
        read_model.point(None, move)
    dropped = [version for version in read_model.numbers() if version != shown_version]
    for version in dropped:
        read_model.drop(version, move)
    return StepDone({"dropped": dropped})


def _drop_release_topics(work: RolloutWork) -> StepDone:
    return StepDone({"dropped_topics": drop_topics(work, work.arguments.get("keep"))})


def _end(work: RolloutWork) -> StepDone:
    ending = work.arguments["ending"]
    nothing = {"previous": None, "previous_reads": None, "previous_percent": None}
    values: dict[str, Any] = {"ending": ending, **nothing}
    if ending == "cancelled":
        values |= {**LEGACY_READ, "staged": None}
    return StepDone(values=values)


JOURNAL = RolloutStep(
    "journal", "record the point of no return: from here on it goes forward", _journal
)
FLIP = RolloutStep(
    "flip", "give the writes to the new side, and its readers the release, in one row", _flip
)
HOLD_NEW = RolloutStep(
    "hold-new",
    "let the new side stop to write, for a bounded time: its epoch is no longer the row's",
    _hold_new,
)
DRAIN_FEED = RolloutStep(
    "drain-reverse-feed", "wait until the legacy has all that the new side wrote", _drain_feed
)
FLIP_BACK = RolloutStep("flip-back", "give the writes back to the legacy", _flip_back)
RELEASE_LEGACY = RolloutStep(
    "release-legacy", "remove the denial from the legacy, by its epoch", _release_legacy
)
DROP_READ_MODELS = RolloutStep(
    "drop-read-models", "remove the tables of releases that nobody reads", _drop_read_models
)
DROP_RELEASE_TOPICS = RolloutStep(
    "drop-release-topics", "remove the topics of releases that nobody reads", _drop_release_topics
)
END = RolloutStep("end", "record that the rollout has ended", _end)
WRITE_STEPS = (
    *(JOURNAL, FLIP, HOLD_NEW, DRAIN_FEED),
    *(FLIP_BACK, RELEASE_LEGACY, DROP_READ_MODELS, DROP_RELEASE_TOPICS, END),
)
