"""What may be wrong with a payload's fields, as predicates on what is given for them.

A predicate may be null where nothing is there; it counts as false. What a type rules out is not
asked, so most fields ask nothing but whether they are null.
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

# Spark reckons with years that neither Python nor ISO 8601 can write.
_YEARS = {
    "date": ("0001-01-01", "9999-12-31"),
    "timestamp": ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"),
}


def faults(
    field: PayloadField, source_type: T.DataType, path: str
) -> Iterator[tuple[str, FaultPredicate]]:
    """Paths and what is wrong there: of the field itself first, then of what is in it, by name."""
    own = _own(field, source_type)
    if own is not None:
        yield path, own
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
    return lambda given: F.exists(given, wrong)


def _in_part(wrong: FaultPredicate, name: str, nullable: bool) -> FaultPredicate:
    """Where the whole is missing and must not be, that is the fault; where it may be, none is."""
    if not nullable:
        return lambda given: wrong(given.getField(name))
    return lambda given: given.isNotNull() & wrong(given.getField(name))


def _own(field: PayloadField, source_type: T.DataType) -> FaultPredicate | None:
    """What is wrong with the value itself; null where nothing can be."""
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
    """Whether the bytes of a text may be no UTF-8, which Spark lets in and JSON does not."""
    return field.kind == "string" and not field.choices and isinstance(source_type, T.StringType)


def _broken(field: PayloadField, value: Column, name: str, bound: Any) -> Column | None:
    """Whether a value is beyond a bound; null where no value of the type is."""
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
