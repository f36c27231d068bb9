"""Moving who writes, and back; and the end of a rollout."""

from __future__ import annotations

import time

from cutline.errors import RunFailed
from cutline.rollout.live import live_ends
from cutline.rollout.steps.hold import POLL_SECONDS, give_back
from cutline.rollout.steps.step import Step
from cutline.rollout.work import StepDone, Work


def _journal(work: Work) -> StepDone:
    return StepDone({"journaled_at": work.now().isoformat()})


def _flip(work: Work) -> StepDone:
    standing = work.standing
    values = {
        "writes": "new",
        "epoch": standing.epoch + 1,
        "release": standing.staged,
        "previous": standing.release,
        "previous_reads": standing.reads,
        "previous_percent": standing.percent,
    }
    ends = live_ends(work.project, work.context)
    return StepDone({"epoch": standing.epoch + 1, "live_ends": ends}, values)


def _hold_new(work: Work) -> StepDone:
    epoch = work.standing.epoch + 1
    return StepDone({"epoch": epoch}, {"writes": "held", "epoch": epoch})


def _drain_feed(work: Work) -> StepDone:
    began = time.monotonic()
    said = False
    while not work.feed_database.is_true("drained", work.feed.drained):
        if not said:
            work.say("the legacy does not have everything yet that the new side has written")
            said = True
        if time.monotonic() - began > work.holding.seconds:
            raise RunFailed(
                "The feed to the legacy has not brought everything there within "
                f"{work.holding.seconds} s: rollout.reverse_feed.drained is not true.",
                next_step="Look after the feed, then: cutline rollout reverse writes",
            )
        time.sleep(POLL_SECONDS)
    return StepDone({"drained_after": round(time.monotonic() - began, 3)})


def _flip_back(work: Work) -> StepDone:
    epoch = work.standing.epoch + 1
    return StepDone({"epoch": epoch}, {"writes": "legacy", "epoch": epoch})


def _release_legacy(work: Work) -> StepDone:
    denial = work.standing.denial
    give_back(work)
    return StepDone({"denial_removed": denial}, {"denial": None})


def _drop_read_models(work: Work) -> StepDone:
    read_model = work.read_model
    assert read_model is not None
    kept = work.arguments.get("keep")
    if kept is None:
        read_model.point(None)
    dropped = [version for version in read_model.versions() if version != kept]
    for version in dropped:
        read_model.drop(version)
    return StepDone({"dropped": dropped})


def _end(work: Work) -> StepDone:
    ending = work.arguments["ending"]
    values = {"ending": ending, "previous": None, "previous_reads": None, "previous_percent": None}
    if ending == "cancelled":
        values |= {"reads": "legacy", "percent": None, "release": None, "staged": None}
    return StepDone(values=values)


JOURNAL = Step("journal", "record the point of no return: from here on it goes forward", _journal)
FLIP = Step(
    "flip", "give the writes to the new side, and its readers the release, in one row", _flip
)
HOLD_NEW = Step(
    "hold-new", "let the new side stop to write: its epoch is no longer the row's", _hold_new
)
DRAIN_FEED = Step(
    "drain-reverse-feed", "wait until the legacy has all that the new side wrote", _drain_feed
)
FLIP_BACK = Step("flip-back", "give the writes back to the legacy", _flip_back)
RELEASE_LEGACY = Step(
    "release-legacy", "remove the denial from the legacy, by its epoch", _release_legacy
)
DROP_READ_MODELS = Step(
    "drop-read-models", "remove the tables of releases that nobody reads", _drop_read_models
)
END = Step("end", "record that the rollout has ended", _end)
WRITE_STEPS = (
    *(JOURNAL, FLIP, HOLD_NEW, DRAIN_FEED),
    *(FLIP_BACK, RELEASE_LEGACY, DROP_READ_MODELS, END),
)
