"""Texts as numbers of floating point, beside Python's exact fractions."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare.tables.double_texts import double_text

DOUBLE, FLOAT = T.DoubleType(), T.FloatType()
FINITE = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(10**38) + 1, 10**38 - 1)


def values(spark: SparkSession, kind: T.DoubleType | T.FloatType, texts: list[str]) -> list[float]:
    """What each text is; null where it is no such number."""
    frame = spark.createDataFrame([(text,) for text in texts], "text string").coalesce(1)
    return [row[0] for row in frame.select(F.expr(double_text("text", kind))).collect()]


DOUBLES = [
    ("0.1", 0.1),
    (" +01.50 ", 1.5),
    ("1.50000000000000000000", 1.5),
    ("0.10000000000000001", 0.1),
    ("123456789012345680.0", 123456789012345680.0),
    ("1152921504606846976", 2.0**60),
    ("1267650600228229401496703205376", 2.0**100),
    ("-9223372036854775808", -(2.0**63)),
    ("9.9999999999999992e+22", 1e23),
    ("100000000000000000000000", 1e23),
    ("1152921504606847000", 2.0**60),
    ("1" + 39 * "0", 1e39),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("5e-324", 5e-324),
    ("-0.0", -0.0),
    ("0e-400", 0.0),
    ("inf", math.inf),
    # The smallest values keep fewer digits.
    ("4.9406564584124654e-324", 5e-324),
    ("-4.9e-324", -5e-324),
    ("1.2346700489572751e-320", 2499 * 5e-324),
    ("1.2347e-320", 2499 * 5e-324),
    ("2.2250738585072011e-308", 2.2250738585072011e-308),
    ("3e-324", None),
    ("7e-324", None),
    ("1.2345e-320", None),
    ("1.23456789012345e-320", None),
    # What floating point would bend.
    ("9007199254740993", None),
    ("9007199254740993.0", None),
    ("9007199254740993e0", None),
    ("9007199254740993.5", None),
    ("1000000000000000000000000000000000000001", None),
    ("0.1234567890123456789", None),
    ("1e-400", None),
    ("1e400", None),
    ("12f", None),
]
FLOATS = [
    ("1152921504606846976", 2.0**60),
    ("0.10000000149011612", struct.unpack("f", struct.pack("f", 0.1))[0]),
    ("1.4e-45", 2.0**-149),
    ("0.00000000000000000000000000000000000000000000140", 2.0**-149),
    ("1e-45", 2.0**-149),
    ("1.5e-45", None),
    ("1.23456e-43", None),
    ("16777217.0", None),
    ("16777217", None),
    ("1e-60", None),
]


@pytest.mark.parametrize(("kind", "cases"), [(DOUBLE, DOUBLES), (FLOAT, FLOATS)])
def test_a_text_is_the_number_that_it_says_or_none(
    spark: SparkSession,
    kind: T.DoubleType | T.FloatType,
    cases: list[tuple[str, float | None]],
) -> None:
    texts = [text for text, _ in cases]
    assert dict(zip(texts, values(spark, kind, texts), strict=True)) == dict(cases)


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.generate],
)
@given(
    st.lists(FINITE, min_size=100, max_size=300),
    st.lists(st.tuples(WHOLE, st.integers(0, 37)), min_size=100, max_size=300),
)
def test_what_is_written_of_a_double_is_read_and_whole_numbers_are_exact(
    spark: SparkSession, doubles: list[float], numbers: list[tuple[int, int]]
) -> None:
    written = [text for value in doubles for text in (repr(value), f"{value:.17g}", f"{value:e}")]
    # Python writes whole doubles of up to 16 digits in digits alone, and so exactly.
    assert values(
        spark, DOUBLE, [f"{text}e0" if "e" not in text else text for text in written]
    ) == [float(text) for text in written]
    wholes = [number // 10**cut for number, cut in numbers]
    near = [int(float(number)) + step for number in wholes for step in (0, 1)]
    plain = [number for number in [*wholes, *near] if abs(number) < 10**38]
    for number, *read in zip(
        plain,
        *(values(spark, DOUBLE, [f"{n}{end}" for n in plain]) for end in ("", ".0", "e0")),
        strict=True,
    ):
        last = 10 ** (len(str(number)) - len(str(number).rstrip("0"))) if number else 1
        is_near = abs(Fraction(float(number)) - number) * 2 <= last
        assert read == 3 * [float(number) if is_near else None], number


@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.generate],
)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=100))
def test_what_is_written_of_a_float_is_read(spark: SparkSession, floats: list[float]) -> None:
    written = [text for value in floats for text in (f"{value:.9g}", repr(value), f"{value:.8e}")]
    assert values(spark, FLOAT, [f"{t}e0" if "e" not in t else t for t in written]) == [
        struct.unpack("f", struct.pack("f", float(text)))[0] for text in written
    ]
