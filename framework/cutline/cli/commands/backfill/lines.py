"""A backfill for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.wording import printable

if TYPE_CHECKING:
    from cutline.api import BackfillEntry


def entry_line(entry: BackfillEntry) -> str:
    """It in one line: number, status, whose it is, what goes where, and how much."""
    request = entry.request
    goes = (
        f"{request['replay']} to {request['to']}"
        if {"replay", "to"} <= set(request)
        else "(no backfill)"
    )
    records = "" if entry.records is None else f", {entry.records:,} records"
    exceptions = f", {entry.exceptions:,} not sent" if entry.exceptions else ""
    return (
        f"{entry.number:>6}  {entry.status:<9}  {entry.team or '(no team)'}: {goes}"
        f"{records}{exceptions}"
    )


def entry_lines(entry: BackfillEntry) -> list[str]:
    """It with who asked for it, when, why, and how it stands."""
    lines = [
        entry_line(entry),
        f"  asked for by {entry.asked_by or '(nobody)'} at {entry.asked_at:%Y-%m-%d %H:%M:%S} UTC",
    ]
    lines += [
        f"  {name}: {printable(value)}"
        for name, value in entry.request.items()
        if name not in ("replay", "to", "team", "asked_by") and value not in (None, [], False)
    ]
    if entry.replay_id is not None:
        lines.append(f"  sent as {entry.replay_id}")
    if entry.cancelled_by is not None:
        why = "" if entry.cancelled_why is None else f": {printable(entry.cancelled_why)}"
        lines.append(f"  cancelled by {printable(entry.cancelled_by)}{why}")
    if entry.reason is not None:
        lines += [f"  {printable(line)}" for line in entry.reason.splitlines()]
    return lines
