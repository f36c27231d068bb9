"""What is asked of a repair, and what of it is refused before any work."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cutline.errors import ConfigurationError
from cutline.repair.windows import Windows

_FIRST_YEAR = 1971
UNCHANGED = "Nothing was changed."

After = Literal["merge", "replace"]
"""What becomes of windows behind those that were wrong: they stay as the job wrote them, or all
that are closed are replaced as well."""


@dataclass(frozen=True)
class RepairRequest:
    """Which windows of which repair of cutline.yaml are computed anew: from `begin` to before
    `end`.

    With `corrections` the table stays, and what is wrong in it is told on a topic. `spot_checks` is
    a file of rows that are known to be right. `pass_exceptions`: records that nobody can read are
    no reason to refuse. `cold`: where what came before can no longer be known, nothing was.
    `options` are those by which people gave the two moments; where both are one, it gave `end`.
    """

    name: str
    begin: dt.datetime
    end: dt.datetime
    after: After = "merge"
    corrections: bool = False
    spot_checks: Path | None = None
    pass_exceptions: bool = False
    cold: bool = False
    options: tuple[str, str] = ("--from", "--to")

    def chosen(self) -> dict[str, Any]:
        """What of it decides which rows are computed, as JSON has it."""
        return {
            "name": self.name,
            "begin": self.begin.isoformat(),
            "end": self.end.isoformat(),
            "after": self.after,
            "corrections": self.corrections,
            "cold": self.cold,
        }


def refuse_request(request: RepairRequest, windows: Windows, now: dt.datetime) -> None:
    """ConfigurationError for windows that are none, that do not begin and end where windows do, or
    that are not closed yet."""
    begin, end = request.begin, request.end
    if begin.year < _FIRST_YEAR:
        raise refused(
            f"{request.options[0]} {begin.isoformat()} is before the year {_FIRST_YEAR}",
            "Give a window of which there may be records.",
        )
    if begin >= end:
        raise refused(
            f"--from {begin.isoformat()} is not before --to {end.isoformat()}: there is no window "
            "between them",
            "Give a window that begins before it ends.",
        )
    if end > now:
        raise refused(
            f"{request.options[1]} {end.isoformat()} is in the future",
            f"Give a moment up to {windows.newest_closed(now).isoformat()}, or wait.",
        )
    for option, moment in dict(zip(request.options, (begin, end), strict=True)).items():
        if not windows.begins_at(moment):
            before = windows.start_of(moment)
            raise refused(
                f"{option} {moment.isoformat()} is within a window of {windows.size}",
                f"Give where it begins, {before.isoformat()}, or ends, "
                f"{(before + windows.size).isoformat()}.",
            )
    closes = end + windows.lateness
    if closes > now:
        raise refused(
            f"{request.options[1]} {end.isoformat()}: its last window closes at "
            f"{closes.isoformat()}, which is in the future",
            f"Give a moment up to {windows.newest_closed(now).isoformat()}, or wait.",
        )


def refused(why: str, next_step: str) -> ConfigurationError:
    """The error for what cannot be repaired as it is asked for or declared."""
    return ConfigurationError(why, left_behind=UNCHANGED, next_step=next_step)
