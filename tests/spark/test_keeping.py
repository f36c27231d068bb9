"""Where rows are kept between two writes."""

from __future__ import annotations

from cutline.spark.keeping import MOST_ROWS_IN_MEMORY, storage_for


def test_few_rows_are_kept_in_memory_and_spill() -> None:
    storage = storage_for(MOST_ROWS_IN_MEMORY)
    assert (storage.useMemory, storage.useDisk) == (True, True)


def test_many_rows_take_no_heap() -> None:
    storage = storage_for(MOST_ROWS_IN_MEMORY + 1)
    assert (storage.useMemory, storage.useDisk) == (False, True)
