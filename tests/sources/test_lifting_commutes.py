"""Lifting undoes writing down: a row kept in any older shape reads as the newest row it was."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.extracting import Extract, change, write
from support.orders import Order

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLI, MICRO = dt.timedelta(milliseconds=1), dt.timedelta(microseconds=1)

# A space parts the names in the first shape; U+FDD0 is refused in JSON.
words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters=" \ufdd0"), max_size=9)
names = st.one_of(st.tuples(words, words), st.just((None, None)))
amounts = st.one_of(st.none(), st.decimals(0, 9_999_999_999, places=2))
moments = st.one_of(
    st.none(),
    st.datetimes(dt.datetime(1583, 1, 1), dt.datetime(9999, 1, 1), timezones=st.just(dt.UTC)),
)


@st.composite
def rows(draw):
    """A newest row that every shape can hold, and two shapes to write it down in."""
    first, last = draw(names)
    at = draw(moments)
    return (
        {
            "first_name": first,
            "last_name": last,
            "amount": draw(amounts),
            "created_at": None if at is None else EPOCH + (at - EPOCH) // MILLI * MILLI,
            "channel": "SHOP",
        },
        draw(st.sampled_from(SHAPES)),
        draw(st.sampled_from(SHAPES)),
    )


def newest(row):
    return {**row, "amount": text(row["amount"]), "created_at": written(row["created_at"])}


def second(row):
    cents = None if row["amount"] is None else int(row["amount"] * 100)
    names = {n: row[n] for n in ("first_name", "last_name")}
    return {**names, "cents": cents, "created_at": written(row["created_at"])}


def first(row):
    at = row["created_at"]
    return {
        "customer": None
        if row["first_name"] is None
        else f"{row['first_name']} {row['last_name']}",
        "cents": text(second(row)["cents"]),
        "created_ms": None if at is None else (at - EPOCH) // MILLI,
    }


SHAPES = (newest, second, first)


def text(value):
    return None if value is None else str(value)


def written(at):
    return None if at is None else at.isoformat(timespec="microseconds")


def micros(at):
    return None if at is None else (at - EPOCH) // MICRO


def expected(number, row):
    amount = None if row["amount"] is None else row["amount"].quantize(Decimal("0.01"))
    at = micros(row["created_at"])
    return (f'["{number}"]', row["first_name"], row["last_name"], text(amount), at, row["channel"])


def shown_columns(side):
    return (
        *("key", f"{side}.first_name", f"{side}.last_name", f"cast({side}.amount as string)"),
        *(f"unix_micros({side}.created_at)", f"{side}.channel"),
    )


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(rows(), min_size=30, max_size=150))
def test_a_row_of_any_shape_is_the_newest_row_it_was(spark, given_rows):
    with TemporaryDirectory() as name:
        folder = Path(name)
        numbered = list(enumerate(given_rows))
        lines = [json.dumps({"order_no": str(i), **one(row)}) for i, (row, one, _) in numbered]
        write(folder / "in" / "orders.jsonl", "\n".join(lines))
        changes = [
            change("u", {"order_no": str(i), **one(row)}, {"order_no": str(i), **two(row)})
            for i, (row, one, two) in numbered
        ]
        write(folder / "changes.jsonl", "\n".join(changes))
        file = {
            "kind": "debezium",
            "path": "changes.jsonl",
            "snapshot": {"policy": "exported-snapshot", "consistent_point": "0/1"},
        }
        tables = {"orders": {"path": "orders.jsonl"}}
        sources = {"shop": {"kind": "jsonl", "path": "in", "tables": tables, "changes": file}}
        extracted = Extract(folder, sources, (Order,)).run(spark)
        wanted = sorted((expected(i, row) for i, (row, _, _) in numbered), key=repr)
        after = extracted.rows("shop_orders", "op", *shown_columns("after"))
        assert [r[1:] for r in after if r[0] == "r"] == wanted
        assert [r[1:] for r in after if r[0] == "u"] == wanted
        before = extracted.rows("shop_orders", "op", *shown_columns("before"))
        assert [r[1:] for r in before if r[0] == "u"] == wanted
        assert {tuple(d) for (d,) in extracted.rows("shop_orders", "defects")} == {()}
