"""Canonical JSON and keys in Spark: the same, character for character, as in Python."""

from __future__ import annotations

import datetime as dt
import sys
import uuid
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.identity import NAMESPACE, canonical_json, columns, event_id, fact_key

# One example is many cases, because each example is one Spark job; so none is shrunk.
in_batches = settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)

awkward = st.sampled_from(['"', "\\", "\\u001F", "\x00", "\x1f", "\n", "e\u0301", "\u2028", "😀"])
texts = st.text() | st.lists(awkward | st.characters(codec="utf-8"), max_size=8).map("".join)


def batch(case: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(case, min_size=40, max_size=40)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    unscaled = st.integers(-most, most) | st.sampled_from([0, 1, -1, most, -most])
    written = unscaled.map(lambda n: Decimal((n < 0, [*map(int, str(abs(n)))], -scale)))
    return written | st.just(Decimal((1, (0,), -scale)))


MOMENT = st.datetimes(timezones=st.just(dt.UTC)) | st.sampled_from(
    [
        dt.datetime(1, 1, 1, tzinfo=dt.UTC),
        dt.datetime(1582, 10, 10, tzinfo=dt.UTC),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
    ]
)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": texts,
    "bigint": st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1]),
    "int": st.integers(-(2**31), 2**31 - 1),
    "smallint": st.integers(-(2**15), 2**15 - 1),
    "boolean": st.booleans(),
    "timestamp": MOMENT,
    "date": st.dates(),
    "decimal(12,2)": decimals(12, 2),
    "decimal(38,0)": decimals(38, 0),
    "decimal(38,18)": decimals(38, 18),
    "decimal(38,38)": decimals(38, 38),
    "array<string>": st.lists(st.none() | texts, max_size=3),
    "array<array<int>>": st.lists(st.lists(st.none() | st.just(7), max_size=2), max_size=2),
    "struct<b:string,a:bigint>": st.fixed_dictionaries(
        {"b": st.none() | texts, "a": st.none() | st.integers(-9, 9)}
    ),
    "array<struct<qty:int,at:timestamp,price:decimal(38,18)>>": st.lists(
        st.none()
        | st.fixed_dictionaries(
            {"qty": st.just(1), "at": st.none() | MOMENT, "price": decimals(38, 18)}
        ),
        max_size=2,
    ),
}
NAMES = [f'{"zyx"[i % 3]}{i}"\n' for i in range(len(VALUES))]


def test_every_character_there_is(spark: SparkSession) -> None:
    letters = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    rows = ["".join(letters[i : i + 2048]) for i in range(0, len(letters), 2048)]
    data = spark.createDataFrame([(t,) for t in rows], "t string")
    encoded = data.select(columns.json_value(F.col("t"), "string")).collect()
    assert [r[0] for r in encoded] == [canonical_json(t) for t in rows]


@in_batches
@given(batch(st.tuples(*(st.none() | v for v in VALUES.values()))))
def test_objects_and_arrays_of_every_type(spark: SparkSession, rows: list[Any]) -> None:
    data = spark.createDataFrame(rows, ", ".join(f"c{i} {ddl}" for i, ddl in enumerate(VALUES)))
    columns_by_name = {n: F.col(f"c{i}") for i, n in enumerate(NAMES)}
    encoded = data.select(
        columns.json_object(columns_by_name, dict(zip(NAMES, VALUES, strict=True))),
        columns.json_array(list(columns_by_name.values()), list(VALUES)),
    ).collect()
    assert [tuple(r) for r in encoded] == [
        (canonical_json(dict(zip(NAMES, row, strict=True))), canonical_json(row)) for row in rows
    ]


@in_batches
@given(
    batch(st.tuples(texts, texts, texts, st.none() | texts, st.none() | texts, st.integers(0, 99)))
)
def test_keys(spark: SparkSession, rows: list[Any]) -> None:
    data = spark.createDataFrame(
        rows, "source string, context string, type string, subject string, occ string, major int"
    )
    identities = data.select(
        columns.event_id(*(F.col(c) for c in data.columns)),
        columns.fact_key(*(F.col(c) for c in data.columns[1:5])),
    ).collect()
    assert [tuple(r) for r in identities] == [(event_id(*r), fact_key(*r[1:5])) for r in rows]


@in_batches
@given(batch(st.tuples(texts, st.none() | texts, st.integers(0, 99))))
def test_keys_of_names_that_need_no_escape(spark: SparkSession, rows: list[Any]) -> None:
    """As events are named: subject and occurrence may hold anything, what is declared may not."""
    named = ("urn:cutline:shop:erp", "shop", "com.acme.order-placed/v1 \u00fc")
    data = spark.createDataFrame(rows, "subject string, occ string, major int")
    source, *declared = (F.lit(name) for name in named)
    subject, occurrence = F.col("subject"), F.col("occ")
    controls = columns.has_controls(subject, occurrence)
    key_text = columns.fact_text(*declared, subject, occurrence, controls, plain=True)
    identities = data.select(
        columns.event_id_of(source, key_text, F.col("major"), plain=True),
        columns.fact_key_of(key_text),
    ).collect()
    assert [tuple(r) for r in identities] == [
        (event_id(*named, s, o, major), fact_key(*named[1:], s, o)) for s, o, major in rows
    ]


@in_batches
@given(batch(texts))
def test_uuid5_is_pythons(spark: SparkSession, rows: list[str]) -> None:
    data = spark.createDataFrame([(t,) for t in [*rows, None]], "t string")
    uuids = [r[0] for r in data.select(columns.uuid5(F.col("t"))).collect()]
    assert uuids == [str(uuid.uuid5(NAMESPACE, t)) for t in rows] + [None]


@pytest.mark.parametrize(
    "ddl", ["double", "float", "map<string,string>", "array<double>", "binary"]
)
def test_a_type_without_an_exact_text_is_refused(spark: SparkSession, ddl: str) -> None:
    with pytest.raises(ConfigurationError, match="has no exact JSON text"):
        columns.json_value(F.lit(None).cast(ddl), ddl)
