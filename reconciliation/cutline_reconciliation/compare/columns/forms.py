"""The common form of a column's two types, in which its values are compared.

The rules: null equals null and nothing else. Whole numbers and decimals are compared exactly, at
any size, and 1.10 equals 1.1. Floating point equals floating point only: NaN equals NaN, and -0.0
equals 0.0, because they are the same number. Timestamps are instants; one without a zone is another
type, unless a zone is declared. Texts and binaries are equal byte by byte: no trimming, no case, no
Unicode form. Arrays are lists, maps have no order; structs go field by field, by name, and a null
struct is not a struct of nulls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.columns.numbers import (
    MAX_DIGITS,
    digits,
    is_floating,
    plain_digits,
)

Conversion = Callable[[Column], Column]


@dataclass(frozen=True)
class CommonForm:
    """The conversion of both sides' values to one type without loss.

    Two values are the same if their conversions are equal, or both null.
    """

    left: Conversion
    """The left side's value in `type`."""
    right: Conversion
    """The right side's value in `type`."""
    type: T.DataType
    """The type of both; maps are arrays of their entries, sorted by key."""


def common_form(
    name: str, left: T.DataType, right: T.DataType, column: str | None = None
) -> CommonForm:
    """The common form of two types. ConfigurationError, naming the column, if there is none.

    `name` is that of a part of `column`, or that of the column itself.

    Whole numbers and decimals are converted to decimals, or to digits where no decimal is wide
    enough.
    """
    if isinstance(left, T.NullType) or isinstance(right, T.NullType):
        return _with_nothing(name, left, right, column or name)
    if digits(left) is not None and digits(right) is not None:
        return _numbers(left, right)
    if is_floating(left) and is_floating(right):
        return CommonForm(_double, _double, T.DoubleType())
    if isinstance(left, T.ArrayType) and isinstance(right, T.ArrayType):
        return _arrays(name, left, right, column or name)
    if isinstance(left, T.StructType) and isinstance(right, T.StructType):
        return _structs(name, left, right, column or name)
    if isinstance(left, T.MapType) and isinstance(right, T.MapType):
        return _maps(name, left, right, column or name)
    if isinstance(left, T.StringType) and isinstance(right, T.StringType):
        # Byte by byte, whatever order or case a collation has.
        return CommonForm(_cast(left, T.StringType()), _cast(right, T.StringType()), T.StringType())
    if left.simpleString() != right.simpleString() or isinstance(left, T.VariantType):
        raise _unlike_types(name, left, right, column or name)
    return CommonForm(_as_is, _as_is, left)


def _as_is(value: Column) -> Column:
    return value


def _double(value: Column) -> Column:
    double = value.cast("double")
    return F.when(double == 0, F.lit(0.0)).otherwise(double)


def _with_nothing(name: str, left: T.DataType, right: T.DataType, column: str) -> CommonForm:
    """The form where one side is the type of null alone."""
    kind = right if isinstance(left, T.NullType) else left
    inner = (
        CommonForm(_as_is, _as_is, kind)
        if isinstance(kind, T.NullType)
        else common_form(name, kind, kind, column)
    )

    def typed(value: Column) -> Column:
        return value.cast(inner.type)

    return CommonForm(typed, inner.right, inner.type) if kind is right else CommonForm(
        inner.left, typed, inner.type
    )  # fmt: skip


def _numbers(left: T.DataType, right: T.DataType) -> CommonForm:
    sides = digits(left), digits(right)
    assert sides[0] is not None
    assert sides[1] is not None
    if not isinstance(left, T.DecimalType) and not isinstance(right, T.DecimalType):
        wider = left if sides[0].whole >= sides[1].whole else right
        return CommonForm(_cast(left, wider), _cast(right, wider), wider)
    common = sides[0].widened_by(sides[1])
    if common.whole + common.scale > MAX_DIGITS:
        return CommonForm(plain_digits, plain_digits, T.StringType())
    kind = T.DecimalType(common.whole + common.scale, common.scale)
    return CommonForm(_cast(left, kind), _cast(right, kind), kind)


def _cast(kind: T.DataType, to: T.DataType) -> Conversion:
    return _as_is if kind == to else lambda value: value.cast(to)


def _arrays(name: str, left: T.ArrayType, right: T.ArrayType, column: str) -> CommonForm:
    inner = common_form(f"{name}[]", left.elementType, right.elementType, column)

    def each(make: Conversion) -> Conversion:
        return _as_is if make is _as_is else lambda value: F.transform(value, make)

    return CommonForm(each(inner.left), each(inner.right), T.ArrayType(inner.type))


def _structs(name: str, left: T.StructType, right: T.StructType, column: str) -> CommonForm:
    for field in {*left.names} ^ {*right.names}:
        side = "left" if field in left.names else "right"
        raise ConfigurationError(
            f"column {name} has a field {field} on the {side} side only: its types cannot be "
            "compared",
            next_step="Compute a column of the fields to compare on each side, or ignore it.",
        )
    fields = {
        n: common_form(f"{name}.{n}", left[n].dataType, right[n].dataType, column)
        for n in left.names
    }

    def make(side: str, kind: T.StructType) -> Conversion:
        makes = {n: getattr(one, side) for n, one in fields.items()}
        if kind.names == left.names and all(m is _as_is for m in makes.values()):
            return _as_is
        # A null struct is not a struct of nulls.
        return lambda value: F.when(
            value.isNotNull(),
            F.struct(*(m(value.getField(n)).alias(n) for n, m in makes.items())),
        )

    kind = T.StructType([T.StructField(n, one.type) for n, one in fields.items()])
    return CommonForm(make("left", left), make("right", right), kind)


def _maps(name: str, left: T.MapType, right: T.MapType, column: str) -> CommonForm:
    keys = common_form(f"{name}, its keys", left.keyType, right.keyType, column)
    values = common_form(f"{name}, its values", left.valueType, right.valueType, column)

    def entries(key: Conversion, value: Conversion) -> Conversion:
        def entry(e: Column) -> Column:
            return F.struct(key(e["key"]).alias("key"), value(e["value"]).alias("value"))

        return lambda a_map: F.array_sort(F.transform(F.map_entries(a_map), entry))

    entry = T.StructType([T.StructField("key", keys.type), T.StructField("value", values.type)])
    return CommonForm(
        entries(keys.left, values.left), entries(keys.right, values.right), T.ArrayType(entry)
    )


def _unlike_types(
    name: str, left: T.DataType, right: T.DataType, column: str
) -> ConfigurationError:
    if isinstance(left, T.VariantType) and isinstance(right, T.VariantType):
        return ConfigurationError(
            f"column {name} is variant, which cannot be compared exactly",
            next_step="Compute a column of a type from it on each side, or ignore it.",
        )
    texts = [isinstance(kind, T.StringType) for kind in (left, right)]
    if any(texts) and any(isinstance(k, (T.NumericType, T.BooleanType)) for k in (left, right)):
        typed = next(k for k, text in zip((left, right), texts, strict=True) if not text)
        no_such_type = "no boolean" if isinstance(typed, T.BooleanType) else "no number"
        return ConfigurationError(
            f"column {name} is {left.simpleString()} on the left and {right.simpleString()} on the "
            f"right: a text is {no_such_type}, whatever it spells",
            next_step=f"Cast one of them with rule `compute`, say with rule `map` what stands for "
            f"what, or compare how they are written: --as-text {column}.",
        )
    zoned = {type(left), type(right)} == {T.TimestampType, T.TimestampNTZType}
    return ConfigurationError(
        f"column {name} is {left.simpleString()} on the left and {right.simpleString()} on the "
        "right, which cannot be compared exactly",
        next_step="Say with rule `zone` in which zone its times are."
        if zoned
        else "Cast one of them to the type of the other: with rule `compute`, for a whole table.",
    )
