"""Values of every type, written by SQL: they arrive as the server's text says, or are put aside by
name; none arrives bent."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as T

from cutline.sources.postgres import raw_rows
from cutline.sources.rows import snapshot_changes
from support.postgres_source import TEXT, Erp, answer, contract_of, run_sql

pytestmark = pytest.mark.postgres

EXTRACT_TIME = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
AS_TEXT = {
    "numeric_any": "numeric",
    "numeric_small": "numeric(6,2)",
    "money_": "money",
    "oid_": "oid",
    "json_": "json",
    "jsonb_": "jsonb",
    "colour_": "colour",
    "short_": "short",
    "span": "int4range",
    "spans": "tstzmultirange",
    "interval_": "interval",
    "timetz_": "timetz",
    "time_": "time",
    "inet_": "inet",
    "cidr_": "cidr",
    "bits": "bit varying",
    "xml_": "xml",
    "padded": "char(6)",
    "array_": "int[]",
    "texts": "text[]",
    "uuid_": "uuid",
    "bytes_as_text": "bytea",
    "stamp_as_text": "timestamptz",
    "double_as_text": "float8",
    "point_": "point",
    "name_": "name",
    "search": "tsvector",
    "lsn": "pg_lsn",
    "pair": "pair",
}
"""Columns that the contract asks for as text, by their type in the database."""

TYPED = {
    "whole": ("int8", T.LongType, "bigint"),
    "small": ("int2", T.IntegerType, "int"),
    "flag": ("bool", T.BooleanType, "boolean"),
    "real_": ("float4", T.FloatType, "float"),
    "double_": ("float8", T.DoubleType, "double"),
    "words": ("text", T.StringType, "string"),
    "raw": ("bytea", T.BinaryType, "binary"),
    "day": ("date", T.DateType, "date"),
    "stamp": ("timestamp", T.TimestampType, "timestamp"),
    "stamp_ntz": ("timestamp", T.TimestampNTZType, "timestamp_ntz"),
    "stamptz": ("timestamptz", T.TimestampType, "timestamp"),
    "amount": ("numeric", Annotated[T.DecimalType, 12, 2], "decimal(12,2)"),
    "cents": ("money", Annotated[T.DecimalType, 12, 2], "decimal(12,2)"),
}


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


numbers = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=4).map(lambda d: f"{d:f}"),
    st.integers(-(10**60), 10**60).map(lambda n: f"{n}.{abs(n)}"),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "0.00000000000000000001", "1.10", "1e300"]),
)
plain = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=12)
days = st.one_of(
    st.dates().map(str),
    st.sampled_from(
        ["infinity", "-infinity", "0001-01-01 BC", "4713-01-01 BC", "5874897-12-31", "1582-10-10"]
    ),
)
stamps = st.one_of(
    st.datetimes().map(str),
    st.sampled_from(
        [
            *("infinity", "-infinity", "4713-01-01 00:00 BC", "294276-12-31 23:59:59.999999"),
            *(
                "1582-10-05 01:02:03.000001",
                "1500-02-28 12:00",
                "0001-01-01 00:00",
                "9999-12-31 23:59:59.999999",
            ),
            *("10000-01-01 00:00", "0001-12-31 23:59 BC", "1883-11-18 12:03:58"),
        ]
    ),
)
json_texts = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.just(1.1), plain.filter(lambda t: "\\" not in t)
    ),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def literals(kind: str) -> st.SearchStrategy[str]:
    """SQL for values of a type."""
    import json

    of = {
        "numeric": numbers,
        "numeric(6,2)": st.decimals(-9999, 9999, places=2).map(str),
        "money": st.decimals(-(10**9), 10**9, places=2).map(str),
        "oid": st.integers(0, 2**32 - 1).map(str),
        "json": json_texts.map(lambda v: json.dumps(v, indent=1)),
        "jsonb": json_texts.map(json.dumps),
        "colour": st.sampled_from(["red", "sea green", 'a"b']),
        "short": plain.map(lambda t: t[:8]),
        "int4range": st.sampled_from(["empty", "[1,5)", "(,7]", "[3,)"]),
        "tstzmultirange": st.sampled_from(["{}", "{[2026-01-01 00:00+02,infinity)}"]),
        "interval": st.sampled_from(
            ["1 mon -3 days 04:05:06.000001", "-178000000 years", "0", "P1Y2M"]
        ),
        "timetz": st.sampled_from(["24:00:00+02", "00:00-15:59", "12:34:56.789+01"]),
        "time": st.sampled_from(["24:00:00", "00:00", "12:34:56.789"]),
        "inet": st.sampled_from(["10.0.0.1/8", "::1", "192.168.0.1"]),
        "cidr": st.sampled_from(["10.0.0.0/8", "2001:db8::/32"]),
        "bit varying": st.text("01", max_size=9),
        "xml": st.sampled_from(["<a>&amp;</a>", "text", '<b c="1"/>']),
        "char(6)": st.text("ab ", max_size=6),
        "int[]": st.sampled_from(["{}", "{1,2}", "{{1,2},{3,4}}", "[0:1]={7,NULL}", "{{{1}}}"]),
        "text[]": st.sampled_from(["{}", '{a,"b,c",NULL,"NULL",""}', '{{"\\"",x}}']),
        "uuid": st.uuids().map(str),
        "bytea": st.binary(max_size=6).map(lambda b: "\\x" + b.hex()),
        "timestamptz": stamps.map(
            lambda t: (
                t.replace(" BC", "+05:30 BC")
                if t.endswith("BC")
                else t + ("" if "inf" in t else "+05:30")
            )
        ),
        "timestamp": stamps,
        "date": days,
        "float8": st.floats().map(repr).map(lambda t: t.replace("inf", "Infinity")),
        "float4": st.floats(width=32).map(repr).map(lambda t: t.replace("inf", "Infinity")),
        "point": st.sampled_from(["(1,2.5)", "(1e-300,Infinity)"]),
        "name": plain,
        "text": plain,
        "tsvector": st.sampled_from(["'a':1 'fat':2,4B", ""]),
        "pg_lsn": st.sampled_from(["0/0", "16/B374D848"]),
        "pair": st.sampled_from(['(1,"a b")', "(,)", '(-7,"""")']),
        "int8": st.integers(-(2**63), 2**63 - 1).map(str),
        "int2": st.integers(-(2**15), 2**15 - 1).map(str),
        "bool": st.booleans().map(str),
    }
    return st.one_of(st.just("NULL"), of[kind].map(quoted))


KINDS = {**AS_TEXT, **{name: kind for name, (kind, _, _) in TYPED.items()}}
ROWS = st.lists(st.tuples(*(literals(kind) for kind in KINDS.values())), min_size=25, max_size=25)


@pytest.fixture(scope="module")
def url(postgres_server):
    name = postgres_server.create_database()
    columns = ", ".join(f"{n} {kind}" for n, kind in KINDS.items())
    run_sql(
        postgres_server.url(name),
        "CREATE TYPE colour AS ENUM ('red', 'sea green', 'a\"b')",
        "CREATE DOMAIN short AS varchar(8)",
        "CREATE TYPE pair AS (a int, b text)",
        f"CREATE TABLE orders (id int PRIMARY KEY, {columns})",
    )
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


ORDERS = contract_of(
    "orders",
    {
        "id": T.IntegerType,
        **dict.fromkeys(AS_TEXT, TEXT),
        **{n: kind for n, (_, kind, _) in TYPED.items()},
    },
    ["id"],
)


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # each example costs a Spark job
)
@given(rows=ROWS)
def test_what_arrives_is_what_the_text_says(rows, spark, url, tmp_path_factory):
    values = ", ".join(f"({number}, {', '.join(row)})" for number, row in enumerate(rows))
    run_sql(url, "TRUNCATE orders", f"INSERT INTO orders VALUES {values}", "ANALYZE orders")
    expected = texts_of(url)
    erp = Erp(url, tmp_path_factory.mktemp("types"), (ORDERS,), limits={"chunk_rows": 10})
    table_read = erp.read()["orders"]
    assert len(table_read.plan.chunks) > 1
    frame = raw_rows(spark, table_read, "orders").frame
    changes = snapshot_changes(
        frame, table_read.table, None, position="0", extract_time=EXTRACT_TIME
    )
    # As texts of Spark: its years go beyond those of Python.
    texts_sql = [
        f"{'hex' if n == 'raw' else 'string'}(after.`{n}`) AS `{n}`" for n in ("id", *KINDS)
    ]
    arrived = {int(row.id): row for row in changes.selectExpr("defects", *texts_sql).collect()}
    assert arrived.keys() == expected.keys()
    for number, texts in expected.items():
        defects = set(arrived[number].defects)
        for name, text in texts.items():
            value = arrived[number][name]
            if f"wrong-type:{name}" in defects:
                assert name in TYPED, name
                assert value is None
                assert is_beyond(name, text), (name, text)
            else:
                assert is_value_of_text(name, value, text), (name, value, text)


def texts_of(url: str) -> dict[int, dict[str, str | None]]:
    columns = ", ".join("cents::numeric::text" if n == "cents" else f"{n}::text" for n in KINDS)
    return {
        row[0]: dict(zip(KINDS, row[1:], strict=True))
        for row in answer(url, f"SELECT id, {columns} FROM orders")
    }


def is_beyond(name: str, text: str) -> bool:
    """Whether the contract's type cannot hold the value."""
    kind = TYPED[name][2]
    if kind in ("date", "timestamp", "timestamp_ntz"):
        return "infinity" in text or text.endswith("BC") or len(text.partition("-")[0]) > 4
    if kind == "decimal(12,2)":
        number = Decimal(text)
        return not number.is_finite() or abs(number) >= 10**10 or number != round(number, 2)
    return False


def is_value_of_text(name: str, value: str | None, text: str | None) -> bool:
    """Whether the value that arrived, as Spark writes it, is that of the text."""
    if text is None or value is None:
        return value is None and text is None
    kind = "string" if name in AS_TEXT else TYPED[name][2]
    if kind in ("float", "double"):
        number = np.float32 if kind == "float" else np.float64
        return number(text).tobytes() == number(value).tobytes()
    if kind == "binary":
        return "\\x" + value.lower() == text
    if kind.startswith("timestamp"):
        return text.removesuffix("+00") == value
    if kind.startswith("decimal"):
        return Decimal(value) == Decimal(text)
    return value == text
