"""Days that Spark wrote in its old calendar, which is Julian before 15 October 1582."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cutline.errors import RunFailed
from cutline.sources import int96_columns

_VERSION = b"org.apache.spark.version"
_ZONE = b"org.apache.spark.timeZone"
_UTC = {"UTC", "Etc/UTC", "GMT", "Z", "+00:00"}
_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST_NEW_DAY = dt.date(1582, 10, 15).toordinal() - _EPOCH
_FIRST_OLD_DAY, _SHIFT_OF_YEAR_1 = -719_164, 2
"""What the old calendar calls 0001-01-01, and how far behind it the new one's lies."""
_DAYS_OF_1900 = dt.date(1900, 1, 1).toordinal() - _EPOCH
_JULIAN_EPOCH = 2_440_588
"""The Julian day number of 1970-01-01."""
_PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def old_calendar_columns(file: pq.ParquetFile) -> frozenset[str]:
    """The columns of dates and times that Spark counted in its old calendar.

    The footer tells: Spark 2 had no other calendar, and later ones leave a mark where they were
    told to use it. Times in INT96 have a mark of their own.
    """
    marks = file.metadata.metadata or {}
    if _VERSION not in marks:
        return frozenset()
    version = tuple(int(part) for part in marks[_VERSION].decode().split(".")[:2])
    old = version < (3, 0) or b"org.apache.spark.legacyDateTime" in marks
    old_int96 = version < (3, 1) or b"org.apache.spark.legacyINT96" in marks
    int96 = set(int96_columns(file))
    return frozenset(
        field.name
        for field in file.schema_arrow
        if pa.types.is_date32(field.type) or pa.types.is_timestamp(field.type)
        if (old_int96 if field.name in int96 else old)
    )


def writing_zone(file: pq.ParquetFile) -> str:
    """The zone in which Spark wrote the file, as its footer tells; else UTC, in which it reads."""
    return str((file.metadata.metadata or {}).get(_ZONE, b"UTC"), "utf-8")


def in_new_calendar(column: pa.Array[Any], file: str, zone: str) -> pa.Array[Any]:
    """A column of the old calendar, each day as it was meant: 1500-01-01 is counted as the tenth.

    RunFailed for times before 1900 that were not written in UTC: of them only Spark knows how its
    zones were.
    """
    is_date = pa.types.is_date32(column.type)
    per_day = 1 if is_date else _PER_DAY[column.type.unit]
    counts = column.cast(pa.int32() if is_date else pa.int64())
    first = pc.min(counts).as_py()
    if first is None or first >= _DAYS_OF_1900 * per_day:
        return column
    if not is_date and zone not in _UTC:
        raise RunFailed(
            f"the truth cannot be read from {file}: Spark wrote times before 1900 there in its old "
            f"calendar, and in the zone {zone}",
            left_behind="The earlier stages are kept.",
            next_step="Write the file again with Spark 3 or later.",
        )
    shifted = [
        None if n is None else n + per_day * _shift(n // per_day) for n in counts.to_pylist()
    ]
    return pa.array(shifted, counts.type).cast(column.type)


@lru_cache(maxsize=10_000)
def _shift(day: int) -> int:
    """How many days the new calendar's day of the same name lies behind that of the old one."""
    if day >= _FIRST_NEW_DAY:
        return 0
    if day < _FIRST_OLD_DAY:
        return _SHIFT_OF_YEAR_1
    # From the Julian day number to year, month and day, where years begin in March.
    days = day + _JULIAN_EPOCH + 32_082
    years = (4 * days + 3) // 1461
    of_year = days - 1461 * years // 4
    months = (5 * of_year + 2) // 153
    number = of_year - (153 * months + 2) // 5 + 1
    year, month = years - 4800 + months // 10, months + 3 - 12 * (months // 10)
    try:
        name = dt.date(year, month, number)
    except ValueError:
        # The 29th of February of a year that is no leap year any more.
        name = dt.date(year, 3, 1)
    return name.toordinal() - _EPOCH - day
