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
    if field.kind == "date":
        return cast.try_cast(source_type) != column if isinstance(source_type, _MOMENTS) else None
    if field.kind not in ("bigint", "decimal") or not may_fail(source_type, field):
        return None
    if isinstance(source_type, _TEXTS):
        whole = 19 if field.kind == "bigint" else _digits(spark_type(field.type))[0]
        return column.try_cast(f"decimal(38,{38 - whole})") != cast
    return cast.isNotNull() & ~cast.try_cast(source_type).eqNullSafe(column)


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
