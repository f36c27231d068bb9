"""Literals of a check as exact Spark values of the column's type.

Spark's own conversion shifts times before 1582 by days and knows no date before the year 1000.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.translator.checks.literals import decimal_shape

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def literal(value: Any, kind: T.DataType) -> Column:
    """The value, which `literal_fault` has accepted, for comparison with a column of this type."""
    match kind:
        case T.TimestampType():
            return F.timestamp_micros(F.lit((value - _EPOCH) // dt.timedelta(microseconds=1)))
        case T.DateType():
            return F.lit(value.isoformat()).cast(kind)
        case T.DecimalType():
            return _decimal(Decimal(value))
        case T.FloatType() | T.DoubleType():
            return F.lit(float(value)).cast(kind)
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return F.lit(value).cast(kind)
        case _:
            return F.lit(value)


def _decimal(value: Decimal) -> Column:
    before, after = decimal_shape(value)
    return F.lit(format(value, "f")).cast(T.DecimalType(max(before + after, 1), after))
