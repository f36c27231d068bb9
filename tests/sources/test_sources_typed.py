"""From text to a type: exactly, or not at all."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

from cutline.sources.typed import from_text

# type, what is taken (text -> as text), what is refused
LITERAL = {
    "bigint": (
        {"7": "7", " 7 ": "7", "-9223372036854775808": "-9223372036854775808"},
        ["1.5", "1.0", "9223372036854775808", "1e3", "", "seven"],
    ),
    "int": ({"2147483647": "2147483647"}, ["2147483648"]),
    "decimal(12,2)": (
        {"1.5": "1.50", "1.500": "1.50", "-0.01": "-0.01", "1.5e1": "15.00", "7": "7.00"},
        ["1.005", "0.001", "12345678901", "1e-3", "1,5", ""],
    ),
    "decimal(38,0)": ({"15e-1": None, "3": "3"}, ["1.5", "1e-30"]),
    "boolean": ({"1": "true", "0": "false", "true": "true"}, ["2", "ja"]),
    "timestamp": (
        {
            "2026-10-28T09:15:00Z": "2026-10-28 09:15:00",
            "2026-10-28 09:15:00": "2026-10-28 09:15:00",
            "2026-10-28T09:15:00.123456+01:00": "2026-10-28 08:15:00.123456",
        },
        ["2026-10-28", "09:15", "2026", "2026-10-28T09:15:00.1234567Z", "2026-02-30T00:00:00Z"],
    ),
    "date": (
        {"2026-10-28": "2026-10-28", "2026-10-28 00:00:00": "2026-10-28"},
        ["2026-10-28T09:15:00", "2026", "2026-02-30"],
    ),
    "double": ({"0.1": "0.1"}, ["1e999", "NaN", "x"]),
    "string": ({"": "", " x ": " x "}, []),
}


def test_what_is_taken_and_what_is_refused(spark):
    cases = [
        (ddl, text, result)
        for ddl, (taken, refused) in LITERAL.items()
        for text, result in [*taken.items(), *((t, None) for t in refused)]
    ]
    frame = spark.createDataFrame(cases, "ddl string, text string, expected string")
    got = F.coalesce(
        *(
            F.when(F.col("ddl") == ddl, F.expr(from_text("text", ddl)).cast("string"))
            for ddl in LITERAL
        )
    )
    wrong = frame.withColumn("got", got).where("not (got <=> expected)").collect()
    assert wrong == []


DIGITS = st.decimals(
    allow_nan=False, allow_infinity=False, places=4, min_value=-(10**6), max_value=10**6
)


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(DIGITS, min_size=100, max_size=300))
def test_a_decimal_is_taken_exactly_when_its_digits_fit(spark, numbers):
    rows = [(format(n, "f"),) for n in numbers]
    frame = spark.createDataFrame(rows, "text string")
    cast = F.expr(from_text("text", "decimal(12,2)"))
    for text, value in frame.select("text", cast).collect():
        number = Decimal(text)
        fits = number == number.quantize(Decimal("0.01"))
        assert value == (number if fits else None)
