"""Rows of the table that are not as they were computed, found by the database itself."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Numeric,
    Select,
    String,
    Table,
    and_,
    exists,
    func,
    not_,
    or_,
    select,
)

from cutline.repair.output import OutputTable, RowValues, stream
from cutline.repair.values import AsGiven


@dataclass(frozen=True)
class RowChange:
    """A row that is wrong in the table: what it is, null for one that is missing, and what was
    computed, null for one that should not be there."""

    before: RowValues | None
    after: RowValues | None


def wrong_rows(
    connection: Connection, output: OutputTable, begin: dt.datetime, end: dt.datetime
) -> Iterator[RowChange]:
    """The rows of the windows between two moments that are not as they were staged, window by
    window. Of two rows under one key each is wrong."""
    old = _grouped(output, stream(connection, _unequal(output, output.live, begin, end)))
    # Both answers are read side by side, of one transaction.
    new = _grouped(output, stream(connection, _unequal(output, output.staged, begin, end)))
    before, after = next(old, None), next(new, None)
    while before is not None or after is not None:
        windows = [group[0] for group in (before, after) if group is not None]
        window = min(windows)
        rows = before[1] if before is not None and before[0] == window else []
        computed = after[1] if after is not None and after[0] == window else []
        yield from _paired(output, rows, computed)
        if before is not None and before[0] == window:
            before = next(old, None)
        if after is not None and after[0] == window:
            after = next(new, None)


def _unequal(
    output: OutputTable, table: Table, begin: dt.datetime, end: dt.datetime
) -> Select[Any]:
    """The rows of one of the two tables that the other does not have, or that stand under a key
    that the live one has twice."""
    second = output.staged if table is output.live else output.live
    twice = _doubled(output, begin, end)
    names = (output.section.window, *output.section.key)
    is_double = exists().where(*(twice.c[n] == _by_value(output, table.c[n]) for n in names))
    has_equal = exists().where(*_equal(output, table, second))
    return (
        select(*(table.c[name] for name in output.columns))
        .where(output.within(table, begin, end), or_(not_(has_equal), is_double))
        .order_by(table.c[output.section.window])
    )


def _doubled(output: OutputTable, begin: dt.datetime, end: dt.datetime) -> Any:
    names = (output.section.window, *output.section.key)
    columns = [_by_value(output, output.live.c[n]) for n in names]
    labelled = [column.label(n) for n, column in zip(names, columns, strict=True)]
    within = output.within(output.live, begin, end)
    grouped = select(*labelled).where(within).group_by(*columns).having(func.count() > 1)
    return grouped.subquery()


def _by_value(output: OutputTable, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column as it is compared. SQLite compares texts as the column on the left says: by COLLATE
    NOCASE of the repaired table, but byte by byte by that of what is staged, which is meant."""
    if output.database.postgres or not isinstance(column.type, String | AsGiven):
        return column
    return column.collate("BINARY")


def _equal(output: OutputTable, table: Table, second: Table) -> list[ColumnElement[bool]]:
    section = output.section
    names = (section.window, *section.key)
    conditions = [_by_value(output, table.c[n]) == second.c[n] for n in names]
    for name in output.value_columns:
        left, right = table.c[name], second.c[name]
        most = section.tolerance.get(name)
        is_equal = _by_value(output, left).is_not_distinct_from(right)
        if most is not None:
            is_exact = isinstance(left.type, Numeric) and left.type.asdecimal
            is_near = func.abs(left - right) <= (most if is_exact else float(most))
            if not output.database.postgres:
                # To SQLite the difference of any two texts is 0.
                is_near = and_(is_near, func.typeof(left) != "text", func.typeof(right) != "text")
            is_equal = or_(is_equal, is_near)
        conditions.append(is_equal)
    return conditions


def _grouped(
    output: OutputTable, rows: Iterator[RowValues]
) -> Iterator[tuple[dt.datetime, list[RowValues]]]:
    """Rows, which are in the order of their windows, window by window."""
    window: dt.datetime | None = None
    group: list[RowValues] = []
    for row in rows:
        start = output.window.moment(row[output.section.window])
        if group and start != window:
            assert window is not None
            yield window, group
            group = []
        window = start
        group.append(row)
    if group:
        assert window is not None
        yield window, group


def _paired(
    output: OutputTable, rows: list[RowValues], computed: list[RowValues]
) -> Iterator[RowChange]:
    """Rows of a window with those computed for their keys."""
    by_key: dict[tuple[Any, ...], list[RowValues]] = defaultdict(list)
    for row in computed:
        by_key[tuple(row[n] for n in output.section.key)].append(row)
    for row in rows:
        matching = by_key[tuple(row[n] for n in output.section.key)]
        yield RowChange(row, matching.pop() if matching else None)
    for row in (row for matching in by_key.values() for row in matching):
        yield RowChange(None, row)
