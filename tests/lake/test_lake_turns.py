"""A process that was taken for dead and wakes up moves and removes nothing of its successor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from pyspark.sql import SparkSession
from sqlalchemy import update

from cutline.control import Control
from cutline.control.models import SLICES
from cutline.errors import RunFailed, SliceBusy
from cutline.lake import Lake
from cutline.tables import Column, Table
from cutline.topics.files import FileTopics

TABLE = Table("things", "one thing", (Column("a", "string", "a"),))
SECOND_TABLE = Table("others", "one thing", (Column("a", "string", "a"),))


@dataclass
class Turns:
    """The lakes of a process that slept, and of the one that has taken its slice over."""

    old: Lake
    new: Lake


@pytest.fixture
def turns(tmp_path: Path) -> Any:
    control = Control.open(SecretStr("sqlite:///control.db"), tmp_path)
    root = str(tmp_path / "lake")
    with control.lease("c", "r") as first:
        # As if the process were gone: its heartbeat stopped, or it started before the last boot.
        with control.database.write() as connection:
            connection.execute(update(SLICES).values(holder_started=1.0))
        with control.lease("c", "r") as second:
            yield Turns(
                *(
                    Lake(root, attempt=str(one.epoch), check_lease=partial(control.confirm, one))
                    for one in (first, second)
                )
            )


def rows(spark: SparkSession, *values: str) -> Any:
    return spark.createDataFrame([(value,) for value in values], "a string")


def write_both(lake: Lake, frame: Any) -> Any:
    from pyspark.sql import functions as F

    return lake.write_both(
        frame.withColumn("mine", F.col("a") == "old"), "mine", TABLE, SECOND_TABLE
    )


def take(lake: Lake, frame: Any) -> Any:
    return lake.copy_table(frame.sparkSession, Lake(f"{lake.root}/../earlier"), TABLE.name)


@pytest.mark.parametrize("write", [lambda lake, f: lake.write(f, TABLE), write_both, take])
def test_it_moves_no_table(
    spark: SparkSession, turns: Turns, write: Callable[[Lake, Any], Any]
) -> None:
    Lake(f"{turns.new.root}/../earlier").write(rows(spark, "earlier"), TABLE)
    turns.new.write(rows(spark, "new"), TABLE)
    with pytest.raises(SliceBusy, match="now worked on by process"):
        write(turns.old, rows(spark, "old"))
    assert [row.a for row in turns.new.read(spark, TABLE).collect()] == ["new"]


def test_it_removes_nothing_that_the_other_is_writing(spark: SparkSession, turns: Turns) -> None:
    with turns.new.scratch_space(spark):
        unfinished = Path(turns.new.root, "_writing", turns.new.attempt, "things-1")
        for folder in (unfinished, Path(turns.new.scratch("mine"))):
            folder.mkdir(parents=True)
        with pytest.raises(SliceBusy), turns.old.scratch_space(spark):
            raise AssertionError("it began a stage")
        assert unfinished.exists()
        assert Path(turns.new.scratch("mine")).exists()


def test_it_ends_a_stage_with_its_own_scratch_only(
    spark: SparkSession, turns: Turns, tmp_path: Path
) -> None:
    asleep = Lake(turns.old.root, attempt=turns.old.attempt)
    with asleep.scratch_space(spark):
        Path(asleep.scratch("mine")).mkdir(parents=True)
        Path(turns.new.scratch("mine")).mkdir(parents=True)
    assert not Path(asleep.scratch("mine")).exists()
    assert Path(turns.new.scratch("mine")).exists()


def test_it_publishes_nothing(spark: SparkSession, turns: Turns, tmp_path: Path) -> None:
    from pyspark.sql import functions as F

    records = rows(spark, "old").select(
        F.col("a").alias("key"),
        F.create_map(F.lit("ce_id"), F.col("a")).alias("headers"),
        F.lit('{"a":1}').alias("value"),
        F.lit("2026-11-01").cast("timestamp").alias("timestamp"),
    )
    topics = FileTopics(str(tmp_path / "topics"), 1, turns.old.check_lease)
    for publish in (topics.append, topics.compact):
        with pytest.raises(SliceBusy):
            publish("shop.control", "run-1", records)
    assert (tmp_path / "topics/shop.control/00000.jsonl").read_bytes() == b""


def test_a_slice_that_was_released_is_nobodys(spark: SparkSession, tmp_path: Path) -> None:
    control = Control.open(SecretStr("sqlite:///control.db"), tmp_path)
    with control.lease("c", "r") as lease:
        control.confirm(lease)
    with pytest.raises(RunFailed, match="no longer holds the slice c/r"):
        control.confirm(lease)
