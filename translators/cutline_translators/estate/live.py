"""Live topics of a producer: partition files of records whose headers are CloudEvents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline.topics.murmur2 import partition
from cutline_translators.estate.columns import (
    append_lines,
    codes,
    json_number,
    json_object,
    json_text,
)
from cutline_translators.estate.moments import LIVE_START, Ints, iso

PARTITIONS = 4


def topic_records(
    rng: np.random.Generator,
    source: str,
    kind: str,
    subject: pa.Array,
    written_at: Ints,
    region: pa.Array,
    data: pa.Array,
) -> pa.Table:
    """Records without partition and offset; `written_at` is when the producer wrote each."""
    headers = json_object(
        {
            "ce_id": json_text(_ids(rng, len(written_at))),
            "ce_migregion": json_text(region),
            "ce_partitionkey": json_text(subject),
            "ce_sequence": json_text(
                codes("L", (written_at - LIVE_START) * 1000 + np.arange(len(written_at)), 14)
            ),
            "ce_source": f'"{source}"',
            "ce_specversion": '"1.0"',
            "ce_subject": json_text(subject),
            "ce_time": json_text(iso(written_at, ".000000")),
            "ce_type": f'"{kind}"',
            "content-type": '"application/json"',
        }
    )
    return pa.table(
        {
            "subject": subject,
            "written_at": pa.array(written_at),
            "headers": headers,
            "data": data,
        }
    )


def write_topic(folder: Path, records: pa.Table) -> None:
    """Write the partition files of a topic, each in the order of time; old files are replaced."""
    order = np.argsort(records["written_at"].to_numpy(), kind="stable")
    records = records.take(pa.array(order)).combine_chunks()
    keys = records["subject"].combine_chunks()
    into = np.array([partition(key, PARTITIONS) for key in keys.to_pylist()], dtype=np.int64)
    for number in range(PARTITIONS):
        path = folder / f"{number:05d}.jsonl"
        path.unlink(missing_ok=True)
        partition_records = records.take(pa.array(np.flatnonzero(into == number)))
        columns = {
            name: partition_records[name].combine_chunks()
            for name in partition_records.column_names
        }
        append_lines(
            path,
            json_object(
                {
                    "partition": str(number),
                    "offset": json_number(pa.array(np.arange(partition_records.num_rows))),
                    "timestamp": json_text(iso(columns["written_at"].to_numpy(), ".250000")),
                    "key": json_text(columns["subject"]),
                    "headers": columns["headers"],
                    "value": columns["data"],
                }
            ),
        )


def append_torn_record(path: Path, key: str) -> None:
    """Append a torn record, which ends within its key."""
    offset = path.read_bytes().count(b"\n")
    begun = (
        f'{{"partition":0,"offset":{offset},"timestamp":"2026-11-01T05:59:58.000000Z","key":"{key}'
    )
    append_lines(path, pa.array([begun]))


def _ids(rng: np.random.Generator, count: int) -> pa.Array:
    """UUIDs of version 4, drawn from `rng`."""
    raw = rng.integers(0, 256, (count, 16), dtype=np.uint8)
    raw[:, 6] = raw[:, 6] & 0x0F | 0x40
    raw[:, 8] = raw[:, 8] & 0x3F | 0x80
    digits = pa.array(np.frombuffer(raw.tobytes().hex().encode(), dtype="S32").astype(str))
    cuts = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
    return pc.binary_join_element_wise(
        *(pc.utf8_slice_codeunits(digits, start, stop) for start, stop in cuts), "-"
    )
