"""A slice whose writes are with the new side, by its row alone: no legacy was asked for anything."""

from __future__ import annotations

from cutline.control import Control
from cutline.control.rollouts import Release, RolloutChange, Writes
from support.recorded import T0


def move_writes(control: Control, region: str, run_id: str, context: str = "shop") -> None:
    """Has the new side write the slice, which has one release: of that run."""
    release = Release(context, region, 1, run_id, "d" * 32, {}, None, T0)
    with control.lease(context, region) as lease:
        standing = control.open_rollout(0, RolloutChange("open", "opened", "ops"), lease)
        values = {"reads": "new", "writes": "new", "release": 1, "staged": 1, "epoch": 2}
        change = RolloutChange("switch writes", "done", "ops", values=values)
        control.change_rollout(standing.version, change, lease, release)


def set_writes(control: Control, region: str, writes: Writes, context: str = "shop") -> None:
    """Has another side write the slice."""
    standing = control.rollout(context, region)
    assert standing is not None
    with control.lease(context, region) as lease:
        change = RolloutChange("switch writes", "done", "ops", values={"writes": writes})
        control.change_rollout(standing.version, change, lease)
