"""Ranges of a key: the parts in which a table is read, which together are the table, each row in
one.

The bounds are keys of the table: each is the first of its range, at which the server arrives by its
own index from the bound before. The first range and the last are open, and a key has no nulls.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutline.errors import RunFailed
from cutline.sources.mysql.catalog import MysqlTable
from cutline.sources.mysql.database import MysqlSession
from cutline.sql.mysql import literal, quoted

_NUMBERS = ("tinyint", "smallint", "mediumint", "int", "bigint", "decimal")
_QUOTED = ("char", "varchar", "date", "datetime", "timestamp", "uuid")
_HEXADECIMAL = ("binary", "varbinary")
EVERYTHING = "TRUE"


def key_conditions(session: MysqlSession, table: MysqlTable, chunk_rows: int) -> tuple[str, ...]:
    """The conditions of ranges of about `chunk_rows` rows each, as the session's snapshot has them.

    A single one for everything where the table is smaller, or has no key whose values stand in a
    query as they are compared (of numbers, texts, bytes, dates and times).
    """
    kinds = [table.column(name).type_name for name in table.key]
    if not kinds or not set(kinds) <= {*_NUMBERS, *_QUOTED, *_HEXADECIMAL}:
        return (EVERYTHING,)
    bounds: list[tuple[str, ...]] = []
    while (bound := _next_bound(session, table, kinds, chunk_rows, bounds)) is not None:
        if bounds and bound == bounds[-1]:
            raise RunFailed(
                f"{session.database.shown}: the key of table {table.name} has no one order: the "
                f"server counts {chunk_rows:,} rows from a key and arrives at it again",
                next_step=f"CHECK TABLE {table.sql_name}, and run the same command again.",
            )
        bounds.append(bound)
    lower = [None, *bounds]
    upper = [*bounds, None]
    return tuple(
        " AND ".join(
            [
                *([] if low is None else [_compared(table.key, low, ">", ">=")]),
                *([] if high is None else [_compared(table.key, high, "<", "<")]),
            ]
        )
        or EVERYTHING
        for low, high in zip(lower, upper, strict=True)
    )


def _next_bound(
    session: MysqlSession,
    table: MysqlTable,
    kinds: Sequence[str],
    chunk_rows: int,
    bounds: Sequence[tuple[str, ...]],
) -> tuple[str, ...] | None:
    key = ", ".join(map(quoted, table.key))
    values = ", ".join(
        f"HEX({quoted(n)})" if kind in _HEXADECIMAL else quoted(n)
        for n, kind in zip(table.key, kinds, strict=True)
    )
    where = _compared(table.key, bounds[-1], ">", ">=") if bounds else EVERYTHING
    rows = session.rows(
        f"SELECT {values} FROM {table.sql_name} FORCE INDEX ({quoted(str(table.index))})"  # noqa: S608
        f" WHERE {where} ORDER BY {key} LIMIT {chunk_rows}, 1",
        doing=f"bounds of the key of {table.name} could not be read",
    )
    if not rows:
        return None
    return tuple(_value(kind, str(v)) for kind, v in zip(kinds, rows[0], strict=True))


def _value(kind: str, text: str) -> str:
    if kind in _NUMBERS:
        return text
    return f"X'{text}'" if kind in _HEXADECIMAL else literal(text)


def _compared(key: Sequence[str], bound: Sequence[str], strictly: str, at_last: str) -> str:
    """SQL for how a key stands to a bound, written out: a comparison of rows would not go by the
    index.
    """
    name, value = quoted(key[0]), bound[0]
    if len(key) == 1:
        return f"{name} {at_last} {value}"
    rest = _compared(key[1:], bound[1:], strictly, at_last)
    return f"({name} {strictly} {value} OR ({name} = {value} AND {rest}))"
