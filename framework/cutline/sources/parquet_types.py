"""What Parquet can hold and Spark does not read exactly, found before Spark reads the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cutline.errors import ConfigurationError

_MAX_PRECISION = 38
_UNREADABLE = {
    "Time": "a time of day",
    "Float16": "a number of 16 bits",
    "UUID": "a UUID as 16 bytes",
    "Interval": "an interval",
}
_CODECS = ("BROTLI", "LZO")
_MICROSECONDS = "Write it in microseconds (pyarrow: coerce_timestamps='us')."
_AS_TEXT = "Write it as text, or as another type."


def refuse_unreadable(file: pq.ParquetFile, path: Path, key: str) -> None:
    """ConfigurationError, naming the column, for a type or compression that Spark does not read.

    Also for INT96 times finer than a microsecond, which Spark truncates, for times in milliseconds
    at which it overflows, and for durations of Arrow, which are whole numbers in Parquet. Nested
    columns are named by their paths.
    """
    for i in range(len(file.schema)):
        leaf = file.schema.column(i)
        reason, next_step = _unreadable_reason(json.loads(leaf.logical_type.to_json()))
        if reason:
            raise ConfigurationError(
                f"{key}: column {leaf.path!r} of {path} {reason}", next_step=next_step
            )
    for field in file.schema_arrow:
        if _holds_duration(field.type):
            raise ConfigurationError(
                f"{key}: column {field.name!r} of {path} has durations, whose unit Spark does not "
                "see",
                next_step="Write them as numbers, in one unit for all files.",
            )
    if file.metadata.num_row_groups:
        group = file.metadata.row_group(0)
        for i in range(group.num_columns):
            codec = group.column(i).compression
            if codec in _CODECS:
                raise ConfigurationError(
                    f"{key}: {path} is compressed with {codec}, which Spark does not read",
                    next_step="Write it with zstd, snappy or gzip.",
                )
    beyond = _column_beyond_microseconds(file, path)
    if beyond is not None:
        raise ConfigurationError(
            f"{key}: column {beyond!r} of {path} counts milliseconds, and has times that "
            "microseconds have no room for (about 290,000 years from 1970)",
            next_step="Write null or a nearer time in their place.",
        )
    finer = column_finer_than_micros(path, int96_columns(file))
    if finer is not None:
        raise ConfigurationError(
            f"{key}: column {finer!r} of {path} counts nanoseconds (INT96), and some of its times "
            "are finer than a microsecond",
            next_step=_MICROSECONDS,
        )


def _unreadable_reason(kind: dict[str, Any]) -> tuple[str, str]:
    """Why Spark does not read a logical type, and what to do; both empty for one that it reads."""
    name = str(kind["Type"])
    if name == "Timestamp" and kind["timeUnit"] == "nanoseconds":
        return "counts nanoseconds", _MICROSECONDS
    if name == "Decimal" and kind["precision"] > _MAX_PRECISION:
        return f"is a decimal of {kind['precision']} digits, more than {_MAX_PRECISION}", _AS_TEXT
    if name in _UNREADABLE:
        return f"is {_UNREADABLE[name]}, which Spark does not read", _AS_TEXT
    return "", ""


_MOST_MILLISECONDS = (2**63 - 1) // 1000


def _column_beyond_microseconds(file: pq.ParquetFile, path: Path) -> str | None:
    """The first column of milliseconds with a time that Spark, which reads microseconds, overflows
    at; null for none. The statistics tell, and of row groups without any the values."""
    for i in range(len(file.schema)):
        leaf = file.schema.column(i)
        if json.loads(leaf.logical_type.to_json()).get("timeUnit") != "milliseconds":
            continue
        bare = []
        for group in range(file.metadata.num_row_groups):
            statistics = file.metadata.row_group(group).column(i).statistics
            if statistics is None or not statistics.has_min_max:
                bare.append(group)
            elif max(-statistics.min_raw, statistics.max_raw) > _MOST_MILLISECONDS:
                return str(leaf.path)
        stat = path.stat()
        if bare and _any_beyond(path, leaf.path, tuple(bare), stat.st_mtime_ns, stat.st_size):
            return str(leaf.path)
    return None


@lru_cache(maxsize=256)
def _any_beyond(path: Path, column: str, groups: tuple[int, ...], *_: int) -> bool:
    """Whether a row group has a time in milliseconds for which microseconds have no room."""
    for times in _times(path, column, row_groups=groups):
        ends = pc.min_max(times.cast(pa.int64())).as_py()
        if any(abs(end or 0) > _MOST_MILLISECONDS for end in ends.values()):
            return True
    return False


def _holds_duration(kind: pa.DataType) -> bool:
    if pa.types.is_duration(kind):
        return True
    return any(_holds_duration(kind.field(i).type) for i in range(kind.num_fields))


def int96_columns(file: pq.ParquetFile) -> tuple[str, ...]:
    """The paths of INT96 columns, the type in which Spark itself writes times by default."""
    leaves = (file.schema.column(i) for i in range(len(file.schema)))
    return tuple(leaf.path for leaf in leaves if leaf.physical_type == "INT96")


def column_finer_than_micros(path: Path, columns: tuple[str, ...]) -> str | None:
    """The first of the INT96 columns with a time finer than a microsecond; null for none."""
    stat = path.stat()
    return _first_finer_column(path, columns, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _first_finer_column(path: Path, columns: tuple[str, ...], *_: int) -> str | None:
    for column in columns:
        try:
            for times in _times(path, column, "ns"):
                times.cast(pa.timestamp("us"))
        except pa.ArrowInvalid:
            # Years that nanoseconds have no room for wrap around, and then look finer.
            pairs = zip_longest(_times(path, column, "ns"), _times(path, column, "us"))
            if any(_any_differ(fine, coarse) for fine, coarse in pairs):
                return column
    return None


def _any_differ(fine: pa.Array[Any], coarse: pa.Array[Any]) -> bool:
    whole = pc.multiply(coarse.cast(pa.int64()), pa.scalar(1000, pa.int64()))
    return bool(pc.any(pc.not_equal(fine.cast(pa.int64()), whole)).as_py())


def _times(
    path: Path, column: str, unit: str = "us", row_groups: Sequence[int] | None = None
) -> Iterator[pa.Array[Any]]:
    """The times of a column, batch by batch, those of INT96 in the unit; of all row groups, or of
    some."""
    with pq.ParquetFile(path, coerce_int96_timestamp_unit=unit) as file:
        groups = range(file.metadata.num_row_groups) if row_groups is None else row_groups
        for batch in file.iter_batches(row_groups=list(groups), columns=[column]):
            for array in batch.columns:
                yield from _leaves(array)


def _leaves(array: pa.Array[Any]) -> Iterator[pa.Array[Any]]:
    """The arrays of times within a nested array."""
    if isinstance(array, pa.StructArray):
        for inner in array.flatten():
            yield from _leaves(inner)
    elif isinstance(array, pa.MapArray):
        yield from _leaves(array.keys)
        yield from _leaves(array.items)
    elif isinstance(array, (pa.ListArray, pa.LargeListArray, pa.FixedSizeListArray)):
        yield from _leaves(array.flatten())
    elif pa.types.is_timestamp(array.type):
        yield array
