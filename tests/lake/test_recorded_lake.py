"""Who only looks at a run is shown its tables as they were recorded, at the price of a look."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.lake import manifest
from cutline.lake.lake import Lake
from cutline.lake.recorded import RecordedLake
from cutline.lake.written import TableWritten
from cutline.tables import Column, Table

EVENTS = Table("events", "one", (Column("id", "string", ""),))


@pytest.fixture
def written(spark: SparkSession, tmp_path: Path) -> TableWritten:
    frame = spark.createDataFrame([("a",), ("b",), ("c",)], EVENTS.ddl).coalesce(1)
    return Lake(str(tmp_path)).write(frame, EVENTS).table


def recorded(folder: Path, table: TableWritten) -> RecordedLake:
    return RecordedLake(
        str(folder),
        run_id="run-1",
        recorded={"merge": (table,)},
    )


def other_bytes(folder: Path) -> None:
    (file,) = (folder / "events").glob("*.parquet")
    before, content = file.stat(), bytearray(file.read_bytes())
    # Within the values: the foot still tells three rows.
    content[5] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_small_table_is_read_whole_and_a_large_one_by_its_feet(
    spark: SparkSession, tmp_path: Path, written: TableWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recorded(tmp_path, written).read(spark, EVENTS).count() == 3
    other_bytes(tmp_path)
    with pytest.raises(RunFailed, match=r"table events of run run-1 .* holds other bytes"):
        recorded(tmp_path, written).read(spark, EVENTS)
    monkeypatch.setattr(manifest, "SMALL", 0)
    recorded(tmp_path, written).read(spark, EVENTS)
    fewer = TableWritten("events", 2, written.digest, written.manifest)
    with pytest.raises(RunFailed, match="its files hold 3 rows, and 2 were written"):
        recorded(tmp_path, fewer).read(spark, EVENTS)
    (file,) = (tmp_path / "events").glob("*.parquet")
    content = bytearray(file.read_bytes())
    content[-4:] = b"    "
    file.write_bytes(content)
    with pytest.raises(RunFailed, match="is no Parquet file any more"):
        recorded(tmp_path, written).read(spark, EVENTS)


def test_what_is_gone_is_not_taken_for_what_never_was(
    spark: SparkSession, tmp_path: Path, written: TableWritten
) -> None:
    (tmp_path / "events").rename(tmp_path / "elsewhere")
    with pytest.raises(RunFailed, match=r"_manifest.json is missing"):
        recorded(tmp_path, written).exists(spark, "events")
    assert not recorded(tmp_path, written).exists(spark, "breaks")


def test_a_table_that_nobody_recorded_has_nothing_to_be_held_against(
    spark: SparkSession, tmp_path: Path, written: TableWritten
) -> None:
    other_bytes(tmp_path)
    before_manifests = TableWritten("events", 3, written.digest)
    recorded(tmp_path, before_manifests).read(spark, EVENTS)
    RecordedLake(str(tmp_path), run_id="run-1").read(spark, EVENTS)
