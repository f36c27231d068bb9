"""Scratch files: rows on their way from a driver to Spark, never whole in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq

_BATCH_BYTES = 16 << 20


@contextlib.contextmanager
def parquet_writer(folder: str, schema: pa.Schema) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """A function that appends a batch to one Parquet file in `folder`.

    Small batches are gathered into row groups of some 16 MiB, so that Spark can share them out.
    """
    system, path = _system(folder)
    system.create_dir(path, recursive=True)
    waiting: list[pa.RecordBatch] = []
    size = 0
    with (
        system.open_output_stream(f"{path}/part-00000.parquet") as stream,
        pq.ParquetWriter(stream, schema, compression="snappy") as writer,
    ):

        def flush() -> None:
            nonlocal size
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting, schema))
            waiting.clear()
            size = 0

        def write(batch: pa.RecordBatch) -> None:
            nonlocal size
            waiting.append(batch)
            size += batch.get_total_buffer_size()
            if size >= _BATCH_BYTES:
                flush()

        yield write
        flush()


def _system(folder: str) -> tuple[fs.FileSystem, str]:
    if "://" in folder or folder.startswith("file:"):
        system, path = fs.FileSystem.from_uri(folder)
        return system, str(path)
    return fs.LocalFileSystem(), folder
