"""The window of a chunk in Spark, held to the model's, on many histories in one job."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from cutline.cut import TransactionVisibility, window
from cutline.positions import PgSnapshot
from cutline.testing.worlds.translator import WORLD, contract_in_worlds, world
from support.model.judge.cases import Case
from support.model.judge.frames import KEYS, job_inputs
from support.model.judge.translators import Item, Line
from support.model.rules import RULES, Window
from support.model.rules import window as of_model

EXACT = RULES["the same window, keyed on not-visible"]


def chunk_of(spark: SparkSession, cases: Sequence[Case], contract: type) -> DataFrame:
    """What the snapshots of all cases show of one table."""
    names = (WORLD, *KEYS[contract])
    rows = [
        (world(number), *key)
        for number, case in enumerate(cases)
        for key in case.history.visible
        if len(key) == len(names) - 1
    ]
    return spark.createDataFrame(rows, ", ".join(f"{name} string" for name in names))


def up_to_high(cases: Sequence[Case], changes: DataFrame) -> DataFrame:
    """The changes that were logged when the chunk is put into the stream."""
    spark = changes.sparkSession
    ends = [
        (world(n), case.history.high.lsn + case.history_cut.lsn) for n, case in enumerate(cases)
    ]
    frame = spark.createDataFrame(ends, "of_world string, end bigint")
    with_worlds = changes.selectExpr("*", "get_json_object(key, '$[0]') AS of_world")
    return with_worlds.join(frame, "of_world").where("CAST(commit AS BIGINT) <= end")


def left(spark: SparkSession, cases: Sequence[Case]) -> set[tuple[str, ...]]:
    """The rows of all chunks that are left, by world and key."""
    rows_left: set[tuple[str, ...]] = set()
    job = job_inputs(spark, cases)
    for contract in (Item, Line):
        table = job.inputs[contract_in_worlds(contract)]
        assert table.lines.snapshot is not None
        chunk = chunk_of(spark, cases, contract)
        changes = up_to_high(cases, table.frame)
        key = (WORLD, *KEYS[contract])
        rows = window.current_rows(chunk, changes, table.lines.snapshot, key)
        rows_left |= {tuple(row) for row in rows.collect()}
    return rows_left


def left_by_model(cases: Sequence[Case]) -> set[tuple[str, ...]]:
    """As `left`."""
    assert isinstance(EXACT, Window)
    return {
        (world(number), *key)
        for number, case in enumerate(cases)
        for key in of_model(case.history.visible, EXACT.touched(case.history))
    }


def of_other_digits(spark: SparkSession) -> int:
    """How many rows are left of a chunk whose one key the log writes with other digits: none."""
    changes = spark.createDataFrame(
        [('["5.0"]', None, "u", "9", f"{1_000_000:020d}")],
        "key string, old_key string, op string, transaction string, commit string",
    )
    chunk = spark.sql("SELECT * FROM VALUES (5.00) AS t(no)")
    return window.current_rows(
        chunk, changes, TransactionVisibility(PgSnapshot(5, 5)), ["no"]
    ).count()
