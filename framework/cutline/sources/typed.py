"""From what a source holds to the contract's types: exactly, or not at all."""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError

_DATE = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6}0*)?)?"
_ZONE = r" ?(?:Z|[+-]\d{2}(?::?\d{2})?)"
_MOMENT = rf"^\s*{_DATE}{_CLOCK}(?:{_ZONE})?\s*$"
_LOCAL_MOMENT = rf"^\s*{_DATE}{_CLOCK}\s*$"
_DAY = rf"^\s*{_DATE}(?:[T ]00:00(?::00(?:\.0+)?)?)?\s*$"
_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_READABLE = {
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


def from_text(value: Column, ddl: str) -> Column:
    """The value of type `ddl` that a text spells, else null.

    Null also where the type would lose something: a fraction finer than the decimal or than
    microseconds, a time of day under a date, a bare date under a timestamp, a number out of range.
    A timestamp without a zone is UTC.
    """
    kind = T.DataType.fromDDL(ddl)
    cast = value.try_cast(ddl)
    match kind:
        case T.StringType():
            return value
        case T.BooleanType() | T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return cast
        case T.DecimalType():
            return F.when(_spells_no_more(value, cast, kind), cast)
        case T.DoubleType() | T.FloatType():
            return F.when(~F.isnan(cast) & (F.abs(cast) != F.lit(float("inf"))), cast)
        case T.TimestampType():
            return F.when(value.rlike(_MOMENT), cast)
        case T.TimestampNTZType():
            return F.when(value.rlike(_LOCAL_MOMENT), cast)
        case T.DateType():
            return F.when(value.rlike(_DAY), cast)
        case _:
            raise ConfigurationError(f"type {ddl} cannot be read from text")


def readable_from_text(ddl: str) -> bool:
    """Whether `from_text` knows the type; told by its name, so that no session is needed."""
    return ddl.partition("(")[0].strip().lower() in _READABLE


def from_value(value: Column, source: T.DataType, ddl: str) -> Column:
    """The value of another type, where casting it back gives what was there; else null."""
    kind = T.DataType.fromDDL(ddl)
    if isinstance(source, T.StringType):
        return from_text(value, ddl) if readable_from_text(ddl) else value.try_cast(ddl)
    if source == kind:
        return value
    if isinstance(source, T.DateType) and isinstance(kind, T.TimestampType | T.TimestampNTZType):
        return F.lit(None).cast(ddl)
    cast = value.try_cast(ddl)
    if isinstance(kind, T.StringType):
        return F.when(F.is_valid_utf8(cast), cast) if isinstance(source, T.BinaryType) else cast
    back = cast.try_cast(source.simpleString())
    return F.when(back == value, cast)


def _spells_no_more(text: Column, cast: Column, kind: T.DecimalType) -> Column:
    """Whether a decimal holds every digit of the text; Spark's cast rounds what is too fine."""
    finer = text.rlike(rf"\.\d{{{kind.scale}}}\d*[1-9]")
    widest = T.DecimalType(38, 38 - (kind.precision - kind.scale)).simpleString()
    same = (text.try_cast(widest) == cast) & (text.try_cast("double") == cast.cast("double"))
    return F.when(text.rlike("[eE]"), same).otherwise(~finer)


def quoted(name: str) -> str:
    """A column's name as Spark SQL takes it whatever is in it."""
    return "`" + re.sub("`", "``", name) + "`"
