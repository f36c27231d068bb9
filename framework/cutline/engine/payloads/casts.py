"""Casts of source columns to the types of payload fields; fields of structs are found by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context.payload import PayloadField
from cutline.errors import ConfigurationError, did_you_mean

_WHOLE: Mapping[type[T.DataType], int] = {
    T.ByteType: 3,
    T.ShortType: 5,
    T.IntegerType: 10,
    T.LongType: 19,
}
_FLOATS = (T.FloatType, T.DoubleType)
_TEXTS = (T.StringType, T.CharType, T.VarcharType)
_NUMBERS = (*_WHOLE, T.DecimalType, *_FLOATS)
_MOMENTS = (T.TimestampType, T.TimestampNTZType, T.DateType)
_BLANK = r"[\s\p{Cntrl}]*"
_DAY = r"[+-]?\d{4,7}-\d{1,2}-\d{1,2}"
_MIDNIGHT = r"[T ]0{1,2}:0{1,2}(?::0{1,2}(?:\.0*)?)? ?(?:Z|[+-]\d{1,2}(?::?\d{1,2})?)?"
_EXACT_TEXTS = {
    "date": rf"^{_BLANK}{_DAY}(?:{_MIDNIGHT})?{_BLANK}$",
    "timestamp": rf"(?s)^{_BLANK}{_DAY}[^.]*(?:\.\d{{0,6}}0*(?!\d).*)?$",
}
"""Texts that Spark reads without loss: a date has no time of day, a moment microseconds at most.

Spark would also read a time without a day, as one of the day on which it runs, and a year or a
month as its first day.
"""
_SPELLS: Mapping[str, tuple[type[T.DataType], ...]] = {
    "string": (*_TEXTS, *_WHOLE, T.DecimalType, T.BooleanType, *_MOMENTS),
    "bigint": (*_TEXTS, *_NUMBERS),
    "decimal": (*_TEXTS, *_NUMBERS),
    "boolean": (*_TEXTS, T.BooleanType),
    "timestamp": (*_TEXTS, *_MOMENTS),
    "date": (*_TEXTS, *_MOMENTS),
}


@lru_cache(maxsize=1024)
def spark_type(ddl: str) -> T.DataType:
    """The Spark type of a DDL text."""
    return T.DataType.fromDDL(ddl)


def has_field_type(source_type: T.DataType, field: PayloadField) -> bool:
    """Whether a column of this type has the field's type without a cast."""
    return source_type.simpleString() == field.type


def check_source_type(source_type: T.DataType, field: PayloadField, where: str) -> None:
    """ConfigurationError for a type that cannot be the field's source."""
    if has_field_type(source_type, field) or isinstance(source_type, T.NullType):
        return
    if field.element is not None and isinstance(source_type, T.ArrayType):
        check_source_type(source_type.elementType, field.element, f"{where}[]")
    elif field.fields and isinstance(source_type, T.StructType):
        _check_struct(source_type, field, where)
    elif not isinstance(source_type, _SPELLS.get(field.kind, ())):
        raise ConfigurationError(
            f"{where} is {field.type}, and the column given for it is {source_type.simpleString()}",
            next_step="Say in the translator how the one is made from the other.",
        )


def _check_struct(source_type: T.StructType, field: PayloadField, where: str) -> None:
    names = [f.name for f in field.fields]
    for name in source_type.names:
        if name not in names:
            raise ConfigurationError(f"{where} has no field {name!r}.{did_you_mean(name, names)}")
    for inner in field.fields:
        if inner.name in source_type.names:
            check_source_type(source_type[inner.name].dataType, inner, f"{where}.{inner.name}")
        elif not inner.nullable:
            raise ConfigurationError(
                f"{where}.{inner.name} is required but is not in the struct given for it"
            )


def cast_to_field(column: Column, source_type: T.DataType, field: PayloadField) -> Column:
    """The column in the field's type; null where a value cannot be cast."""
    if has_field_type(source_type, field):
        return column
    if field.element is not None and isinstance(source_type, T.ArrayType):
        element, kind = field.element, source_type.elementType
        return F.transform(column, lambda item: cast_to_field(item, kind, element))
    if field.fields and isinstance(source_type, T.StructType):
        struct = F.struct(*(_inner(column, source_type, f).alias(f.name) for f in field.fields))
        return F.when(column.isNotNull(), struct)
    return column.try_cast(field.type)


def _inner(column: Column, source_type: T.StructType, field: PayloadField) -> Column:
    if field.name not in source_type.names:
        return F.lit(None).cast(field.type)
    return cast_to_field(column.getField(field.name), source_type[field.name].dataType, field)


def may_fail(source_type: T.DataType, field: PayloadField) -> bool:
    """Whether the cast of a value that is not null may be null."""
    if (
        has_field_type(source_type, field)
        or isinstance(source_type, T.NullType)
        or field.kind == "string"
    ):
        return False
    if field.kind == "decimal":
        return not _fits(source_type, field)
    if field.kind == "bigint":
        return not isinstance(source_type, tuple(_WHOLE))
    return isinstance(source_type, _TEXTS)


def loses_value(
    column: Column, cast: Column, source_type: T.DataType, field: PayloadField
) -> Column | None:
    """Whether the cast has rounded or cut off something; null where the types rule that out.

    A payload never says 1.01 where the row said 1.005. What is given is compared with what the
    cast value is in its own type; text by the number that it spells.
    """
    if has_field_type(source_type, field) or isinstance(source_type, T.NullType):
        return None
    if field.kind in _EXACT_TEXTS and isinstance(source_type, _TEXTS):
        return ~column.rlike(_EXACT_TEXTS[field.kind])
    if field.kind == "date":
        return cast.try_cast(source_type) != column
    if field.kind not in ("bigint", "decimal") or not may_fail(source_type, field):
        return None
    if isinstance(source_type, _TEXTS):
        return _loses_digits(column, cast, field)
    return cast.isNotNull() & ~cast.try_cast(source_type).eqNullSafe(column)


def _loses_digits(text: Column, cast: Column, field: PayloadField) -> Column:
    """Whether a number's text has digits that its cast to the field's type has not.

    A short text is compared in the decimal that has as many digits before the point as the field;
    of any other, which that may round as well, the digits after the point are counted.
    """
    whole, places = (19, 0) if field.kind == "bigint" else _digits(spark_type(field.type))
    is_long = (F.length(text) > 38 - whole) | text.contains("e") | text.contains("E")
    wide = text.try_cast(f"decimal(38,{38 - whole})")
    return F.when(is_long, _decimal_places(text) > places).otherwise(wide != cast)


def _decimal_places(text: Column) -> Column:
    """The places after the point that a number's text needs: 2 for 1.50e-1, and 0 for any zero."""
    mantissa = F.regexp_replace(text, r"[eE].*$", "")
    digits = F.regexp_replace(mantissa, r"\D", "")
    significant = F.regexp_replace(digits, "0+$", "")
    exponent = F.regexp_extract(text, r"[eE]([+-]?\d+)", 1).try_cast("bigint")
    after_point = F.length(F.regexp_extract(mantissa, r"\.(\d*)", 1)) - F.coalesce(
        exponent, F.lit(0)
    )
    zeros = F.length(digits) - F.length(significant)
    return F.when(significant == "", F.lit(0)).otherwise(after_point - zeros)


def _fits(source_type: T.DataType, field: PayloadField) -> bool:
    """Whether every number of this type fits into a decimal field."""
    if not isinstance(source_type, (*_WHOLE, T.DecimalType)):
        return False
    whole, places = _digits(spark_type(field.type))
    of_whole, of_places = _digits(source_type)
    return of_whole <= whole and of_places <= places


def _digits(kind: T.DataType) -> tuple[int, int]:
    """Digits before and after the point."""
    if isinstance(kind, T.DecimalType):
        return kind.precision - kind.scale, kind.scale
    return _WHOLE[type(kind)], 0
