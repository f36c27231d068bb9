"""Which columns of one key's two rows are not the same."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare import classes, values
from cutline_reconciliation.compare.tolerance import Tolerance, within

_TYPE = f"array<struct<column:string,class:string,left:string,right:string,amount:{values.AMOUNT}>>"


def differences(schema: T.StructType, columns: Mapping[str, Tolerance | None]) -> Column:
    """An array with one struct per column that differs between structs `left` and `right`."""
    sides = _fields(schema, "left"), _fields(schema, "right")
    found = [
        _difference(name, tolerance, sides[0][name], sides[1][name])
        for name, tolerance in columns.items()
    ]
    return F.filter(F.array(*found), lambda d: d.isNotNull()).cast(_TYPE) if found else _none()


def _none() -> Column:
    return F.array().cast(_TYPE)


def _difference(
    name: str, tolerance: Tolerance | None, left_type: T.DataType, right_type: T.DataType
) -> Column:
    left, right = F.col("left").getField(name), F.col("right").getField(name)
    kind = F.lit(classes.CHANGED)
    if tolerance is not None:
        near = within(name, tolerance, left, left_type, right, right_type)
        kind = F.when(near, classes.WITHIN_TOLERANCE).otherwise(classes.CHANGED)
    equal = values.same(name, left, left_type, right, right_type)
    return F.when(
        ~equal,
        F.struct(
            F.lit(name).alias("column"),
            kind.alias("class"),
            values.text(left, left_type).alias("left"),
            values.text(right, right_type).alias("right"),
            values.amount(left, left_type, right, right_type).alias("amount"),
        ),
    )


def _fields(schema: T.StructType, side: str) -> dict[str, T.DataType]:
    struct = schema[side].dataType
    assert isinstance(struct, T.StructType)
    return {f.name: f.dataType for f in struct.fields}
