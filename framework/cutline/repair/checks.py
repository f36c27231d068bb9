"""What must hold of what was computed before a table may change."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection

from cutline.project.repair import RepairSection
from cutline.repair.comparing import RowChange, wrong_rows
from cutline.repair.computing import EventCounts, largest
from cutline.repair.output import OutputTable
from cutline.repair.spot_checks import SpotCheck, failed_checks
from cutline.repair.values import RowSum

_SHOWN = 3


@dataclass(frozen=True)
class RepairCheck:
    """One thing that must hold: its name, whether it does, and in words what was looked at."""

    name: str
    holds: bool
    detail: str


def events_check(counts: EventCounts, *, pass_exceptions: bool) -> RepairCheck:
    """Whether each record of the windows could be read and evolved."""
    detail = f"{counts.events:,} events counted, {counts.late:,} came too late"
    if counts.seconds_late is not None:
        detail += f" (the last {counts.seconds_late:,.0f} s after its window)"
    detail += f", {counts.exceptions:,} records that nobody can read"
    return RepairCheck("events", counts.exceptions == 0 or pass_exceptions, detail)


def bounds_check(counts: EventCounts, section: RepairSection, *, is_whole: bool) -> RepairCheck:
    """Whether all events of the windows are among those that were read."""
    farthest = largest(counts.ahead, counts.behind)
    most = section.disorder.total_seconds()
    if is_whole:
        return RepairCheck("bounds", True, "the source was read whole")
    if counts.events + counts.late + counts.exceptions == 0:
        return RepairCheck("bounds", True, "no record of these windows is there")
    if farthest is None:
        return RepairCheck("bounds", False, "no record tells when it was written")
    ahead, behind = counts.ahead or 0.0, counts.behind or 0.0
    detail = (
        f"an event was up to {max(ahead, 0):,.0f} s ahead of its record, and a record up to "
        f"{max(behind, 0):,.0f} s behind an earlier one; disorder allows {most:,.0f} s"
    )
    return RepairCheck("bounds", farthest <= most, detail)


def staged_check(computed: RowSum, staged: RowSum) -> RepairCheck:
    """Whether the database holds beside the table what was put there."""
    columns = computed.differing(staged)
    if computed.rows != staged.rows:
        return RepairCheck(
            "staged", False, f"{staged.rows:,} rows are staged, of {computed.rows:,} computed"
        )
    if columns or computed.whole != staged.whole:
        names = ", ".join(columns) or "whole rows"
        detail = f"the database holds other values than were computed in {names}: round them there"
        return RepairCheck("staged", False, detail)
    return RepairCheck("staged", True, f"{staged.rows:,} rows, read back by checksums per column")


def control_check(
    connection: Connection, output: OutputTable, begin: dt.datetime, end: dt.datetime
) -> RepairCheck:
    """Whether the windows before those that are repaired are in the table as they are computed."""
    if begin == end:
        return RepairCheck("control", True, "no window before was computed (control: 0)")
    rows = sum(output.counts(connection, output.live, begin, end).values())
    changes = wrong_rows(connection, output, begin, end)
    shown = list(islice(changes, _SHOWN))
    others = sum(1 for _ in changes)
    where = f"from {begin.isoformat()} to {end.isoformat()}"
    if not shown and not rows:
        detail = f"no row {where} is there or computed: `control` is to reach back to one, or 0"
        return RepairCheck("control", False, detail)
    if not shown:
        return RepairCheck("control", True, f"{rows:,} rows {where} are as computed")
    first = "; ".join(in_words(change) for change in shown)
    detail = f"{len(shown) + others:,} rows {where} are not as computed: {first}"
    return RepairCheck("control", False, detail)


def spot_check(
    connection: Connection, output: OutputTable, checks: Sequence[SpotCheck]
) -> RepairCheck:
    """Whether what was computed agrees with rows that are known to be right."""
    failures = failed_checks(connection, output, checks)
    if not failures:
        return RepairCheck("spot-checks", True, f"{len(checks):,} rows are as given")
    detail = f"{len(failures):,} differ: " + "; ".join(failures[:_SHOWN])
    return RepairCheck("spot-checks", False, detail)


def in_words(change: RowChange) -> str:
    """A wrong row, for people."""
    before, after = change.before, change.after
    if before is None:
        return f"missing {_values(after)}"
    if after is None:
        return f"too much {_values(before)}"
    names = [n for n in before if before[n] != after[n]]
    key = {n: v for n, v in before.items() if n not in names}
    changed = ", ".join(f"{n} {before[n]} is to be {after[n]}" for n in names) or "it stands twice"
    return f"{_values(key)}: {changed}"


def _values(row: object) -> str:
    assert isinstance(row, dict)
    return ", ".join(f"{name} {value}" for name, value in row.items())
