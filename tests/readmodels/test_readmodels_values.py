"""Every value of every type arrives as it was projected, or is refused by name."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, RunFailed
from cutline.lake import Lake
from cutline.readmodels.lines import line_of, values_of
from support.read_models import ROWS, Desk

COLUMNS = (
    "subject string",
    "text string",
    "big bigint",
    "small int",
    "flag boolean",
    "amount decimal(38,10)",
    "whole decimal(9,0)",
    "day date",
    "at timestamp",
    "tags array<string>",
    "lines array<struct<sku:string,qty:bigint,price:decimal(10,2),at:timestamp,day:date>>",
)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
DAY = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
MOMENT = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30), timezones=st.just(dt.UTC))


def number(digits: int, places: int) -> st.SearchStrategy[Decimal]:
    most = 10**digits - 1
    return st.integers(-most, most).map(lambda n: Decimal(n).scaleb(-places))


ROW = st.tuples(
    TEXT,
    st.none() | TEXT,
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.none() | st.booleans(),
    st.none() | number(28, 10),
    st.none() | number(9, 0),
    st.none() | DAY,
    st.none() | MOMENT,
    st.none() | st.lists(st.none() | TEXT, max_size=3),
    st.none()
    | st.lists(
        st.tuples(
            st.none() | TEXT,
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | number(10, 2),
            st.none() | MOMENT,
            st.none() | DAY,
        ),
        max_size=2,
    ),
)
EDGES: tuple[Any, ...] = (
    "\b\t\n\v\f\r\\N",
    "\\N",
    2**63 - 1,
    -(2**31),
    False,
    Decimal("0E-10"),
    Decimal(0),
    dt.date(1, 1, 1),
    dt.datetime(9999, 12, 31, 23, 59, 59, 999999, dt.UTC),
    ["\t", "\x1f", None, "\\N"],
    [('\n"\\', -(2**63), Decimal("-0.10"), dt.datetime(1969, 12, 31, 23, 59, tzinfo=dt.UTC), None)],
)


@given(st.lists(st.none() | st.binary(), min_size=1))
def test_a_line_says_its_values(values: list[bytes | None]) -> None:
    line = line_of(values)
    assert values_of(line) == values
    assert b"\n" not in line


# Each example is a whole version: few, of many rows.
@settings(
    max_examples=2,
    phases=[Phase.generate],
    derandomize=True,
    suppress_health_check=[*HealthCheck],
    deadline=None,
)
@given(rows=st.lists(ROW, min_size=30, max_size=60, unique_by=lambda row: row[0]))
def test_every_value_arrives(spark: SparkSession, desk: Desk, rows: list[tuple[Any, ...]]) -> None:
    rows = [EDGES, *(row for row in rows if row[0] != EDGES[0])]
    version_number = max(desk.model().versions(), default=0) + 1
    run = f"run-{version_number}"
    lake = desk.lake_of(spark, spark.createDataFrame(rows, ", ".join(COLUMNS)), COLUMNS, run)
    version = desk.model().build(spark, lake, version_number, run)
    (table,) = version.tables
    assert table.rows == len(rows)
    expected = {row[0]: _as_stored(row, desk.is_postgres) for row in rows}
    names = ", ".join(f'"{c.name}"' for c in table.columns)
    stored = desk.execute(f'SELECT {names} FROM "{table.table}"')
    assert {row[0]: row[:9] for row in stored} == expected
    assert desk.model().verify(version) == ()


def _as_stored(row: tuple[Any, ...], is_postgres: bool) -> tuple[Any, ...]:
    """The plain values as the driver of the database gives them."""
    if is_postgres:
        return row[:9]
    text, whole, day, at = row[5], row[6], row[7], row[8]
    return (
        *row[:4],
        None if row[4] is None else int(row[4]),
        None if text is None else f"{text:.10f}",
        None if whole is None else f"{whole:.0f}",
        None if day is None else f"{day.year:04}-{day:%m-%d}",
        None if at is None else f"{at.year:04}-{at:%m-%dT%H:%M:%S.%fZ}",
    )


def test_a_table_of_states_becomes_a_version(spark: SparkSession, desk: Desk) -> None:
    lake = desk.project_states(spark, rows=ROWS[:4])
    version = desk.model().build(spark, lake, 1, "run-1")
    assert version == desk.build(rows=ROWS[:4])
    assert desk.build(2, rows=ROWS[:4]).tables[0].digest == version.tables[0].digest


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("status string", "a\x00b"),
        ("at timestamp", "-0044-03-15T00:00:00Z"),
        ("on date", "+10000-01-01"),
    ],
)
def test_what_no_database_keeps_is_refused_by_subject_and_column(
    spark: SparkSession, tmp_path: Path, column: str, value: str
) -> None:
    desk = Desk(tmp_path, "sqlite:///readmodel.db")
    lake = desk.project_states(spark, rows=[("A-1", value)], columns=["subject string", column])
    with pytest.raises(RunFailed, match=f"subject 'A-1' has in column {column.split()[0]} what no"):
        desk.model().build(spark, lake, 1, "run-1")


@pytest.mark.parametrize(
    "type", ["double", "binary", "map<string,string>", "array<double>", "struct<a:map<int,int>>"]
)
def test_a_type_that_would_bend_is_refused_before_anything_is_made(
    spark: SparkSession, tmp_path: Path, type: str
) -> None:
    desk = Desk(tmp_path, "sqlite:///readmodel.db")
    columns = ("subject string", f"bad {type}")
    lake = Lake(str(tmp_path / "lake"))
    spark.createDataFrame([], ", ".join(columns)).write.parquet(lake.path("state_order"))
    with pytest.raises(ConfigurationError, match="table state_order: column bad is "):
        desk.model().build(spark, lake, 1, "run-1")
    assert not (tmp_path / "readmodel.db").exists()
