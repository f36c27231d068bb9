"""Canonical JSON in Python: one text for one value."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.identity import canonical_json

CET = dt.timezone(dt.timedelta(hours=1))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-9223372036854775808, "-9223372036854775808"),
        (10**40, "1" + "0" * 40),
        ("", '""'),
        ('a"b\\c/d', '"a\\"b\\\\c/d"'),
        ("\x00\x1f\b\t\n\f\r\x7f", '"\\u0000\\u001f\\b\\t\\n\\f\\r\x7f"'),
        ("é \u2028 \U0001f600 e\u0301", '"é \u2028 \U0001f600 e\u0301"'),
        (Decimal("12.30"), '"12.30"'),
        (Decimal("-0.00"), '"0.00"'),
        (Decimal("1E+3"), '"1000"'),
        (Decimal("1E-7"), '"0.0000001"'),
        (dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC), '"2026-11-01T05:00:00.000000Z"'),
        (dt.datetime(2026, 11, 1, 5, 0, 0, 7, tzinfo=CET), '"2026-11-01T04:00:00.000007Z"'),
        (dt.datetime(1, 1, 1, tzinfo=dt.UTC), '"0001-01-01T00:00:00.000000Z"'),
        (dt.date(987, 6, 5), '"0987-06-05"'),
        ([], "[]"),
        ((1, None, "x"), '[1,null,"x"]'),
        ({}, "{}"),
        ({"b": 1, "a": {"d": [True], "c": None}}, '{"a":{"c":null,"d":[true]},"b":1}'),
    ],
)
def test_each_value_has_its_text(value: Any, text: str) -> None:
    assert canonical_json(value) == text


def test_keys_are_sorted_by_utf_16_as_rfc_8785_has_it() -> None:
    # By code points U+FB33 would come before U+1F600; by UTF-16 its surrogate D83D comes first.
    assert canonical_json({"\ufb33": 1, "\U0001f600": 2, "é": 3, "a": 4}) == (
        '{"a":4,"é":3,"\U0001f600":2,"\ufb33":1}'
    )


@pytest.mark.parametrize("value", [1.0, b"x", {1, 2}, object(), dt.datetime(2026, 1, 1)])
def test_what_has_no_exact_text_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json([value])


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), "\ud800"])
def test_what_is_no_number_or_no_text_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"no number|surrogates"):
        canonical_json({"x": value})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_it_is_json_and_says_the_same(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2), st.randoms())
def test_the_order_of_keys_does_not_matter(value: dict[str, int], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert canonical_json(dict(items)) == canonical_json(value)
