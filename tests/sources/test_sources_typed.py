"""From text to a type: exactly, or not at all."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

from cutline.sources.exact_cast import cast_text, cast_value

# type, what is taken (text -> as text), what is refused
LITERAL = {
    "bigint": (
        {"7": "7", " 7 ": "7", "-9223372036854775808": "-9223372036854775808"},
        ["1.5", "1.0", "9223372036854775808", "1e3", "", "seven", "7L", "0x7", "\x007", "٧"],
    ),
    "int": ({"2147483647": "2147483647"}, ["2147483648"]),
    "decimal(12,2)": (
        {
            "1.5": "1.50",
            "1.500": "1.50",
            "-0.01": "-0.01",
            "1.5e1": "15.00",
            "7": "7.00",
            "-15000e-3": "-15.00",
            "0.0e-400": "0.00",
            " 1.230e1 ": "12.30",
        },
        [
            *["1.005", "0.001", "12345678901", "1e-3", "1,5", "", "5d", "１", "1_0", "NaN"],
            *["1e-400", "1.00000000000000000001e0", "1e99999999999", "1e-99999999999", "1e10"],
        ],
    ),
    "decimal(38,0)": ({"15e-1": None, "3": "3"}, ["1.5", "1e-30", "1e-400"]),
    "boolean": ({"1": "true", "0": "false", "true": "true"}, ["2", "ja", "true\x00"]),
    "timestamp": (
        {
            "2026-10-28T09:15:00Z": "2026-10-28 09:15:00",
            "2026-10-28 09:15:00": "2026-10-28 09:15:00",
            "2026-10-28T09:15:00.123456+01:00": "2026-10-28 08:15:00.123456",
            "2026-10-28T09:15Z": "2026-10-28 09:15:00",
            "2026-10-28 09:15+05:30": "2026-10-28 03:45:00",
            "2026-10-28T09:15": "2026-10-28 09:15:00",
        },
        [
            "2026-10-28T09:75Z",
            "2026-10-28",
            "09:15",
            "2026",
            "2026-10-28T09:15:00.1234567Z",
            "2026-02-30T00:00:00Z",
        ],
    ),
    "date": (
        {"2026-10-28": "2026-10-28", "2026-10-28 00:00:00": "2026-10-28"},
        ["2026-10-28T09:15:00", "2026", "2026-02-30"],
    ),
    "double": (
        {
            "0.1": "0.1",
            "5.": "5.0",
            ".5": "0.5",
            "+1e3": "1000.0",
            "0.10000000000000001": "0.1",
            "1.500000000000000000000": "1.5",
            "9007199254740992": "9.007199254740992E15",
            "-9007199254740994.0": "-9.007199254740994E15",
            "1.5e22": "1.5E22",
            "-0": "-0.0",
            "0e-400": "0.0",
            "4.9e-324": "4.9E-324",
        },
        [
            "9007199254740993",
            "-9007199254740993.0",
            "9007199254740993e0",
            "123456789012345678901",
            "0.1000000000000000000001",
            "0.1000000000000000055511151231257827",
            "3e-324",
            "1e999",
            "1e-999",
            "NaN",
            "x",
            "12f",
            "5D",
            "0x1p3",
            "1e5d",
            "Infinity",
            "-inf",
            "\x005",
            ".",
        ],
    ),
    "float": (
        {
            "0.5": "0.5",
            "0.1": "0.1",
            "0.10000000149011612": "0.1",
            "16777216": "1.6777216E7",
        },
        ["12f", "0x1p3", "1e99", "1e-60", "NaN", "16777217", "16777217.0", "0.1234567891"],
    ),
    "string": ({"": "", " x ": " x "}, []),
}


def test_what_is_taken_and_what_is_refused(spark):
    cases = [
        (ddl, text, result)
        for ddl, (taken, refused) in LITERAL.items()
        for text, result in [*taken.items(), *((t, None) for t in refused)]
    ]
    frame = spark.createDataFrame(cases, "ddl string, text string, expected string")
    cast = F.coalesce(
        *(
            F.when(F.col("ddl") == ddl, F.expr(cast_text("text", ddl)).cast("string"))
            for ddl in LITERAL
        )
    )
    wrong = frame.withColumn("got", cast).where("not (got <=> expected)").collect()
    assert wrong == []


# a value, the type that a contract has for it -> as text; null where it is of another kind
TYPED = [
    ("2461041.9D", "timestamp", None),
    ("1767261600", "timestamp", None),
    ("1767261600", "date", None),
    ("true", "timestamp", None),
    ("true", "decimal(12,2)", None),
    ("true", "int", None),
    ("true", "string", "true"),
    ("timestamp'2026-01-01 10:00:00'", "decimal(12,2)", None),
    ("timestamp'2026-01-01 10:00:00'", "bigint", None),
    ("timestamp'2026-01-01 10:00:00'", "date", None),
    ("timestamp'2026-01-01 00:00:00'", "date", "2026-01-01"),
    ("timestamp_ntz'2026-01-01 10:00:00'", "timestamp", "2026-01-01 10:00:00"),
    ("date'2026-01-01'", "timestamp", None),
    ("date'2026-01-01'", "int", None),
    ("X'31'", "int", None),
    ("X'31'", "string", "1"),
    ("1", "boolean", "true"),
    ("2", "boolean", None),
    ("7.00BD", "int", "7"),
    ("9007199254740992", "double", "9.007199254740992E15"),
    ("9007199254740993", "double", None),
    ("9223372036854775807", "double", None),
    ("-9223372036854775808", "double", "-9.223372036854776E18"),
    ("16777217", "float", None),
    ("2147483647", "float", None),
    ("2147483647", "double", "2.147483647E9"),
    ("0.1D", "float", None),
    ("1.10BD", "double", "1.1"),
    ("0.1000000000000000000001BD", "double", None),
    ("array(true)", "array<int>", None),
    ("array(1767261600)", "array<timestamp>", None),
    ("array(1, 2)", "array<bigint>", "[1, 2]"),
    ("array('1')", "array<int>", "[1]"),
    ("named_struct('b', 1, 'a', 2)", "struct<a int, b int>", None),
    ("named_struct('a', true)", "struct<a: int>", None),
    ("named_struct('a', 1, 'b', 2)", "struct<a: bigint, b: int>", "{1, 2}"),
]


def test_a_value_is_cast_to_a_type_of_its_kind_only(spark):
    values = ", ".join(f"{value} AS v{i}" for i, (value, *_) in enumerate(TYPED))
    frame = spark.sql(f"SELECT {values}")
    casts = [
        F.expr(cast_value(f"v{i}", frame.schema[f"v{i}"].dataType, ddl)).cast("string")
        for i, (_, ddl, _) in enumerate(TYPED)
    ]
    (row,) = frame.select(*casts).collect()
    pairs = zip(TYPED, row, strict=True)
    assert [case for case, got in pairs if case[2] != got] == []


DIGITS = st.decimals(
    allow_nan=False, allow_infinity=False, places=4, min_value=-(10**6), max_value=10**6
)


def is_decimal_notation(text: str) -> bool:
    """By a grammar written out: blanks, a sign, digits with a point among them, an exponent."""
    rest = text.strip(" \t\n\r\f\v")
    rest = rest[1:] if rest[:1] in ("+", "-") else rest
    mantissa, e, exponent = rest.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    if e and not _digits(exponent[1:] if exponent[:1] in ("+", "-") else exponent):
        return False
    return _digits(digits) and (mantissa == digits or mantissa.count(".") == 1)


def _digits(text: str) -> bool:
    return bool(text) and all(c in "0123456789" for c in text)


SPELLINGS = st.one_of(
    st.text("0123456789+-.eEdDfFlLxXpP_ ,\x00\u00a0\u0665\uff15", min_size=1, max_size=6),
    st.from_regex(r"\A ?[+-]?\d{1,4}(\.\d{0,3})?([eE][+-]?\d)?[dDfFL ]?\Z"),
    st.sampled_from(["NaN", "nan", "inf", "Infinity", "-Infinity", "0x1p3", "0x10", "true"]),
)
KINDS = ("bigint", "decimal(38,12)", "double", "float")


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(SPELLINGS, min_size=100, max_size=300))
def test_only_decimal_notation_is_a_number(spark, texts):
    frame = spark.createDataFrame([(t,) for t in texts], "text string")
    for text, *values in frame.select(
        "text", *(F.expr(cast_text("text", k)) for k in KINDS)
    ).collect():
        if not is_decimal_notation(text):
            assert values == [None] * len(KINDS), text
        else:
            number = float(text)
            is_lost = number == 0 and any(c in "123456789" for c in text.lower().split("e")[0])
            assert values[2] == (None if is_lost else number), text


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(DIGITS, min_size=100, max_size=300))
def test_a_decimal_is_taken_exactly_when_its_digits_fit(spark, numbers):
    rows = [(format(n, "f"),) for n in numbers]
    frame = spark.createDataFrame(rows, "text string")
    cast = F.expr(cast_text("text", "decimal(12,2)"))
    for text, value in frame.select("text", cast).collect():
        number = Decimal(text)
        fits = number == number.quantize(Decimal("0.01"))
        assert value == (number if fits else None)
