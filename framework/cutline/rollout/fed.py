"""Whether the read model of a release has the live events that came."""

from __future__ import annotations

from cutline.control.tenures import LIVE_ENDS
from cutline.errors import CutlineError
from cutline.feed import live_tail, records_behind
from cutline.readmodels import FeedState
from cutline.rollout.live import live_ends, written_between
from cutline.rollout.work import RolloutWork

FRESH_SECONDS = 120
"""How long ago a feed that had everything may have been: while events come, some always are new."""


def release_feed(work: RolloutWork, number: int | None) -> tuple[bool, str, str | None]:
    """Whether a release has what came, in words what was looked at, and the command that brings
    what is missing."""
    release = work.release(number)
    read_model, version = work.read_model, work.read_model_version(release)
    live = work.project.file.contexts[work.context].live.aggregates
    if read_model is None or version is None or release is None or not live:
        return True, "no read model and live topics are declared", None
    feed = f"cutline rollout feed {work.context} --region {work.region}"
    state = read_model.feed_state(version.version)
    aside = sum(read_model.aside_counts(version.version).values())
    if aside:
        says = f"{aside:,} live records are put aside from release {number}, and wait for somebody"
        return False, says, f"cutline rollout aside {work.context} --region {work.region}"
    if state is not None:
        return _of_fed(work, state, number, feed)
    if any(read_model.feed_state(other) is not None for other in read_model.versions()):
        return False, f"release {number} is not fed, and another release of the slice is", feed
    try:
        written = written_since_flip(work)
    except CutlineError as error:
        return False, error.what, error.next_step
    if written != 0 and not read_model.has_live_rows(version.version):
        has_written = (
            "it is not known what the new side has written since it writes, as the live topics did "
            "not answer then"
            if written is None
            else f"the new side has written {written:,} live events"
        )
        says = (
            f"{has_written}, and none came into release {number}: neither is it fed nor does a "
            "service write it"
        )
        return False, says, feed
    return True, f"release {number} is not fed by Cutline", None


def written_since_flip(work: RolloutWork) -> int | None:
    """The records that came to the live topics since the new side writes; 0 where it does not, and
    null where the topics did not answer then."""
    if work.standing.writes != "new":
        return 0
    for line in work.control.rollout_ledger(work.context, work.region):
        if line.event == "done" and line.step == "flip":
            earlier = line.recorded.get(LIVE_ENDS)
            if earlier is None:
                return None
            return written_between(earlier, live_ends(work.project, work.context))
    return 0


def _of_fed(
    work: RolloutWork, state: FeedState, number: int | None, feed: str
) -> tuple[bool, str, str | None]:
    try:
        behind = records_behind(live_tail(work.project, work.context), state)
    except CutlineError as error:
        return False, error.what, error.next_step
    if not behind:
        return True, f"release {number} has all that the live topics hold", None
    # By the clock that dated it: that of the control database may be another.
    age = (work.declared_read_model.now() - state.moment).total_seconds()
    if not state.behind and age <= FRESH_SECONDS:
        says = f"release {number} had everything {age:.0f} s ago, and {behind:,} records came since"
        return True, says, None
    return False, f"release {number} is {behind:,} records behind the live topics", feed
