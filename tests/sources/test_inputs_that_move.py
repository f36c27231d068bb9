"""Inputs that grow, vanish or are cut off while they are read: each is told by its name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, RunFailed
from cutline.spark.causes import SparkSetup, cause_of
from cutline.stages import extract as stage
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Parcel(SourceContract):
    """One parcel."""

    parcel_no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("depot", "parcels", key=["parcel_no"])


class Place(SourceContract):
    """One place."""

    place_no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("depot", "places", key=["place_no"])


def depot(folder: Path, kind: str) -> Extract:
    """A folder with two tables of that kind of file; no row is of a place."""
    tables = {"parcels": ("parcel_no", 5_000), "places": ("place_no", 0)}
    for name, (key, rows) in tables.items():
        numbers = [str(n) for n in range(rows)]
        if kind == "csv":
            write(folder / "in" / f"{name}.csv", "\n".join([key, *numbers]) + "\n")
        else:
            (folder / "in" / name).mkdir(parents=True)
            content = pa.table({key: pa.array(numbers, pa.string())})
            pq.write_table(content, folder / "in" / name / "part-0.parquet")
    paths = {n: {"path": f"{n}.csv" if kind == "csv" else n} for n in tables}
    source = {"kind": kind, "path": "in", "tables": paths}
    return Extract(folder, {"depot": source}, [Parcel, Place])


def when_read(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Let `change` happen when the sources were looked at, and before their rows are read."""
    read = stage.read_source

    def changed(*arguments: Any, **named: Any) -> Any:
        reading = read(*arguments, **named)
        change()
        return reading

    monkeypatch.setattr(stage, "read_source", changed)


@contextmanager
def growing(path: Path) -> Iterator[None]:
    """Meanwhile somebody appends to the file, again and again."""
    ended = threading.Event()

    def append() -> None:
        with path.open("a") as file:
            number = 0
            while not ended.wait(0.002):
                file.write(f"late-{number}\n")
                file.flush()
                number += 1

    appending = threading.Thread(target=append)
    appending.start()
    try:
        yield
    finally:
        ended.set()
        appending.join()


def test_a_table_of_no_rows_beside_one_of_many(spark: SparkSession, tmp_path: Path) -> None:
    for kind in ("csv", "parquet"):
        extracted = depot(tmp_path / kind, kind).run(spark, "all")
        assert extracted.result.rows_out == 5_000
        assert extracted.rows("depot_places", "key") == []


def test_a_file_that_grows_while_it_is_read(spark: SparkSession, tmp_path: Path) -> None:
    extract = depot(tmp_path, "csv")
    named = extract.positions("all")
    with growing(tmp_path / "in" / "parcels.csv"), pytest.raises(RunFailed) as failed:
        extract.run(spark, "all", positions=named)
    assert failed.value.what == "depot changed while the run was reading"
    assert not isinstance(failed.value, ConfigurationError)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_is_deleted_before_its_rows_are_read(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    extract = depot(tmp_path, kind)
    file = tmp_path / "in" / ("parcels.csv" if kind == "csv" else "parcels/part-0.parquet")
    when_read(monkeypatch, file.unlink)
    with pytest.raises(RunFailed, match="an input changed while the run was reading") as failed:
        extract.run(spark, "all")
    assert str(tmp_path / "in" / "parcels") in failed.value.what


def test_a_parquet_file_that_is_cut_off_is_refused_by_its_path(
    spark: SparkSession, tmp_path: Path
) -> None:
    extract = depot(tmp_path, "parquet")
    file = tmp_path / "in" / "parcels" / "part-0.parquet"
    with file.open("r+b") as handle:
        handle.truncate(file.stat().st_size // 2)
    with pytest.raises(ConfigurationError) as refused:
        extract.run(spark, "all")
    assert str(file) in refused.value.what


def test_a_parquet_file_whose_pages_are_damaged_is_named(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Its footer is whole, so that only reading its rows shows it."""
    extract = depot(tmp_path, "parquet")
    file = tmp_path / "in" / "parcels" / "part-0.parquet"
    with file.open("r+b") as handle:
        handle.seek(20)
        handle.write(b"\xff" * 4_000)
    with pytest.raises(Exception, match=r".") as failed:
        extract.run(spark, "all")
    cause = cause_of(failed.value, SparkSetup.of_process())
    assert cause is not None
    assert cause.sentence.startswith(f"file {file} ")
