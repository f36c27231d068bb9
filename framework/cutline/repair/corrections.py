"""What is wrong in a table, told on a topic: rows that are taken back, and rows that are added."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from cutline.lake.file_system import file_system
from cutline.repair.comparing import RowChange
from cutline.repair.output import OutputTable, RowValues
from cutline.repair.values import in_utc
from cutline.replay.records import ORDER, event_time, map_of, with_labels

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RETRACTED, ADDED = "row-retracted", "row-added"
_SCHEMA = pa.schema([("key", pa.string()), ("type", pa.string()), ("value", pa.string())])
_BATCH = 10_000


@dataclass(frozen=True)
class CorrectionEvents:
    """Events about the rows of a table: of the repair `name`, by the attempt `id`, made `at`."""

    output: OutputTable
    name: str
    id: str
    at: dt.datetime

    def batches(self, changes: Iterable[RowChange]) -> Iterator[pa.RecordBatch]:
        """One row per event, in their order: of a row that is other, what it was is taken back
        before what it is is added."""
        rows: list[dict[str, str]] = []
        for change in changes:
            for kind, row in ((RETRACTED, change.before), (ADDED, change.after)):
                if row is not None:
                    rows.append({"key": self._key(row), "type": kind, "value": row_json(dict(row))})
            if len(rows) >= _BATCH:
                yield pa.RecordBatch.from_pylist(rows, _SCHEMA)
                rows = []
        yield pa.RecordBatch.from_pylist(rows, _SCHEMA)

    def _key(self, row: RowValues) -> str:
        """The key of a row within all windows: its corrections are in one partition."""
        names = self.output.section.key or (self.output.section.window,)
        return row_json([row[name] for name in names])

    def records(self, spark: SparkSession, place: str, topic: str) -> DataFrame:
        """The records of events that were written to a file of Parquet, in their order."""
        from pyspark.sql import functions as F

        rows = spark.read.parquet(place)
        number = F.col("_metadata.row_index")
        event_id = F.sha2(F.concat_ws("/", F.lit(self.id), number.cast("string")), 256)
        headers = {
            "ce_specversion": F.lit("1.0"),
            "ce_id": event_id,
            "ce_source": F.lit(f"urn:cutline:repair:{self.name}"),
            "ce_type": F.col("type"),
            "ce_subject": F.col("key"),
            "ce_time": F.lit(event_time(self.at)),
            "content-type": F.lit("application/json"),
        }
        turn, file, position = ORDER
        return rows.select(
            F.lit(topic).alias("topic"),
            "key",
            with_labels(map_of(headers), self.id).alias("headers"),
            "value",
            F.lit(self.at).alias("timestamp"),
            F.lit(0).cast("bigint").alias(turn),
            F.lit(0).alias(file),
            number.alias(position),
        )


def write_events(batches: Iterable[pa.RecordBatch], place: str) -> None:
    """Write events to one file of Parquet, on this machine or at a URL."""
    import pyarrow.parquet as pq

    system, path = file_system(place)
    system.create_dir(path.rpartition("/")[0], recursive=True)
    with pq.ParquetWriter(path, _SCHEMA, filesystem=system) as writer:
        for batch in batches:
            writer.write_batch(batch)


def digest_of_events(place: str) -> str:
    """The SHA-256 over the events of a folder, in their order."""
    from pyarrow import dataset

    system, path = file_system(place)
    digest = hashlib.sha256()
    for batch in dataset.dataset(path, filesystem=system, format="parquet").to_batches():
        for row in batch.to_pylist():
            digest.update(f"{row['type']} {row['value']}\n".encode())
    return digest.hexdigest()


def row_json(value: Any) -> str:
    """The JSON of a row, or of a value of it: what has no type there is a text."""
    return json.dumps(_finite(value), default=_text, sort_keys=True, ensure_ascii=False)


def _finite(value: Any) -> Any:
    """The value; of numbers that JSON does not have, such as NaN, their texts."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _text(value: Any) -> str:
    """Of what has no type in JSON its text: of a time that in UTC, of a decimal all its digits."""
    if isinstance(value, dt.datetime):
        return in_utc(value).isoformat().replace("+00:00", "Z")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)
