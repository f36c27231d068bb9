"""Casts to the contract's types, as SQL: exact, or null."""

from __future__ import annotations

from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.spark.double_text import double_sql
from cutline.spark.number_text import NUMBER

_DATE = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6}0*)?)?"
_WORD = r"^\s*[A-Za-z0-9]+\s*$"
_MINUTES = r"[T ]\d{2}:\d{2}"
_ZONE = r" ?(?:Z|[+-]\d{2}(?::?\d{2})?)"
_MOMENT = rf"^\s*{_DATE}{_CLOCK}(?:{_ZONE})?\s*$"
_LOCAL_MOMENT = rf"^\s*{_DATE}{_CLOCK}\s*$"
_DAY = rf"^\s*{_DATE}(?:[T ]00:00(?::00(?:\.0+)?)?)?\s*$"
_BITS: dict[type[T.DataType], int] = {T.IntegerType: 32, T.LongType: 64}
_CASTABLE = {
    "string",
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "decimal",
    "double",
    "float",
    "timestamp",
    "timestamp_ntz",
    "date",
}


def cast_text(value: str, ddl: str) -> str:
    """SQL for the value of type `ddl` that the text `value`, itself SQL, spells, else null.

    Also null where the type would lose something: a fraction finer than the decimal or than
    microseconds, a digit that floating point does not keep, a time of day in a date, a number out
    of range; and for a timestamp without a time of day. A number must match NUMBER, which is
    stricter than Java's parser. A timestamp without a zone is UTC.
    """
    kind = T.DataType.fromDDL(ddl)
    cast = f"try_cast({value} AS {ddl})"
    match kind:
        case T.StringType():
            return value
        case T.BooleanType():
            return f"CASE WHEN {value} RLIKE r'{_WORD}' THEN {cast} END"
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return f"CASE WHEN {_is_number(value)} THEN {cast} END"
        case T.DecimalType():
            exact = _loses_no_digit(value, kind)
            return f"CASE WHEN {_is_number(value)} AND {exact} THEN {cast} END"
        case T.DoubleType() | T.FloatType():
            return double_sql(value, kind)
        case T.TimestampType():
            return f"CASE WHEN {value} RLIKE r'{_MOMENT}' THEN {_with_seconds(value, cast)} END"
        case T.TimestampNTZType():
            return f"CASE WHEN {value} RLIKE r'{_LOCAL_MOMENT}' THEN {cast} END"
        case T.DateType():
            return f"CASE WHEN {value} RLIKE r'{_DAY}' THEN {cast} END"
        case _:
            raise ConfigurationError(f"type {ddl} cannot be read from text")


def _with_seconds(value: str, cast: str) -> str:
    """SQL for a moment, also of a text with a zone and without seconds, which Spark casts only
    without a zone: Java writes whole minutes so, `2026-03-01T10:00Z`."""
    completed = rf"regexp_replace({value}, r'({_MINUTES})(?={_ZONE}\s*$)', '$1:00')"
    return f"coalesce({cast}, try_cast({completed} AS timestamp))"


def castable_from_text(ddl: str) -> bool:
    """Whether `cast_text` supports the type; decided by its name, so that no session is needed."""
    return ddl.partition("(")[0].strip().lower() in _CASTABLE


def cast_value(value: str, source: T.DataType, ddl: str) -> str:
    """SQL for the value of type `source` cast to `ddl`; null where casting it back gives another
    value, and where the types are of unlike kinds: a number is no time, and a boolean no number.
    """
    kind = T.DataType.fromDDL(ddl)
    cast = f"try_cast({value} AS {ddl})"
    if isinstance(source, T.StringType):
        return cast_text(value, ddl) if castable_from_text(ddl) else cast
    if source == kind:
        return value
    if not _may_hold(kind, source):
        return f"CAST(NULL AS {ddl})"
    if isinstance(kind, T.StringType):
        if isinstance(source, T.BinaryType):
            return f"CASE WHEN is_valid_utf8({cast}) THEN {cast} END"
        return cast
    exact = f"try_cast({cast} AS {source.simpleString()}) = {value}"
    if isinstance(kind, T.DoubleType | T.FloatType) and type(source) in _BITS:
        # The type's largest whole number is rounded up, and cast back it is the largest again.
        exact += f" AND {cast} < {2 ** (_BITS[type(source)] - 1)}D"
    return f"CASE WHEN {exact} THEN {cast} END"


def _may_hold(kind: T.DataType, source: T.DataType) -> bool:
    """Whether a value of type `source` can be one of `kind`, apart from its size.

    Spark also casts numbers to times, by seconds since 1970, and fields of structs by their place.
    A date is no timestamp, for it has no time of day. 0 and 1 may be booleans.
    """
    match source, kind:
        case _, T.StringType():
            return True
        case T.StringType(), _:
            return castable_from_text(kind.simpleString())
        case T.NumericType(), T.NumericType() | T.BooleanType():
            return True
        case T.TimestampType() | T.TimestampNTZType(), T.DateType() | T.TimestampType():
            return True
        case T.TimestampType(), T.TimestampNTZType():
            return True
        case T.ArrayType(), T.ArrayType():
            return _may_hold(kind.elementType, source.elementType)
        case T.StructType(), T.StructType():
            names = [[field.name.lower() for field in one.fields] for one in (source, kind)]
            parts = zip(source.fields, kind.fields, strict=False)
            return names[0] == names[1] and all(_may_hold(k.dataType, s.dataType) for s, k in parts)
        case _:
            return source == kind


def _is_number(text: str) -> str:
    return f"{text} RLIKE r'{NUMBER}'"


def _loses_no_digit(text: str, kind: T.DecimalType) -> str:
    """SQL for whether the decimal keeps every digit of the text; Spark's cast rounds finer
    fractions.
    """
    finer = rf"{text} RLIKE r'\.\d{{{kind.scale}}}\d*[1-9]'"
    return f"CASE WHEN {text} RLIKE '[eE]' THEN {_exponent_fits(text, kind)} ELSE NOT {finer} END"


def _exponent_fits(text: str, kind: T.DecimalType) -> str:
    """SQL for whether the last digit of a number with an exponent, zeros left out, has a place in
    the decimal: 1500e-2 has one without any decimal places, 15e-1 in one."""
    mantissa = f"regexp_replace({text}, r'[eE].*$', '')"
    digits = rf"regexp_replace({mantissa}, r'\D', '')"
    fraction = rf"length(regexp_extract({mantissa}, r'\.(\d*)', 1))"
    exponent = rf"try_cast(regexp_extract({text}, r'[eE]([+-]?\d+)', 1) AS int)"
    zeros = f"length({digits}) - length(rtrim('0', {digits}))"
    return (
        f"(rtrim('0', {digits}) = ''"
        f" OR CAST({fraction} AS bigint) - {exponent} - ({zeros}) <= {kind.scale})"
    )
