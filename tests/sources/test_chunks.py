"""Chunks partition the key space: each row of a real database is in exactly one."""

from __future__ import annotations

import datetime as dt
import sqlite3
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline.errors import ConfigurationError
from cutline.sources.chunks import chunk_predicates

VALUES = {
    "integer": st.integers(-3, 3),
    "text": st.sampled_from(["", "a", "ab", "b", "A", "'", "a'b", "ä", "10", "9", "\\", " "]),
}


@st.composite
def tables(draw):
    """The types of a key's columns, its rows, and some of them as bounds."""
    types = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3))
    keys = st.tuples(*(VALUES[kind] for kind in types))
    rows = draw(st.sets(keys, max_size=25))
    bounds = draw(st.lists(keys, max_size=4))
    return types, rows, bounds


@given(tables())
@settings(max_examples=300, deadline=None)
def test_each_key_is_in_exactly_one_chunk(table) -> None:
    types, rows, bounds = table
    names = [f'k "{i}' for i in range(len(types))]
    chunks = chunk_predicates(names, in_order(types, bounds))
    assert len(chunks) == len(bounds) + 1
    selected_rows = [row for chunk in chunks for row in selected(types, rows, chunk)]
    assert sorted(selected_rows) == sorted(rows)


@given(tables())
@settings(max_examples=100, deadline=None)
def test_a_chunk_holds_what_lies_between_its_bounds_as_tuples(table) -> None:
    types, rows, bounds = table
    bounds = in_order(types, bounds)
    names = [f'k "{i}' for i in range(len(types))]
    for number, chunk in enumerate(chunk_predicates(names, bounds)):
        low = bounds[number - 1] if number else None
        high = bounds[number] if number < len(bounds) else None
        expected = {
            row
            for row in rows
            if (low is None or bytewise(row) > bytewise(low))
            and (high is None or bytewise(row) <= bytewise(high))
        }
        assert set(selected(types, rows, chunk)) == expected


def bytewise(key):
    """SQLite compares texts by their bytes."""
    return tuple(v.encode() if isinstance(v, str) else v for v in key)


def in_order(types, bounds):
    return sorted(bounds, key=bytewise)


def selected(types, rows, predicate):
    columns = ", ".join(f'"k ""{i}" {kind}' for i, kind in enumerate(types))
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE t ({columns})")
        places = ", ".join("?" * len(types))
        database.executemany(f"INSERT INTO t VALUES ({places})", list(rows))
        return [tuple(row) for row in database.execute(f"SELECT * FROM t WHERE {predicate}")]


def test_the_predicates_of_a_key_of_two_columns_in_words() -> None:
    assert chunk_predicates(["no", "line"], [("A", 5)]) == [
        """NOT (("no" > 'A') OR ("no" = 'A' AND "line" > 5))""",
        """("no" > 'A') OR ("no" = 'A' AND "line" > 5)""",
    ]
    assert chunk_predicates(["no"], []) == ["1 = 1"]
    moment = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)
    assert [
        chunk_predicates(["k"], [(v,)])[1] for v in (Decimal("1.50"), moment, moment.date())
    ] == [
        '("k" > 1.50)',
        "(\"k\" > TIMESTAMP '2026-11-01 06:00:00+00:00')",
        "(\"k\" > DATE '2026-11-01')",
    ]


def test_what_cannot_be_a_bound_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="1 values for the 2 columns of the key no, line"):
        chunk_predicates(["no", "line"], [("A",)])
    with pytest.raises(ConfigurationError, match="without a key"):
        chunk_predicates([], [])
    for value in (1.5, None, True):
        with pytest.raises(ConfigurationError, match="cannot bound a chunk"):
            chunk_predicates(["k"], [(value,)])
