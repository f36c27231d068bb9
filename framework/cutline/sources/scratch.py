"""Scratch files: rows on their way from the driver to Spark, never all in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from cutline.lake.file_system import file_system

_FILE_BYTES = 16 << 20


@contextlib.contextmanager
def parquet_writer(folder: str, schema: pa.Schema) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """A function that appends a batch to Parquet files in `folder`.

    Small batches are gathered into files of some 16 MiB, so that Spark can distribute them evenly;
    there is at least one file.
    """
    system, path = file_system(folder)
    system.create_dir(path, recursive=True)
    waiting: list[pa.RecordBatch] = []
    size = files = 0

    def flush() -> None:
        nonlocal size, files
        with system.open_output_stream(f"{path}/part-{files:05d}.parquet") as stream:
            pq.write_table(
                pa.Table.from_batches(waiting, schema),
                stream,
                compression="snappy",
                use_dictionary=False,
            )
        waiting.clear()
        size, files = 0, files + 1

    def write(batch: pa.RecordBatch) -> None:
        nonlocal size
        waiting.append(batch)
        size += batch.nbytes
        if size >= _FILE_BYTES:
            flush()

    yield write
    if waiting or not files:
        flush()
