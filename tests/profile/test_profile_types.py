"""Which type a column has, on literal CSV columns: the narrowest that loses nothing."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from cutline.profile import ColumnProfile, TableProfile
from cutline.profile.profiled import profile
from support.extracting import Extract, write

COLUMNS: dict[str, list[str]] = {
    "id": ["10", "9", "-3", "100"],
    "zip": ["01000", "2000", "30000", "1"],
    "price": ["9.95", "10", "-0.5", "1000.125"],
    "long_number": ["12345678901234567890", "1", "2", "3"],
    "measured": ["1e-3", "0.5", "2", "1E5"],
    "binary_fraction": ["0.30000000000000004", "1.5", "2", "3"],
    "fine": ["0.12345678901234567890", "1", "2", "3"],
    "flag": ["true", "FALSE", "", "True"],
    "letters": ["Y", "N", "Y", "Y"],
    "day": ["2026-01-02", "2025-12-31", "", "2026-02-28"],
    "no_day": ["2026-02-30", "2025-12-31", "", ""],
    "local": ["2026-01-02 10:00:00", "2026-01-02T09:00:00.123456", "", "2026-01-02 09:30"],
    "zoned": ["2026-01-02T10:00:00Z", "2026-01-02 10:30:00+02:00", "", ""],
    "some_zoned": ["2026-01-02T10:00:00Z", "2026-01-02 10:30:00", "", ""],
    "day_or_moment": ["2026-01-02", "2026-01-02 10:30:00", "", ""],
    "compact": ["20260102", "20251231", "20260101", "20240229"],
    "epoch": ["1767312000", "1767312001", "1767312002", "1767312003"],
    "never": ["9999-12-31", "2026-01-01", "1900-01-01", "2026-01-02"],
    "nothing": ["", "", "", ""],
    "padded": ["A ", "B", " C", "A "],
    "mixed": ["1", "two", "3", "4"],
    "tiny": ["0.1234567890", "1", "2", "3"],
    "select from `x`": ["a", "b", "c", "d"],
    "Größe": ["XL", "M", "S", "XL"],
}

TYPES = {
    "id": "bigint",
    "zip": "string",
    "price": "decimal(18,3)",
    "long_number": "decimal(20,0)",
    "measured": "double",
    "binary_fraction": "double",
    "fine": "decimal(21,20)",
    "flag": "boolean",
    "letters": "string",
    "day": "date",
    "no_day": "string",
    "local": "timestamp_ntz",
    "zoned": "timestamp",
    "some_zoned": "timestamp",
    "day_or_moment": "string",
    "compact": "bigint",
    "epoch": "bigint",
    "never": "date",
    "nothing": "string",
    "padded": "string",
    "mixed": "string",
    "tiny": "decimal(18,10)",
    "select from `x`": "string",
    "Größe": "string",
}

HINTS = {
    "local": ("no zone: say whose clock it is",),
    "some_zoned": ("1 without a zone",),
    "compact": ("may be dates written YYYYMMDD",),
    "epoch": ("may be seconds since 1970",),
    "never": ("9999-12-31 may stand for never", "1900-01-01 may stand for unknown"),
    "nothing": ("never set",),
    "padded": ("3 with blanks around them",),
}


@pytest.fixture(scope="module")
def table_profile(spark, tmp_path_factory: pytest.TempPathFactory) -> TableProfile:
    """The profile of all those columns, from one file."""
    folder: Path = tmp_path_factory.mktemp("types")
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, *zip(*COLUMNS.values(), strict=True)])
    write(folder / "in" / "odd.csv", text.getvalue())
    sources = {"old": {"kind": "csv", "path": "in", "tables": {"odd": {"path": "odd.csv"}}}}
    return profile(spark, Extract(folder, sources, []).project, "old", "odd")


def column(table_profile: TableProfile, name: str) -> ColumnProfile:
    column_profile = table_profile.column(name)
    assert column_profile is not None
    return column_profile


def test_each_column_has_the_narrowest_type_that_loses_nothing(table_profile: TableProfile) -> None:
    assert {c.name: c.type for c in table_profile.columns} == TYPES


def test_the_ends_are_those_of_the_type_and_not_of_the_text(table_profile: TableProfile) -> None:
    ends = {c.name: (c.low, c.high) for c in table_profile.columns}
    assert ends["id"] == ("-3", "100")
    assert ends["zip"] == ("01000", "30000")
    assert ends["price"] == ("-0.5", "1000.125")
    assert ends["long_number"] == ("1", "12345678901234567890")
    assert ends["measured"] == ("1e-3", "1E5")
    assert ends["zoned"] == ("2026-01-02 10:30:00+02:00", "2026-01-02T10:00:00Z")
    assert ends["local"] == ("2026-01-02T09:00:00.123456", "2026-01-02 10:00:00")
    assert ends["nothing"] == (None, None)


def test_nulls_are_counted_and_are_no_value(table_profile: TableProfile) -> None:
    counts = {c.name: (c.nulls, c.distinct) for c in table_profile.columns}
    assert counts["id"] == (0, 4)
    assert counts["flag"] == (1, 3)
    assert counts["zoned"] == (2, 2)
    assert counts["nothing"] == (4, 0)


def test_what_a_person_should_look_at_is_said(table_profile: TableProfile) -> None:
    assert {c.name: c.hints for c in table_profile.columns if c.hints} == HINTS


def test_lengths_are_those_of_texts_that_are_there(table_profile: TableProfile) -> None:
    assert (column(table_profile, "zip").shortest, column(table_profile, "zip").longest) == (1, 5)
    assert (
        column(table_profile, "nothing").shortest,
        column(table_profile, "nothing").longest,
    ) == (None, None)
