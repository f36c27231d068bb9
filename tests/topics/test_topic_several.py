"""Several topics written in one pass: each holds its own records, in order, and no others."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.topics.files import FileTopics
from cutline.topics.murmur2 import partition
from cutline_reconciliation.compare.counts.settings import session_settings

NOW = dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC)
COLUMNS = (
    "topic string, key string, headers map<string,string>, value string, timestamp timestamp, "
    "place int"
)


@pytest.fixture
def topics(tmp_path: Path) -> FileTopics:
    return FileTopics(str(tmp_path), 3)


def records(spark: SparkSession, *rows: tuple[str | None, str, int]) -> DataFrame:
    """Rows of topic, key and place, which is also the value."""
    full = [(topic, key, {}, str(place), NOW, place) for topic, key, place in rows]
    return spark.createDataFrame(full, COLUMNS)


def lines(folder: Path, topic: str) -> list[dict[str, Any]]:
    files = sorted((folder / topic).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def values_by_key(folder: Path, topic: str) -> dict[str, list[int]]:
    """Values by key, in the order of the topic; each record in its key's partition."""
    by_key: dict[str, list[int]] = {}
    for line in lines(folder, topic):
        assert line["partition"] == partition(line["key"], 3)
        by_key.setdefault(line["key"], []).append(line["value"])
    return by_key


def test_each_topic_gets_its_own_records_in_order(
    spark: SparkSession, topics: FileTopics, tmp_path: Path
) -> None:
    rows = [(t, f"k{i % 9}", 100 - i) for i in range(60) for t in ("s.b", "s.a")]
    rows.append(("s.c", "k1", 7))
    topics.append_all(["s.c", "s.a", "s.b", "s.none"], "run-1", records(spark, *rows), ["place"])
    expected = {f"k{k}": sorted(100 - i for i in range(60) if i % 9 == k) for k in range(9)}
    assert values_by_key(tmp_path, "s.a") == values_by_key(tmp_path, "s.b") == expected
    assert values_by_key(tmp_path, "s.c") == {"k1": [7]}
    assert values_by_key(tmp_path, "s.none") == {}


def test_what_a_topic_is_not_sent_again_is_gone_from_it(
    spark: SparkSession, topics: FileTopics, tmp_path: Path
) -> None:
    two_topics = ["s.a", "s.b"]
    topics.append_all(two_topics, "run-0", records(spark, ("s.a", "k", 0)))
    topics.append_all(two_topics, "run-1", records(spark, ("s.a", "k", 1), ("s.b", "k", 2)))
    topics.append_all(two_topics, "run-1", records(spark, ("s.b", "k", 3)))
    assert values_by_key(tmp_path, "s.a") == {"k": [0]}
    assert values_by_key(tmp_path, "s.b") == {"k": [3]}


def test_one_key_of_two_compacted_topics_is_two_keys(
    spark: SparkSession, topics: FileTopics, tmp_path: Path
) -> None:
    two_topics = ["s.a", "s.b"]
    topics.compact_all(
        two_topics, "run-0", records(spark, ("s.a", "k", 1), ("s.a", "old", 1), ("s.b", "k", 2))
    )
    topics.compact_all(
        two_topics, "run-1", records(spark, ("s.b", "k", 3), ("s.b", "k", 4)), ["place"]
    )
    assert values_by_key(tmp_path, "s.a") == {"k": [1], "old": [1]}
    assert values_by_key(tmp_path, "s.b") == {"k": [4]}


def test_a_key_that_another_producer_put_elsewhere_is_compacted_as_well(
    spark: SparkSession, topics: FileTopics, tmp_path: Path
) -> None:
    topics.compact_all(["s.a"], "run-0", records(spark, ("s.a", "other", 1)))
    elsewhere = (partition("k", 3) + 1) % 3
    line = {"partition": elsewhere, "offset": 9, "key": "k", "headers": {}, "value": 1}
    (tmp_path / "s.a" / f"{elsewhere:05d}.jsonl").write_text(json.dumps(line) + "\n")
    topics.compact_all(["s.a"], "run-1", records(spark, ("s.a", "k", 2)))
    assert values_by_key(tmp_path, "s.a")["k"] == [2]


@pytest.mark.parametrize("topic", ["s.other", None])
def test_a_record_for_another_topic_fails_and_changes_nothing(
    spark: SparkSession, topics: FileTopics, tmp_path: Path, topic: str | None
) -> None:
    topics.append_all(["s.a"], "run-0", records(spark, ("s.a", "k", 0)))
    with pytest.raises(Exception, match="a record for another topic"):
        topics.append_all(["s.a"], "run-1", records(spark, ("s.a", "k", 1), (topic, "k", 1)))
    assert values_by_key(tmp_path, "s.a") == {"k": [0]}


def test_an_event_that_stands_there_is_not_sent_by_another_run(
    spark: SparkSession, topics: FileTopics, tmp_path: Path
) -> None:
    """By its id and topic; a run that sends again what it sent replaces it, as ever."""

    def events(*rows: tuple[str, str, int]) -> DataFrame:
        with_id = [(topic, "k", {"ce_id": event}, str(n), NOW, n) for topic, event, n in rows]
        return spark.createDataFrame(with_id, COLUMNS)

    two_topics, order = ["s.a", "s.b"], ["place"]
    topics.append_all(two_topics, "run-1", events(("s.a", "e1", 1), ("s.a", "e2", 2)), order)
    second = events(("s.a", "e1", 1), ("s.a", "e2", 20), ("s.a", "e3", 3), ("s.b", "e1", 1))
    for _ in range(2):
        assert topics.append_all(two_topics, "run-2", second, order) == {"s.a": 3, "s.b": 1}
        assert values_by_key(tmp_path, "s.a") == {"k": [1, 2, 3]}
        assert values_by_key(tmp_path, "s.b") == {"k": [1]}
    topics.append_all(two_topics, "run-1", events(("s.a", "e1", 10)), order)
    assert values_by_key(tmp_path, "s.a") == {"k": [3, 10]}


def test_what_has_no_rows_is_counted_where_plans_are_made_again(
    spark: SparkSession, topics: FileTopics, tmp_path: Path
) -> None:
    """Spark leaves out of a plan what turns out to be empty, and what was to be counted in it."""
    rows = [("s.a", f"k{i}", {"ce_id": f"e{i}"}, str(i), NOW, i) for i in range(40)]
    every = spark.createDataFrame(rows, COLUMNS)
    none = every.where("rand() > 2")
    with session_settings(spark, {"spark.sql.adaptive.enabled": "true"}):
        for run in ("run-1", "run-2"):
            assert topics.append_all(["s.a", "s.b"], run, every) == {"s.a": 40, "s.b": 0}
        assert topics.append_all(["s.b"], "run-2", none) == {"s.b": 0}
        assert topics.compact_all(["s.c"], "run-2", none) == {"s.c": 0}
    assert sum(map(len, values_by_key(tmp_path, "s.a").values())) == 40
