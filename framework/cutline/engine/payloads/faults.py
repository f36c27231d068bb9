"""Faults of a payload's fields, as predicates on their source columns.

A null predicate counts as false. Faults that the source's type excludes are not tested, so for most
fields the only test is whether they are null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import reduce
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context.payload import PayloadField
from cutline.context.payload.constraints import scaled
from cutline.context.payload.pattern import java_pattern
from cutline.engine.payloads.casts import cast_to_field, loses_value, may_fail

FaultPredicate = Callable[[Column], Column]

# Spark has years that neither Python nor ISO 8601 can write.
_YEARS = {
    "date": ("0001-01-01", "9999-12-31"),
    "timestamp": ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"),
}


def faults(
    field: PayloadField, source_type: T.DataType, path: str
) -> Iterator[tuple[str, FaultPredicate]]:
    """Pairs of a path and a predicate: for the field itself first, then for what is in it."""
    type_fault = _type_fault(field, source_type)
    if type_fault is not None:
        yield path, type_fault
    if field.element is not None and isinstance(source_type, T.ArrayType):
        for inner, wrong in faults(field.element, source_type.elementType, f"{path}[]"):
            yield inner, _in_some(wrong)
    if isinstance(source_type, T.StructType):
        for part in field.fields:
            if part.name in source_type.names:
                kind = source_type[part.name].dataType
                for inner, wrong in faults(part, kind, f"{path}.{part.name}"):
                    yield inner, _in_part(wrong, part.name, field.nullable)


def _in_some(wrong: FaultPredicate) -> FaultPredicate:
    return lambda array: F.exists(array, wrong)


def _in_part(wrong: FaultPredicate, name: str, nullable: bool) -> FaultPredicate:
    """The fault of a field of a struct. A struct that may be null has no faults if it is."""
    if not nullable:
        return lambda struct: wrong(struct.getField(name))
    return lambda struct: struct.isNotNull() & wrong(struct.getField(name))


def _type_fault(field: PayloadField, source_type: T.DataType) -> FaultPredicate | None:
    """The predicate on the value itself; None if the value has no possible fault."""
    simple = field.element is None and not field.fields

    def tests(column: Column) -> Iterator[Column]:
        cast = cast_to_field(column, source_type, field) if simple else column
        if not field.nullable:
            yield cast.isNull()
        elif simple and may_fail(source_type, field):
            yield column.isNotNull() & cast.isNull()
        if simple and (lost := loses_value(column, cast, source_type, field)) is not None:
            yield lost
        if field.kind in _YEARS:
            first, last = (F.lit(day).cast(field.type) for day in _YEARS[field.kind])
            yield (cast < first) | (cast > last)
        if _may_be_no_text(field, source_type):
            yield ~F.is_valid_utf8(cast)
        if field.choices and not (field.kind == "boolean" and len(set(field.choices)) == 2):
            yield ~cast.isin(list(dict.fromkeys(field.choices)))
        for name, bound in field.bounds:
            broken = _broken(field, cast, name, bound)
            if broken is not None:
                yield broken

    def wrong(column: Column) -> Column:
        conditions = list(tests(column))
        return reduce(Column.__or__, conditions) if conditions else F.lit(False)

    asks = not field.nullable or field.choices or field.bounds or field.kind in _YEARS
    asks = asks or _may_be_no_text(field, source_type) or (simple and may_fail(source_type, field))
    return wrong if asks else None


def _may_be_no_text(field: PayloadField, source_type: T.DataType) -> bool:
    """Whether a text may have bytes that are no UTF-8: Spark accepts them, JSON does not."""
    return field.kind == "string" and not field.choices and isinstance(source_type, T.StringType)


def _broken(field: PayloadField, value: Column, name: str, bound: Any) -> Column | None:
    """Whether a value breaks a bound; None if no value of the type does."""
    if name in ("min_length", "max_length"):
        size = F.array_size(value) if field.kind == "array" else F.length(value)
        if name == "min_length":
            return size < F.lit(bound) if bound > 0 else None
        return size > F.lit(bound)
    if name == "pattern":
        return ~value.rlike(java_pattern(bound))
    if name == "multiple_of":
        return (value % F.lit(bound)) != F.lit(0)
    limit = _limit(field, name, bound)
    if limit is None:
        return None
    compare = {"ge": value < limit, "gt": value <= limit, "le": value > limit, "lt": value >= limit}
    return compare[name]


def _limit(field: PayloadField, name: str, bound: Any) -> Column | None:
    if field.kind == "decimal":
        at = scaled(field.name, field.type, name, Decimal(bound))
        return None if at is None else F.lit(f"{at:f}").cast(field.type)
    if field.kind in _YEARS:
        return F.lit(bound.isoformat()).cast(field.type)
    return F.lit(bound)
