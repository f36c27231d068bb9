"""Where rows are kept between the writes that are made from them."""

from __future__ import annotations

from pyspark import StorageLevel

MOST_ROWS_IN_MEMORY = 200_000
"""Rows of wide tables that a heap of 2 GiB holds with room for the work on them.

400,000 outgrew it: the collector then looks through what is kept again and again, and translating
926,488 rows took five times as long.
"""


def storage_for(rows: int) -> StorageLevel:
    """Where to keep so many rows: in memory, spilling to disk, or at once on disk if they are many.

    What is on disk takes no heap, and the system's page cache holds it where there is room.
    """
    few = rows <= MOST_ROWS_IN_MEMORY
    return StorageLevel.MEMORY_AND_DISK if few else StorageLevel.DISK_ONLY
