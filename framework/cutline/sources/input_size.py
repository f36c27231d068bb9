"""How much the inputs of a run hold, reckoned from their files without reading the rows."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path

_LOOKED_INTO = 8
"""The most Parquet files whose footers are read; the others are taken to be packed as they are."""
_PACKED = frozenset([".gz", ".bz2", ".zst", ".snappy", ".xz", ".lz4"])
_PACKED_TIMES = 5
"""What a packed text file is taken to hold, by its size."""


def unpacked_bytes(files: Collection[Path]) -> int:
    """The bytes that files hold when nothing in them is packed, roughly.

    Text and databases count as they are, packed text five times, Parquet as its footers say.
    """
    sizes = {path: _size(path) for path in sorted(files)}
    parquet = [path for path in sizes if path.suffix == ".parquet"]
    times = _parquet_times([path for path in parquet if sizes[path]][:_LOOKED_INTO], sizes)
    return sum(
        int(size * (times if path.suffix == ".parquet" else _text_times(path)))
        for path, size in sizes.items()
    )


def _size(path: Path) -> int:
    # What is missing is refused where it is read.
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def _text_times(path: Path) -> int:
    return _PACKED_TIMES if path.suffix in _PACKED else 1


def _parquet_times(files: list[Path], sizes: dict[Path, int]) -> float:
    """How many times their size the files hold, by their footers; 1 where none can be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    unpacked = packed = 0
    for path in files:
        with contextlib.suppress(OSError, pa.ArrowException):
            footer = pq.read_metadata(path)
            groups = map(footer.row_group, range(footer.num_row_groups))
            unpacked += sum(group.total_byte_size for group in groups)
            packed += sizes[path]
    return max(1.0, unpacked / packed) if packed else 1.0
