"""Compacted topics of files: only what says something else is written, however much that is."""

from __future__ import annotations

import datetime as dt
import json
import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.topics import files
from cutline.topics.files import FileTopics

NOW = dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC)
COLUMNS = "topic string, key string, headers map<string,string>, value string, timestamp timestamp"
TOPICS = ["s.a", "s.b"]


def records(spark: SparkSession, values: dict[tuple[str, str], str | None]) -> DataFrame:
    """A record of each topic and key."""
    rows = [(topic, key, {"h": "1"}, value, NOW) for (topic, key), value in values.items()]
    return spark.createDataFrame(rows, COLUMNS)


def on_topics(folder: Path) -> list[tuple[str, str, object, str | None]]:
    """Topic, key, value and run of each line, as they stand."""
    rows = []
    for path in sorted(folder.glob("s.*/*.jsonl")):
        for line in map(json.loads, path.read_text().splitlines()):
            run = line["headers"].get("migrunid")
            rows.append((path.parent.name, line["key"], line["value"], run))
    return rows


def test_what_says_the_same_is_left_as_it_stands(spark: SparkSession, tmp_path: Path) -> None:
    topics = FileTopics(str(tmp_path), 1)
    first = {
        ("s.a", "k1"): '{"n":1.50}',
        ("s.a", "k2"): "2",
        ("s.a", "k3"): None,
        ("s.b", "x"): "1",
    }
    assert topics.compact_all(TOPICS, "run-1", records(spark, first)) == {"s.a": 3, "s.b": 1}
    second = first | {("s.a", "k2"): "3", ("s.b", "k1"): '{"n":1.50}', ("s.b", "x"): None}
    for _ in range(2):
        assert topics.compact_all(TOPICS, "run-2", records(spark, second)) == {"s.a": 3, "s.b": 2}
        assert on_topics(tmp_path) == [
            ("s.a", "k1", {"n": 1.5}, "run-1"),
            ("s.a", "k3", None, "run-1"),
            ("s.a", "k2", 3, "run-2"),
            ("s.b", "k1", {"n": 1.5}, "run-2"),
            ("s.b", "x", None, "run-2"),
        ]
    # What a run put there before goes, and what it does not say any more.
    again = {("s.a", "k2"): "4"}
    topics.compact_all(TOPICS, "run-2", records(spark, again))
    assert on_topics(tmp_path) == [
        ("s.a", "k1", {"n": 1.5}, "run-1"),
        ("s.a", "k3", None, "run-1"),
        ("s.a", "k2", 4, "run-2"),
    ]


def test_a_state_of_another_region_is_put_in_its_place(spark: SparkSession, tmp_path: Path) -> None:
    """Or that region would take away, with its own, what is this one's by now."""
    topics = FileTopics(str(tmp_path), 1)

    def of_region(region: str) -> DataFrame:
        rows = [("s.a", "k", {"ce_migregion": region}, "1", NOW)]
        return spark.createDataFrame(rows, COLUMNS)

    for number, region in enumerate(("north", "south", "south")):
        topics.compact_all(["s.a"], f"run-{number}", of_region(region))
    assert on_topics(tmp_path) == [("s.a", "k", 1, "run-1")]
    assert topics.standing(spark, ["s.a"], "north", "run-3").collect() == []
    assert topics.standing(spark, ["s.a"], "south", "run-3").collect() == [("s.a", "k")]


@pytest.mark.parametrize("seed", range(2))
def test_few_changes_are_written_as_many_are(
    seed: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the driver knows the keys that go, or Spark sorts out what stays."""
    chance = random.Random(seed)
    keys = ["a", 'quote"', "back\\slash", "ü\u2028", "", "5", "null", "x,y", '","key":"a']
    strange = [
        b'{"key":5,"offset":90,"headers":{},"value":1}',
        b'{"offset":91,"key":"a","headers":{"migrunid":"other"},"value":2}',
        b'{"key":null,"offset":92,"headers":{},"value":1}',
        b'{"partition":0,"offset":93,"key":"a","cut off',
        b'{"partition":0,"offset":95,"timestamp":"t","key":"a","headers":{"x":"y"}',
        b'["a"]',
        b'{"key":true,"offset":94}',
    ]
    places = [tmp_path / "few", tmp_path / "many"]
    for place in places:
        FileTopics(str(place), 2).compact_all(TOPICS, "run-0", records(spark, {("s.a", "a"): "0"}))
        with (place / "s.a" / "00000.jsonl").open("ab") as file:
            file.write(b"\n".join(strange) + b"\n")
    for number in range(3):
        values = {
            (topic, key): chance.choice(["1", "2", None, '{"a":[1.10]}'])
            for topic in TOPICS
            for key in keys
            if chance.random() < 0.6
        }
        for place in places:
            monkeypatch.setattr(files, "FEW", 200_000 if place.name == "few" else -1)
            FileTopics(str(place), 2).compact_all(TOPICS, f"run-{number}", records(spark, values))
    few, many = (
        {
            path.relative_to(place): path.read_bytes().split(b"\n")
            for path in place.glob("s.*/*.jsonl")
        }
        for place in places
    )
    # Where a line without an offset comes in the file is not said.
    assert {name: sorted(lines) for name, lines in few.items()} == {
        name: sorted(lines) for name, lines in many.items()
    }
    newest: dict[tuple[str, str], list[bytes]] = {}
    for name, lines in few.items():
        for line in lines:
            if line.startswith(b'{"partition"') and b'"value":' in line:
                newest.setdefault((name.parts[0], json.loads(line)["key"]), []).append(line)
    assert all(len(of_key) == 1 for of_key in newest.values())


def test_what_the_run_took_away_before_it_was_killed_counts_as_standing(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Or the run, when it is done again, would not take it away, and forget that it had."""
    topics = FileTopics(str(tmp_path), 1)

    def of_north(values: dict[str, str | None]) -> DataFrame:
        rows = [("s.a", key, {"ce_migregion": "north"}, v, NOW) for key, v in values.items()]
        return spark.createDataFrame(rows, COLUMNS)

    def standing(run_id: str, keys: DataFrame | None = None) -> list[str]:
        rows = topics.standing(spark, ["s.a"], "north", run_id, keys)
        return sorted(row["key"] for row in rows.collect())

    topics.compact_all(["s.a"], "run-1", of_north({"a": "1", "b": None, "c": "1"}))
    topics.compact_all(["s.a"], "run-2", of_north({"c": None}))
    assert standing("run-2") == ["a", "c"]
    assert standing("run-3") == ["a"]
    with (tmp_path / "s.a" / "00000.jsonl").open("ab") as file:
        for strange in (b'"key":"c"', b'"key":"c","headers":[],"value":1', b'"key":"x","value":1'):
            file.write(b'{"partition":0,"offset":9,"timestamp":null,%b}\n' % strange)
    keys = spark.createDataFrame(
        [("s.a", "c"), ("s.a", "x"), ("s.b", "a")], "topic string, key string"
    )
    assert standing("run-2", keys) == ["c"]
    assert standing("run-3", keys) == []
