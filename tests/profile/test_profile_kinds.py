"""The same rows in each kind of source give the same profile; what cannot be read is counted."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cutline.errors import ConfigurationError
from cutline.profile import NearKey, StatusValue, TableProfile, TimesSet, ValueCount
from cutline.profile.profiled import profile
from support.extracting import Extract, database, write

ROWS = [
    # no, region, status, price, placed, shipped
    ("A-1", "eu", "N", "1.50", "2026-01-01 10:00:00", None),
    ("A-2", "eu", "N", "2.00", "2026-01-01 11:00:00", None),
    ("A-3", "us", "S", "2.00", "2026-01-01 12:00:00", "2026-01-02 12:00:00"),
    ("A-4", "eu", "S", "10.00", "2026-01-01 13:00:00", "2026-01-03 12:00:00"),
    ("A-5", "us", "X", None, "2026-01-01 14:00:00", None),
    ("A-6", "us", "X", "3.25", "2026-01-01 15:00:00", "2026-01-02 09:00:00"),
]
NAMES = ["no", "region", "status", "price", "placed", "shipped"]
TABLES = {"region": "region = :region"}


def as_csv(folder: Path) -> dict[str, Any]:
    lines = [",".join(NAMES), *(",".join(v or "" for v in row) for row in ROWS)]
    write(folder / "in" / "orders.csv", "\n".join(lines) + "\n")
    return {"kind": "csv", "path": "in", "tables": {"orders": {"path": "orders.csv", **TABLES}}}


def as_json_lines(folder: Path) -> dict[str, Any]:
    lines = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS]
    write(folder / "in" / "orders.jsonl", "\n".join(lines) + "\n")
    return {"kind": "jsonl", "path": "in", "tables": {"orders": {"path": "orders.jsonl", **TABLES}}}


def as_sqlite(folder: Path) -> dict[str, Any]:
    script = f"CREATE TABLE old_orders ({', '.join(f'{n} TEXT' for n in NAMES)})"
    database(folder / "in" / "erp.db", script, {"old_orders": ROWS})
    return {
        "kind": "sqlite",
        "path": "in/erp.db",
        "tables": {"orders": {"name": "old_orders", **TABLES}},
    }


def as_parquet(folder: Path) -> dict[str, Any]:
    """Typed already: the profile keeps the source's types."""

    def moment(text: str | None) -> dt.datetime | None:
        return dt.datetime.fromisoformat(text) if text else None

    columns = list(zip(*ROWS, strict=True))
    table = pa.table(
        {
            "no": columns[0],
            "region": columns[1],
            "status": columns[2],
            "price": pa.array([Decimal(p) if p else None for p in columns[3]], pa.decimal128(9, 2)),
            "placed": pa.array([moment(t) for t in columns[4]], pa.timestamp("us")),
            "shipped": pa.array([moment(t) for t in columns[5]], pa.timestamp("us")),
        }
    )
    (folder / "in").mkdir(parents=True)
    pq.write_table(table, folder / "in" / "orders.parquet")
    tables = {"orders": {"path": "orders.parquet", **TABLES}}
    return {"kind": "parquet", "path": "in", "tables": tables}


KINDS = {"csv": as_csv, "jsonl": as_json_lines, "sqlite": as_sqlite, "parquet": as_parquet}


def project(folder: Path, section: dict[str, Any]) -> Any:
    return Extract(folder, {"erp": section}, []).project


@pytest.fixture(scope="module", params=KINDS)
def orders_profile(request: pytest.FixtureRequest, spark, tmp_path_factory) -> TableProfile:
    folder = tmp_path_factory.mktemp(request.param)
    return profile(spark, project(folder, KINDS[request.param](folder)), "erp", "orders")


def test_types_are_told_or_inferred(orders_profile: TableProfile) -> None:
    price = "decimal(9,2)" if orders_profile.kind == "parquet" else "decimal(18,2)"
    assert [(c.name, c.type) for c in orders_profile.columns] == [
        ("no", "string"),
        ("region", "string"),
        ("status", "string"),
        ("price", price),
        ("placed", "timestamp_ntz"),
        ("shipped", "timestamp_ntz"),
    ]


def test_values_are_counted(orders_profile: TableProfile) -> None:
    status, price, no = (orders_profile.column(n) for n in ("status", "price", "no"))
    assert status
    assert price
    assert no
    assert (status.nulls, status.distinct, status.whole) == (0, 3, True)
    assert status.top == (ValueCount("N", 2), ValueCount("S", 2), ValueCount("X", 2))
    assert (price.nulls, price.distinct, price.top[0]) == (1, 4, ValueCount("2.00", 2))
    assert (price.low, price.high) == ("1.50", "10.00")
    assert (no.top, no.shapes) == ((), (ValueCount("A-9", 6),))


def test_the_only_key_is_the_number(orders_profile: TableProfile) -> None:
    assert (orders_profile.rows, orders_profile.unreadable) == (6, 0)
    assert orders_profile.keys == (("no",), ("placed",))


def test_a_status_is_seen_beside_its_times(orders_profile: TableProfile) -> None:
    status = orders_profile.statuses[0]
    assert (status.column, status.contrast) == ("status", 1.0)
    new, shipped, cancelled = status.values
    assert (new.value, new.rows, new.always, new.sometimes) == ("N", 2, ("placed",), ())
    assert shipped == StatusValue(
        "S",
        2,
        (
            TimesSet("placed", 2, "2026-01-01 12:00:00", "2026-01-01 13:00:00"),
            TimesSet("shipped", 2, "2026-01-02 12:00:00", "2026-01-03 12:00:00"),
        ),
    )
    assert (cancelled.always, cancelled.sometimes) == (("placed",), ("shipped",))


@pytest.mark.parametrize("kind", KINDS)
def test_a_region_is_its_rows_only(spark, tmp_path: Path, kind: str) -> None:
    shop = project(tmp_path, KINDS[kind](tmp_path))
    region_profile = profile(spark, shop, "erp", "orders", region="us")
    region = region_profile.column("region")
    assert region is not None
    assert (region_profile.rows, region.distinct, region.low) == (3, 1, "us")
    assert profile(spark, shop, "erp", "orders", region="all").rows == 6


def test_a_hidden_column_is_counted_and_not_shown(spark, tmp_path: Path) -> None:
    shop = project(tmp_path, as_csv(tmp_path))
    hidden = profile(spark, shop, "erp", "orders", hidden=["status", "no"])
    plain = profile(spark, shop, "erp", "orders")
    column = hidden.column("status")
    assert column
    assert (column.type, column.nulls, column.distinct) == ("string", 0, 3)
    assert (column.low, column.high, column.top, column.shapes) == (None, None, (), ())
    assert [s.column for s in hidden.statuses] == [
        s.column for s in plain.statuses if s.column != "status"
    ]
    assert "A-1" not in str(hidden)
    assert hidden.keys == plain.keys
    assert column.hidden


def test_a_key_of_several_columns_is_found_where_one_is_not_enough(spark, tmp_path: Path) -> None:
    lines = ["a,b,c", *(f"{a},{b},{'x' * (1 + a + b)}" for a in range(4) for b in range(5))]
    write(tmp_path / "in" / "orders.csv", "\n".join([*lines, ""]))
    shop = project(
        tmp_path, {"kind": "csv", "path": "in", "tables": {"orders": {"path": "orders.csv"}}}
    )
    assert profile(spark, shop, "erp", "orders").keys == (("a", "b"), ("a", "c"), ("b", "c"))


def test_few_rows_without_a_key_leave_the_others_theirs(spark, tmp_path: Path) -> None:
    numbers = ["" if n == 77 else f"P-{n}" for n in range(400)]
    rows = [f"{no},{n // 20},{n % 20}" for n, no in enumerate(numbers)]
    rows[8] = "P-8,,8"
    rows += [f"Q-{n},20,{n}" for n in range(20)]
    write(tmp_path / "in" / "orders.csv", "\n".join(["no,a,b", *rows, ""]))
    source = {"kind": "csv", "path": "in", "tables": {"orders": {"path": "orders.csv"}}}
    table_profile = profile(spark, project(tmp_path, source), "erp", "orders")
    assert (table_profile.keys, table_profile.near_keys) == ((), (NearKey(("no",), 1),))
    # And those of several columns.
    write(
        tmp_path / "in" / "orders.csv",
        "\n".join(["a,b", *(row.partition(",")[2] for row in rows), ""]),
    )
    table_profile = profile(spark, project(tmp_path, source), "erp", "orders")
    assert (table_profile.keys, table_profile.near_keys) == ((), (NearKey(("a", "b"), 1),))
    # Where many lack one, it is none.
    many = [f"{'' if n % 50 == 0 else n}" for n in range(400)]
    write(tmp_path / "in" / "orders.csv", "\n".join(["no,one", *(f"{n},x" for n in many), ""]))
    table_profile = profile(spark, project(tmp_path, source), "erp", "orders")
    assert (table_profile.keys, table_profile.near_keys) == ((), ())


def test_what_cannot_be_read_is_counted_apart(spark, tmp_path: Path) -> None:
    content = b'no,status\n1,N\n2,"S\n3,\xff\n4,N\n'
    write(tmp_path / "in" / "orders.csv", content)
    shop = project(
        tmp_path, {"kind": "csv", "path": "in", "tables": {"orders": {"path": "orders.csv"}}}
    )
    table_profile = profile(spark, shop, "erp", "orders")
    assert (table_profile.rows, table_profile.unreadable) == (4, 1)
    assert [(c.name, c.nulls, c.unreadable, c.distinct) for c in table_profile.columns] == [
        ("no", 0, 0, 3),
        ("status", 0, 1, 1),
    ]


def test_bytes_in_a_database_are_no_text(spark, tmp_path: Path) -> None:
    database(
        tmp_path / "in" / "erp.db",
        "CREATE TABLE orders (no INTEGER PRIMARY KEY, blob)",
        {"orders": [(1, b"\x00\xff"), (2, "text"), (3, None)]},
    )
    section = {"kind": "sqlite", "path": "in/erp.db", "tables": {"orders": {}}}
    table_profile = profile(spark, project(tmp_path, section), "erp", "orders")
    assert [(c.name, c.type, c.nulls, c.unreadable, c.distinct) for c in table_profile.columns] == [
        ("no", "bigint", 0, 0, 3),
        ("blob", "string", 1, 1, 1),
    ]


@pytest.mark.parametrize(
    ("source", "table", "message"),
    [
        ("erb", "orders", "there is no source 'erb' under `sources`. Did you mean 'erp'?"),
        ("erp", "order", "sources.erp.tables has no 'order'. Did you mean 'orders'?"),
        ("erp", "gone", "there is no file"),
        ("erp", "empty", "holds no row"),
        ("erp", "twins", "only differ by upper and lower case"),
    ],
)
def test_what_cannot_be_profiled_is_said(
    spark, tmp_path: Path, source: str, table: str, message: str
) -> None:
    write(tmp_path / "in" / "orders.csv", "no\n1\n")
    write(tmp_path / "in" / "empty.csv", "no\n")
    write(tmp_path / "in" / "twins.jsonl", '{"No": 1, "no": 2}\n')
    files = {t: {"path": f"{t}.csv"} for t in ("orders", "empty", "gone")}
    sources = {
        "erp": {"kind": "csv", "path": "in", "tables": files},
        "clicks": {"kind": "jsonl", "path": "in", "tables": {"twins": {"path": "twins.jsonl"}}},
    }
    shop = Extract(tmp_path, sources, []).project
    with pytest.raises(ConfigurationError) as error:
        profile(spark, shop, "clicks" if table == "twins" else source, table)
    assert message in error.value.what
