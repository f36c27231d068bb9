"""A reader of Parquet by Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cutline.sources import column_finer_than_micros, folder_values, int96_columns
from cutline_reconciliation.truth.lines import Malformed, Row
from cutline_reconciliation.truth.old_calendar import (
    in_new_calendar,
    old_calendar_columns,
    writing_zone,
)


def parquet_rows(file: str, base: str) -> Iterator[Row | Malformed]:
    """One row of texts per row of a file, with the columns of partition folders below `base`.

    Numbers are written without exponents; then `true` and `false`; times in UTC as
    `2026-11-01T02:00:00.000000Z`, to the nanosecond where some are finer; binaries of any kind in
    hexadecimal digits; lists and structs as JSON. A dictionary is what its values are. Days of
    the calendar that Spark 2 wrote are those that it meant, as Spark reads them.
    """
    values = folder_values(Path(file), Path(base), base)
    folders = {column.name: value for column, value in values.items()}
    with pq.ParquetFile(file, coerce_int96_timestamp_unit=_int96_unit(file)) as opened:
        old, zone = old_calendar_columns(opened), writing_zone(opened)
        for batch in opened.iter_batches(batch_size=10_000):
            columns = [
                in_new_calendar(column, file, zone) if name in old else column
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            texts = [_texts(column) for column in columns]
            rows = pa.RecordBatch.from_arrays(texts, batch.schema.names).to_pylist()
            yield from ({**row, **folders} for row in rows) if folders else rows


def _int96_unit(file: str) -> str:
    """The unit of INT96 times that loses nothing: nanoseconds do not hold all years of Spark."""
    with pq.ParquetFile(file) as opened:
        old = int96_columns(opened)
    return "us" if column_finer_than_micros(Path(file), old) is None else "ns"


def _texts(column: pa.Array[Any]) -> pa.Array[Any]:
    if isinstance(column, pa.DictionaryArray):
        return _texts(column.dictionary_decode())
    kind = column.type
    if pa.types.is_timestamp(kind):
        zone = "Z" if kind.tz else ""
        instants = column.cast(pa.timestamp(_unit(column), "UTC" if kind.tz else None))
        return pc.strftime(instants, format=f"%Y-%m-%dT%H:%M:%S{zone}")
    written = _written(kind)
    if written is None:
        return column.cast(pa.string())
    values = column.to_pylist()
    return pa.array([None if v is None else written(v) for v in values], pa.string())


def _unit(column: pa.Array[Any]) -> str:
    """Microseconds; nanoseconds if a value has them."""
    if column.type.unit != "ns":
        return "us"
    try:
        column.cast(pa.timestamp("us", column.type.tz))
    except pa.ArrowInvalid:
        return "ns"
    return "us"


def _written(kind: pa.DataType) -> Callable[[Any], str] | None:
    """The text of values for which Arrow has no plain text."""
    if pa.types.is_decimal(kind):
        return "{:f}".format
    if pa.types.is_nested(kind):
        return partial(json.dumps, default=_part)
    if any(is_bytes(kind) for is_bytes in _BYTES):
        return bytes.hex
    return None


def _part(value: Any) -> str:
    """The text of a part of a list or struct for which JSON has no notation."""
    return value.hex() if isinstance(value, bytes) else str(value)


_BYTES = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)
