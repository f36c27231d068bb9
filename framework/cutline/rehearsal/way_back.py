"""The way back of writes, tried for real: the legacy's own statements, under a region of no row."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from cutline.control import WAY_BACK_LEASES, Control
from cutline.errors import CutlineError, RunFailed
from cutline.project.legacy_writes import LegacyWritesSection, ReverseFeedSection
from cutline.project.loaded import LoadedProject
from cutline.readiness.way_back import way_back_digest
from cutline.rehearsal.denying import NOTHING_LEFT, TriedDenial
from cutline.rollout.legacy import LegacyDatabase, legacy_writes, reverse_feed
from cutline.rollout.patience import patient_lease

PATIENCE_SECONDS = 60.0
"""How long the rehearsal of another slice is waited for, which tries its own way back."""


def try_way_back(
    project: LoadedProject,
    control: Control,
    context: str,
    region: str,
    say: Callable[[str], None],
) -> dict[str, Any] | None:
    """Figures of the way back of a slice's writes: whether it works, what was tried with the
    seconds of each, and the digest of the statements.

    Null where cutline.yaml declares no way back, or no trial region. What does not work is in the
    figures and no error. The denial that was tried is removed, whatever happens.
    """
    rollout = project.file.rollout
    section, feed = rollout.legacy_writes, rollout.reverse_feed
    if section is None or feed is None or section.trial_region is None:
        return None
    say(f"trying how writes come back, under region {section.trial_region}")
    began, left, steps = time.monotonic(), NOTHING_LEFT, []
    try:
        lease = f"{context}/{section.trial_region}"
        with patient_lease(control, WAY_BACK_LEASES, lease, PATIENCE_SECONDS):
            denial = _denial(project, section, control, context, region)
            steps = denial.steps
            try:
                denial.try_all()
                _ask_feed(project, section, feed, denial, context, region)
            finally:
                left = denial.clear()
    except CutlineError as error:
        sentences = (f"{error.what.rstrip('.')}.", left, error.next_step)
        passed, says = False, " ".join(filter(None, sentences))
    else:
        passed, says = True, "writes were refused and taken again by the legacy"
    seconds = time.monotonic() - began
    return {
        "passed": passed,
        "says": f"{says} in {seconds:.1f} s" if passed else says,
        "trial_region": section.trial_region,
        "statements": way_back_digest(rollout),
        "seconds": round(seconds, 3),
        "steps": steps,
    }


def remove_trial(project: LoadedProject, control: Control, context: str, region: str) -> None:
    """Remove the denial of a rehearsal that was killed while it tried the way back.

    RunFailed where it stands behind that, and where the statements ignore regions, so that they
    might remove that of a slice. Nothing is done without a trial region.
    """
    section = project.file.rollout.legacy_writes
    if section is None or section.trial_region is None:
        return
    lease = f"{context}/{section.trial_region}"
    with patient_lease(control, WAY_BACK_LEASES, lease, PATIENCE_SECONDS):
        _denial(project, section, control, context, region).remove_leftover()


def _denial(
    project: LoadedProject,
    section: LegacyWritesSection,
    control: Control,
    context: str,
    region: str,
) -> TriedDenial:
    def of_slice(context: str, region: str) -> LegacyDatabase:
        return legacy_writes(section, project.folder, context, region)

    assert section.trial_region is not None
    return TriedDenial(
        section,
        of_slice(context, section.trial_region),
        of_slice(context, region),
        # Of all contexts: the statements are of none.
        [(r, of_slice(r.context, r.region)) for r in control.rollouts() if r.denial is not None],
    )


def _ask_feed(
    project: LoadedProject,
    section: LegacyWritesSection,
    feed: ReverseFeedSection,
    denial: TriedDenial,
    context: str,
    region: str,
) -> None:
    database = reverse_feed(feed, section, project.folder, context, region)
    with denial.step("reverse_feed.ready", "the feed runs"):
        if not database.is_true("ready", feed.ready):
            raise RunFailed(
                "cutline.yaml: rollout.reverse_feed.ready is not true: the feed to the legacy does "
                "not run",
                next_step="Start the feed, then rehearse again.",
            )
    with denial.step("reverse_feed.drained", "it answers"):
        database.is_true("drained", feed.drained)
