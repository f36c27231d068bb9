"""Rows of Arrow become the records that are sent, and their sizes are those of the records."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cutline.topics.kafka.arrow_records import records_of, sizes_of
from cutline.topics.kafka.producing import KafkaRecord
from support.published import size_of

RECORDS = [
    KafkaRecord(b"k-1", b"a value", [("ce_id", b"1"), ("ce_type", b"Placed")], 1_000),
    KafkaRecord(None, b"", [], None),
    KafkaRecord("Schlüssel".encode(), None, [("größe", "5€".encode())], 2_000),
    KafkaRecord(b"k-2", b"another", [("a", b""), ("b", b"22"), ("c", b"333")], 3_000),
]


def batch(records: list[KafkaRecord]) -> pa.RecordBatch:
    kinds = {
        "key": pa.binary(),
        "value": pa.binary(),
        "headers": pa.map_(pa.string(), pa.binary()),
        "millis": pa.int64(),
    }
    columns = [pa.array([getattr(r, name) for r in records], kind) for name, kind in kinds.items()]
    return pa.RecordBatch.from_arrays(columns, names=list(kinds))


@pytest.mark.parametrize(("start", "end"), [(0, 4), (0, 1), (1, 3), (3, 4)])
def test_each_part_of_a_batch_has_its_records_and_their_sizes(start: int, end: int) -> None:
    part = batch(RECORDS).slice(start, end - start)
    assert records_of(part) == RECORDS[start:end]
    assert sizes_of(part) == [*map(size_of, RECORDS[start:end])]
