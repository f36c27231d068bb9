"""What must be so of a denial in the legacy, right after a statement has changed it."""

from __future__ import annotations

from cutline.errors import RunFailed
from cutline.project.legacy_writes import LegacyWritesSection
from cutline.rollout.legacy import Denied, LegacyDatabase


def refuse_missing(legacy: LegacyDatabase, section: LegacyWritesSection, epoch: int) -> None:
    """RunFailed where the denial of an epoch does not stand, though `hold` was done."""
    if not legacy.is_true("denied", section.denied, epoch=epoch):
        raise RunFailed(
            "cutline.yaml: rollout.legacy_writes.denied says that the writes are not held, right "
            "after `hold` was done",
            left_behind="What `hold` did.",
            next_step="Mend the statements.",
        )


def refuse_bounded(
    legacy: LegacyDatabase, section: LegacyWritesSection, frozen: Denied, epoch: int
) -> None:
    """RunFailed where the denial ends by itself in spite of `freeze`: the legacy would take writes
    again, and the new side has them."""
    if section.frozen is not None:
        is_endless = legacy.is_true("frozen", section.frozen, epoch=epoch)
        says = "frozen says that the denial ends by itself, right after `freeze` was done"
    else:
        is_endless = frozen.rows != 0
        says = "freeze changed no row, so the denial ends by itself"
    if not is_endless:
        raise RunFailed(
            f"cutline.yaml: rollout.legacy_writes.{says}", next_step="Mend the statements."
        )


def release_denial(legacy: LegacyDatabase, section: LegacyWritesSection, epoch: int) -> None:
    """Remove the denial of an epoch, if one stands or may stand there.

    RunFailed where it stands behind that: nobody could write, and no command would remove it.
    """
    legacy.tell("release", section.release, epoch=epoch)
    if legacy.is_true("denied", section.denied, epoch=epoch):
        raise RunFailed(
            f"cutline.yaml: rollout.legacy_writes.denied says that the denial of epoch {epoch} "
            "stands, right after `release` was done",
            left_behind="The denial: the legacy refuses the writes under it.",
            next_step="Mend the statements, or remove the denial by hand.",
        )
