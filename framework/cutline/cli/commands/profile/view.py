"""A profile as people read it: columns, their values, keys, and what times a status has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.api import MASK
from cutline.cli.output import Output
from cutline.wording import counted, printable

if TYPE_CHECKING:
    from cutline.api import ColumnProfile, NearKey, Statuses, TableProfile

_SHOWN = 24
_STANDS_OUT, _OFTEN = 0.02, 3
_LISTED = 10
_COLUMNS = ("column", "type", "nulls", "distinct", "length", "from", "to", "look at")


def show_profile(out: Output, profile: TableProfile) -> None:
    """Write the profile; values are cut at 24 characters and cannot steer a terminal.

    Blanks at the ends of a value are seen, for it is put in quotes then.
    """
    where = f"region {profile.region}" if profile.region else "all regions"
    out.line(f"{profile.name}  {profile.rows:,} rows, {where}  ({profile.kind} {profile.place})")
    if profile.unreadable:
        out.line(f"{profile.unreadable:,} rows cannot be read; what follows is about the others.")
    out.line()
    out.table(_COLUMNS, [_column(c) for c in profile.columns])
    out.line()
    keys = [_named(key) for key in profile.keys]
    keys += [f"{_named(k.columns)} (but for {_lacking(k)})" for k in profile.near_keys]
    candidates = "; ".join(keys) or "none: no column, pair or triple tried is unique"
    out.line(f"key candidates: {candidates}")
    telling = [c for c in profile.columns if _tells(c, profile)]
    if telling:
        out.line()
        out.table(("column", "values, most frequent first"), [_values(c) for c in telling])
    shaped = [c for c in profile.columns if 2 * sum(s.rows for s in c.shapes) > profile.rows]
    if shaped:
        out.line()
        out.table(
            ("column", "shapes (A capitals, a letters, 9 digits)"), [_shapes(c) for c in shaped]
        )
    for statuses in profile.statuses:
        out.line()
        _status(out, statuses)


def _named(key: tuple[str, ...]) -> str:
    return " + ".join(map(printable, key))


def _lacking(key: NearKey) -> str:
    return f"{counted(key.lacking, 'row')} without a value, which would be quarantined"


def _column(c: ColumnProfile) -> list[str]:
    about = "" if c.distinct_exact else "~"
    length = "" if c.shortest is None else f"{c.shortest}"
    length += "" if c.shortest == c.longest else f"..{c.longest}"
    notes = [
        *([f"{c.empty:,} empty"] if c.empty else []),
        *([f"{c.unreadable:,} not in the encoding"] if c.unreadable else []),
        *(["hidden"] if c.hidden else []),
        *c.hints,
    ]
    low, high = (MASK, MASK) if c.hidden else (_cut(c.low), _cut(c.high))
    return [
        c.name,
        c.type if c.type == c.read_as or c.read_as == "string" else f"{c.type} ({c.read_as})",
        f"{c.nulls:,}",
        f"{about}{c.distinct:,}",
        length,
        low,
        high,
        "; ".join(notes),
    ]


def _values(c: ColumnProfile) -> list[str]:
    values = [f"{_cut(v.value)} {v.rows:,}" for v in c.top[:_LISTED]]
    return [c.name, ", ".join(values) + ("" if c.whole and len(c.top) <= _LISTED else ", …")]


def _shapes(c: ColumnProfile) -> list[str]:
    return [c.name, ", ".join(f"{v.value} {v.rows:,}" for v in c.shapes)]


def _status(out: Output, statuses: Statuses) -> None:
    times = [t.column for t in statuses.values[0].times]
    out.line(f"{printable(statuses.column)}: rows per value, and how many of them have each time")
    rows = [
        [
            None if v.value is None else _cut(v.value),
            f"{v.rows:,}",
            *(f"{t.rows:,}" for t in v.times),
        ]
        for v in statuses.values
    ]
    out.table([statuses.column, "rows", *times], rows)


def _tells(column: ColumnProfile, profile: TableProfile) -> bool:
    """Whether its values are worth a line: not shown below, few, or one of them stands out."""
    if not column.top or any(s.column == column.name for s in profile.statuses):
        return False
    return column.whole or column.top[0].rows >= max(_OFTEN, profile.rows * _STANDS_OUT)


def _cut(text: str | None) -> str:
    if text is None:
        return ""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return shown if shown and shown == shown.strip() else f"'{shown}'"
