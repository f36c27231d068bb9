"""Texts of numbers in floating point: the value, where it is the number that the text says."""

from __future__ import annotations

from pyspark.sql import types as T

from cutline.spark.number_text import NUMBER, canonical_sql
from cutline.sql.spark import let

_WHOLE = r"^-?\d{1,38}$"
_DIGITS: dict[type[T.DataType], tuple[int, int]] = {T.DoubleType: (15, 17), T.FloatType: (6, 9)}
"""How many decimal digits the type always keeps, and how many distinguish all its values."""
_FIRST_WITHOUT_FRACTION = 2**52
_SMALL: dict[type[T.DataType], tuple[str, int]] = {
    T.DoubleType: ("double('2.2250738585072014e-308')", 320),
    T.FloatType: ("double('1.1754943508222875e-38')", 0),
}
"""Below what the type keeps fewer digits, and the exponent of ten that brings such values to where
a double keeps all of them."""


def double_sql(text: str, kind: T.DoubleType | T.FloatType) -> str:
    """SQL for the value of type `kind` that the text, itself SQL, spells; null where it has none.

    A text is what is written of a value: rounded to as many digits as the text has, without zeros
    at its end, the value is the number. A fraction has 17 digits at most, 9 of a float. NaN,
    infinities and a number out of range are none, and only zero is zero.
    """
    read = f"try_cast({text} AS {kind.simpleString()})"
    mantissa = f"regexp_replace({text}, r'[eE].*$', '')"
    written = rf"length(regexp_replace({mantissa}, r'^[^1-9]+|\D', ''))"
    certain, _ = _DIGITS[type(kind)]
    # Most texts have few digits, which need no second look.
    smallest, _ = _SMALL[type(kind)]
    is_certain = (
        f"{written} <= {certain} AND (abs({read}) >= {smallest} OR {mantissa} NOT RLIKE '[1-9]')"
    )
    looked_at = let("t", text, _is_held("t", f"try_cast(t AS {kind.simpleString()})", kind))
    number = (
        f"{text} RLIKE r'{NUMBER}' AND abs({read}) <> double('Infinity')"
        f" AND CASE WHEN {is_certain} THEN true ELSE {looked_at} END"
    )
    return f"CASE WHEN {number} THEN {read} END"


def _is_held(text: str, read: str, kind: T.DoubleType | T.FloatType) -> str:
    """SQL for whether the value `read` of a text of many digits is the number that it says."""
    _, distinct = _DIGITS[type(kind)]
    digits = "length(trim(BOTH '0' FROM regexp_replace(regexp_replace(c, 'e.*$', ''), r'\\D', '')))"
    few = f"{digits} <= {distinct}"
    if isinstance(kind, T.FloatType):
        few = f"({few} OR CAST({read} AS double) = try_cast({text} AS double))"
    has_fraction = f"contains(c, '.') AND abs({read}) >= {_FIRST_WITHOUT_FRACTION}"
    is_held = (
        f"CASE WHEN c RLIKE r'{_WHOLE}' THEN {_is_whole(read)}"
        f" WHEN {has_fraction} THEN false"
        f" ELSE {few} AND (c = '0' OR {_is_near(read, kind)}) END"
    )
    return let("c", canonical_sql(text), is_held)


def _is_near(read: str, kind: T.DoubleType | T.FloatType) -> str:
    """SQL for whether `read`, rounded to as many digits as `c` has, is `c`. Only the smallest
    values need a look: of others the type keeps the digits."""
    smallest, shift = _SMALL[type(kind)]
    mantissa = "regexp_replace(c, 'e.*$', '')"
    digits = rf"ltrim('0', regexp_replace({mantissa}, r'\D', ''))"
    exponent = r"coalesce(try_cast(regexp_extract(c, r'e(-?\d+)$', 1) AS int), 0)"
    last = rf"({exponent} - length(regexp_extract({mantissa}, r'\.(\d+)', 1)) + {shift})"
    value = f"(CAST(abs({read}) AS double) * 1e{shift // 2}D * 1e{shift // 2}D)"
    off = f"abs(try_cast(concat({digits}, 'e', {last}) AS double) - {value})"
    near = f"{off} <= 0.5D * pow(10D, {last}) + 1e-15D * {value}"
    return f"(abs({read}) >= {smallest} OR ({read} <> 0 AND {near}))"


def _is_whole(read: str) -> str:
    """SQL for whether `read` is the whole number `c`, whose zeros at the end stay open: 1.5e22
    is written of what is nearer to it than to 1.6e22.
    """
    digits = "ltrim('-', c)"
    zeros = f"(length({digits}) - length(rtrim('0', {digits})))"
    half = f"CAST(CASE WHEN {zeros} = 0 THEN '0' ELSE rpad('5', {zeros}, '0') END AS decimal(38,0))"
    off = f"abs({_exact(f'CAST(abs({read}) AS double)')} - CAST({digits} AS decimal(38,0)))"
    return f"{off} <= {half}"


def _exact(double: str) -> str:
    """SQL for a whole number of floating point, from 0 to 2^127, as a decimal: to the last digit,
    where Spark's cast gives the digits of its shortest text. Three parts, each of which is exact.
    """
    high = f"floor({double} / {2**64}D)"
    rest = f"({double} - CAST({high} AS double) * {2**64}D)"
    middle = f"floor({rest} / {2**32}D)"
    low = f"CAST({rest} - CAST({middle} AS double) * {2**32}D AS bigint)"
    return (
        f"(CAST({high} AS decimal(19,0)) * CAST({2**64} AS decimal(20,0))"
        f" + CAST({middle} AS decimal(19,0)) * CAST({2**32} AS decimal(19,0))"
        f" + CAST({low} AS decimal(19,0)))"
    )
