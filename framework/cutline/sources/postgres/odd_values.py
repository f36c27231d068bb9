"""Values that a native type would bend: infinite times, and years that a text cannot show in four
digits.

They are looked for in Arrow: asking the server for each value costs most of the read.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""0001-01-01 and 9999-12-31, in days from 1970-01-01."""
_DAY = 86_400_000_000


def odd_columns(batch: pa.RecordBatch) -> set[str]:
    """The columns of dates and times with a value outside of the years 1 to 9999.

    The driver hands over infinity as a time far outside of them, and so does it what does not fit
    into its 64 bits.
    """
    return {
        field.name
        for field, column in zip(batch.schema, batch.columns, strict=True)
        if _is_odd(column)
    }


def _is_odd(column: pa.Array) -> bool:
    if pa.types.is_date32(column.type):
        numbers, low, high = column.view(pa.int32()), _FIRST_DAY, _LAST_DAY
    elif pa.types.is_timestamp(column.type):
        numbers, low, high = column.view(pa.int64()), _FIRST_DAY * _DAY, (_LAST_DAY + 1) * _DAY - 1
    else:
        return False
    extremes = pc.min_max(numbers)
    least, most = extremes["min"].as_py(), extremes["max"].as_py()
    return least is not None and (least < low or most > high)
