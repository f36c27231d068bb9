"""One run of a slice that is carried on again and again, in one line."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from cutline.cli.commands.run.summary import again_command, verdict

if TYPE_CHECKING:
    from cutline.api import Run


def cycle_line(number: int, run: Run, now: dt.datetime | None = None) -> str:
    """The number of the run since the command began, its decision and id, what was new, and how old
    the newest change of each source is."""
    now = now or dt.datetime.now(dt.UTC)
    if run.overtaken_by:
        newer = f"run {run.overtaken_by}, of other inputs, is newer: {again_command(run)}"
        return f"{number}  {verdict(run)}  run {run.id} as before; {newer}"
    if run.already_complete:
        return f"{number}  nothing is new since run {run.id}{_ages(run, now)}"
    return f"{number}  {verdict(run)}  run {run.id}{_ages(run, now)}"


def _ages(run: Run, now: dt.datetime) -> str:
    ages = (f"{source} {_age(now - newest)}" for source, newest in sorted(run.watermarks.items()))
    text = ", ".join(ages)
    return f"  newest change: {text}" if text else ""


def _age(age: dt.timedelta) -> str:
    """An age in its largest unit: `42 s`, `7 min`, `3 h`, `12 d`."""
    seconds = max(0, int(age.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} old"
    return f"{seconds} s old"
