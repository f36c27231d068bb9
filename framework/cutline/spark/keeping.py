"""Keeping a table between the writes that are made from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@contextlib.contextmanager
def persisted(frame: DataFrame) -> Iterator[DataFrame]:
    """The table, computed once (in memory, spilling to disk) for all that is written from it."""
    from pyspark import StorageLevel

    stored = frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield stored
    finally:
        stored.unpersist()
