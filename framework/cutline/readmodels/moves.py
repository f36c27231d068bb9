"""Which change of a slice's rollout was the newest at its read model: an earlier one comes too
late."""

from __future__ import annotations

from sqlalchemy import Connection

from cutline.errors import RunFailed
from cutline.readmodels.records import SliceName, claim_move, newest_move


def refuse_late(connection: Connection, slice: SliceName, move: int | None) -> None:
    """RunFailed where a later change of the slice's rollout was at its read model; else this one is
    the newest. Call it under the lock of the database. None is of no rollout, and never late."""
    if move is not None and not claim_move(connection, slice, move):
        raise _late(slice)


def refuse_overtaken(connection: Connection, slice: SliceName, move: int | None) -> None:
    """As `refuse_late`, without a lock: it looks and records nothing."""
    if move is not None and (newest_move(connection, slice) or 0) > move:
        raise _late(slice)


def _late(slice: SliceName) -> RunFailed:
    return RunFailed(
        f"the read model of {slice.context} in region {slice.region} was moved by a later "
        "change of the rollout",
        left_behind="What services read was not changed.",
        next_step=f"Look at it: cutline rollout show {slice.context}",
    )
