"""How far a stage is, while it works: from Spark's own record, with the time that is left."""

from __future__ import annotations

import dataclasses
import datetime as dt
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.cli.progress import PlainLines
from cutline.control import RunRecord, StageRecord
from cutline.results import EXTRACT, MERGE, ExtractResult, MergeResult, StageResult
from cutline.run import watch
from cutline.run.progress import RunEvent, StageProgress, StageStarted
from cutline.run.watch import expected_seconds, progress_of_stage

T0 = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def progress(seconds: float) -> StageProgress:
    return StageProgress("merge", seconds, 12, 40, 120_000, 80_000, 20.4)


def test_one_line_for_people() -> None:
    assert str(progress(31)) == (
        "merge: 31 s, tasks 12 of 40, 120,000 rows read, 80,000 written, about 20 s left"
    )
    bare = dataclasses.replace(progress(2), tasks=0, tasks_done=0, seconds_left=None)
    assert bare.summary == "2 s, 120,000 rows read, 80,000 written"


def test_where_stderr_is_no_terminal_a_line_each_half_minute(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show = PlainLines()
    for event in (
        StageStarted("merge"),
        *(progress(seconds) for seconds in range(2, 70, 2)),
        StageStarted("project"),
        progress(28),
    ):
        show(event)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "merge: started",
        "merge: 30 s",
        "merge: 60 s",
        "project: started",
    ]


def run_of(extracted: int, seconds: dict[str, float], taken_from: str | None = None) -> RunRecord:
    results: dict[str, StageResult] = {
        EXTRACT: ExtractResult(rows_in=extracted, rows_out=extracted, taken_from=taken_from),
        MERGE: MergeResult(rows_in=1, rows_out=1, counts={}, unexplained=0),
    }
    stages = tuple(
        StageRecord(name, "done", T0, T0, taken, 1, 1, "d" * 32, results[name])
        for name, taken in seconds.items()
    )
    return RunRecord("r", "c", "eu", "complete", None, None, T0, T0, T0, {}, None, stages)


def test_the_time_left_is_that_of_the_run_before_for_as_many_rows() -> None:
    before = run_of(1_000, {EXTRACT: 10.0, MERGE: 30.0})
    now: dict[str, StageResult] = {EXTRACT: ExtractResult(rows_in=2_000, rows_out=2_000)}
    assert expected_seconds([before], EXTRACT, {}) == 10.0
    assert expected_seconds([before], MERGE, now) == 60.0
    assert expected_seconds([], MERGE, now) is None
    taken_over = run_of(1_000, {EXTRACT: 0.2}, taken_from="another")
    assert expected_seconds([taken_over, before], EXTRACT, {}) == 10.0


def test_events_come_while_spark_works(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_SECONDS", 0.05)
    events: list[RunEvent] = []
    with progress_of_stage(spark, "run", EXTRACT, 1_000.0, events.append):
        rows = spark.range(0, 600_000, 1, 6).select("id", F.uuid().alias("text"))
        rows.write.parquet(str(tmp_path / "first"))
        spark.read.schema("id long, text string").parquet(str(tmp_path / "first")).where(
            F.crc32("text") > 5
        ).write.parquet(str(tmp_path / "second"))
        time.sleep(0.3)
    looks = [event for event in events if isinstance(event, StageProgress)]
    assert looks
    assert any(event.tasks for event in looks)
    assert looks[-1].rows_written >= 600_000
    assert [e.rows_written for e in looks] == sorted(e.rows_written for e in looks)
    assert 0 < (looks[-1].seconds_left or 0) < 1_000


def test_what_a_listener_raises_ends_the_stage(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_SECONDS", 0.05)

    def refuse(_: RunEvent) -> None:
        raise LookupError("enough")

    with (
        pytest.raises(LookupError, match="enough"),
        progress_of_stage(spark, "run", EXTRACT, None, refuse),
    ):
        spark.range(0, 5 * 10**8, 1, 2).where("crc32(cast(id as string)) = 7").count()
