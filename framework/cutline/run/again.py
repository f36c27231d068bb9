"""A run that another of other inputs overtook, and that is made again."""

from __future__ import annotations

from collections.abc import Callable

from cutline.control import Control, RunKey, RunRecord, newest_complete


def standing_key(
    control: Control, key: RunKey, key_after: Callable[[str], RunKey], *, again: bool
) -> RunKey:
    """The run that stands for the inputs by which `key` is named: `key` itself, but where its run
    was made again.

    With `again` a run that another of the slice overtook is made again, as a run of its own,
    `key_after` that one: it is newer, compares its breaks with it, and publishes.
    """
    newest = newest_complete(control.runs(key.context, key.region))
    if newest is None or newest.run_id == key.run_id:
        return key
    before = newest.inputs.get("after")
    if before is not None and key_after(before).run_id == newest.run_id:
        return key_after(before)
    standing = key_after(newest.run_id)
    if control.run(standing.run_id) is not None:
        # It was begun, and is gone on with.
        return standing
    record = control.run(key.run_id)
    is_overtaken = record is not None and newest.created_at > record.created_at
    return standing if again and is_overtaken else key


def overtaken_by(control: Control, record: RunRecord) -> str | None:
    """The newest complete run of the slice, where it was begun behind this one."""
    newest = newest_complete(control.runs(record.context, record.region))
    if newest is None or newest.created_at <= record.created_at:
        return None
    return newest.run_id
