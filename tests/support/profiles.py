"""Literal profiles, and a table whose names and values are as hostile as they come."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from cutline.profile import ColumnProfile, Statuses, StatusValue, TableProfile, TimesSet, ValueCount

NAMES = [
    "key",
    "source",
    "class",
    "Order No.",
    "orderNo",
    "größe",
    "日付",
    "select",
    'a"b',
    "it's",
    "1st",
    "table",
    "ddl",
    "match",
    "Config",
    "back`tick",
    "two\nlines",
]
STATUSES = [
    "N",
    "n",
    "",
    "a b",
    "日本",
    'quo"te',
    "back\\slash",
    "\x1b[31m",
    '"""',
    "{{ x }}",
    None,
]


def hostile_database(path: Path) -> Path:
    """`things`: names that Python, SQL and Cutline use themselves, in every status twice."""
    path.parent.mkdir(parents=True, exist_ok=True)
    quoted = ", ".join('"' + n.replace('"', '""') + '"' for n in NAMES)
    with sqlite3.connect(path) as connection:
        connection.execute(f'CREATE TABLE "old things" ({quoted})')
        marks = ", ".join("?" for _ in NAMES)
        for number, status in enumerate([*STATUSES, *STATUSES], 1):
            row: dict[str, Any] = dict.fromkeys(NAMES, f"value {number % 7}")
            row |= {"key": f"K-{number:03d}", "class": status, "日付": "2026-01-02 10:00:00"}
            row |= {"1st": f"{number}.50", "select": "yes" if number % 2 else "no"}
            connection.execute(
                f'INSERT INTO "old things" VALUES ({marks})', [row[n] for n in NAMES]
            )
    connection.close()
    return path


def column(name: str, kind: str = "string", **overrides: Any) -> ColumnProfile:
    """A column of a hundred rows that is never null, unless something else is said."""
    defaults: dict[str, Any] = {
        "name": name,
        "type": kind,
        "read_as": "string",
        "nulls": 0,
        "empty": 0,
        "unreadable": 0,
        "distinct": 100,
        "distinct_exact": True,
    }
    return ColumnProfile(**(defaults | overrides))


def few(name: str, **values: int) -> ColumnProfile:
    """A text column with these values and no others."""
    top = tuple(ValueCount(v, n) for v, n in values.items())
    return column(name, distinct=len(top), top=top, whole=True, longest=8)


def status(name: str, *values: tuple[str | None, int, dict[str, int]]) -> Statuses:
    """A classifying column: each value, its rows, and how many of them have each time."""
    status_values = tuple(
        StatusValue(v, n, tuple(TimesSet(t, m, None, None) for t, m in times.items()))
        for v, n, times in values
    )
    return Statuses(name, 1.0, status_values)


def table(
    *columns: ColumnProfile,
    keys: tuple[tuple[str, ...], ...] = (("no",),),
    statuses: tuple[Statuses, ...] = (),
) -> TableProfile:
    """The profile of erp.orders."""
    return TableProfile(
        "erp", "orders", "csv", "orders.csv", None, 100, 0, tuple(columns), keys, statuses
    )
