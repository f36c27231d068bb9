"""Topics as files: appended, appended again, interrupted, compacted and read."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError, RunFailed
from cutline.topics.files import ControlRecord, FileTopics
from cutline.topics.murmur2 import partition
from cutline.topics.partition_file import PartitionFile

NOW = dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC)
EVENTS = "shop.orders.order.synthetic"
STATE = "shop.orders.order.state"


@pytest.fixture
def topics(tmp_path: Path) -> FileTopics:
    return FileTopics(str(tmp_path / "topics"), 3)


def records(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    """Rows of key, value and, where order matters, a place."""
    full = [(r[0], {"h": "1"}, r[1], NOW, r[2] if len(r) > 2 else 0) for r in rows]
    return spark.createDataFrame(
        full,
        "key string, headers map<string,string>, value string, timestamp timestamp, place int",
    )


def lines(topics: FileTopics, topic: str) -> list[dict[str, Any]]:
    """The records as they stand in the files, by partition and offset."""
    folder = topics._root / topic
    return [
        json.loads(line)
        for path in sorted(folder.iterdir())
        for line in path.read_text().splitlines()
    ]


def keys_values_and_runs(topics: FileTopics, topic: str) -> list[tuple[str, Any, str]]:
    return [(r["key"], r["value"], r["headers"]["migrunid"]) for r in lines(topics, topic)]


def by_key(topics: FileTopics, topic: str) -> dict[str, Any]:
    records_of_topic = lines(topics, topic)
    assert len({r["key"] for r in records_of_topic}) == len(records_of_topic)
    return {r["key"]: r["value"] for r in records_of_topic}


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def test_a_record_stands_on_one_line_of_its_partition(
    spark: SparkSession, topics: FileTopics
) -> None:
    topics.append(EVENTS, "run-1", records(spark, ("é\n", '{"a":\r\n"\\n"}'), (None, None)))
    expected = [
        (partition("é\n", 3), "é\n", {"a": "\n"}),
        (0, None, None),
    ]
    written = lines(topics, EVENTS)
    assert (
        sorted((r["partition"], r["key"], r["value"]) for r in written if r["key"]) == expected[:1]
    )
    assert [(r["partition"], r["key"], r["value"]) for r in written if not r["key"]] == expected[1:]
    assert all(r["headers"] == {"h": "1", "migrunid": "run-1"} for r in written)
    assert all(r["timestamp"] == "2026-11-01T05:00:00.000000Z" for r in written)
    names = sorted(p.name for p in (topics._root / EVENTS).iterdir())
    assert names == ["00000.jsonl", "00001.jsonl", "00002.jsonl"]


def test_a_keys_records_stand_in_the_order_asked_for_and_offsets_count_up(
    spark: SparkSession, topics: FileTopics
) -> None:
    rows = [(f"k{i % 7}", f'{{"n":{i}}}', 100 - i) for i in range(60)]
    topics.append(EVENTS, "run-1", records(spark, *rows), order=["place"])
    written = lines(topics, EVENTS)
    for key in {r["key"] for r in written}:
        numbers = [r["value"]["n"] for r in written if r["key"] == key]
        assert numbers == sorted(numbers, reverse=True)
    for number in range(3):
        offsets = [r["offset"] for r in written if r["partition"] == number]
        assert offsets == list(range(len(offsets)))


def test_what_a_run_appends_again_replaces_what_it_appended_before(
    spark: SparkSession, topics: FileTopics
) -> None:
    topics.append(EVENTS, "run-1", records(spark, ("a", "1"), ("b", "2")))
    topics.append(EVENTS, "run-2", records(spark, ("a", "3"), ("c", "4")))
    first = folder_bytes(topics._root / EVENTS)
    topics.append(EVENTS, "run-2", records(spark, ("a", "3"), ("c", "4")))
    assert folder_bytes(topics._root / EVENTS) == first
    topics.append(EVENTS, "run-1", records(spark, ("b", "5")))
    assert sorted(keys_values_and_runs(topics, EVENTS)) == [
        ("a", 3, "run-2"),
        ("b", 5, "run-1"),
        ("c", 4, "run-2"),
    ]
    topics.append(EVENTS, "run-2", records(spark).limit(0))
    assert keys_values_and_runs(topics, EVENTS) == [("b", 5, "run-1")]


def test_a_run_that_names_another_in_its_values_is_not_taken_for_it(
    spark: SparkSession, topics: FileTopics
) -> None:
    value = '{"headers":{"migrunid":"run-1"}}'
    topics.append(EVENTS, "run-2", records(spark, ("a", value)))
    topics.append(EVENTS, "run-1", records(spark, ("a", "1")))
    assert [run for _, _, run in keys_values_and_runs(topics, EVENTS)] == ["run-2", "run-1"]


def test_a_kill_between_two_partitions_leaves_whole_ones_and_the_next_attempt_mends(
    spark: SparkSession, topics: FileTopics, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics.append(EVENTS, "run-1", records(spark, *((f"k{i}", "1") for i in range(20))))
    before = folder_bytes(topics._root / EVENTS)
    new = records(spark, *((f"k{i}", "2") for i in range(20)))
    add = PartitionFile.add

    def cut_off(bodies: Iterator[bytes]) -> Iterator[bytes]:
        yield next(bodies)
        raise KeyboardInterrupt

    def killed(self: PartitionFile, bodies: Iterator[bytes]) -> None:
        add(self, cut_off(bodies) if self.number == 1 else bodies)

    monkeypatch.setattr(PartitionFile, "add", killed)
    with pytest.raises(KeyboardInterrupt):
        topics.append(EVENTS, "run-2", new)
    between = folder_bytes(topics._root / EVENTS)
    assert between["00000.jsonl"] != before["00000.jsonl"]
    assert between["00001.jsonl"] == before["00001.jsonl"]
    assert between["00002.jsonl"] == before["00002.jsonl"]
    assert {r["topic"] for r in topics.read(spark, [EVENTS]).collect()} == {EVENTS}
    monkeypatch.undo()

    topics.append(EVENTS, "run-2", new)
    mended = keys_values_and_runs(topics, EVENTS)
    assert len(mended) == 40
    assert {(k, v) for k, v, _ in mended} == {(f"k{i}", n) for i in range(20) for n in (1, 2)}
    assert not list((topics._root / EVENTS).glob(".*"))


def test_what_a_killed_attempt_left_in_its_work_folder_is_not_counted(
    spark: SparkSession, topics: FileTopics
) -> None:
    left = topics._root / "_appending" / f"{EVENTS}.run-1" / "of_topic=0" / "is_new=true"
    left.mkdir(parents=True)
    (left / "part-00000-half.txt").write_text('"timestamp":"2026')
    topics.append(EVENTS, "run-1", records(spark, ("a", "1")))
    assert keys_values_and_runs(topics, EVENTS) == [("a", 1, "run-1")]
    assert [p.name for p in (topics._root / "_appending").iterdir()] == [f"{EVENTS}.lock"]


def test_lines_of_others_stay_even_those_that_nobody_can_read(
    spark: SparkSession, topics: FileTopics
) -> None:
    topics.append(EVENTS, "run-1", records(spark, ("a", "1")))
    path = topics._root / EVENTS / f"{partition('a', 3):05d}.jsonl"
    half = b'{"partition":0,"offset":41,"timestamp":"2026\xff'
    path.write_bytes(path.read_bytes() + b'{"key":"other","offset":7}\n' + half)
    topics.append(EVENTS, "run-1", records(spark, ("a", "2")))
    raw_lines = path.read_bytes().split(b"\n")
    assert raw_lines[:2] == [b'{"key":"other","offset":7}', half]
    assert json.loads(raw_lines[2])["offset"] == 42
    assert raw_lines[3:] == [b""]


def test_a_topic_keeps_its_number_of_partitions(spark: SparkSession, topics: FileTopics) -> None:
    topics.append(EVENTS, "run-1", records(spark, ("a", "1")))
    with_five = FileTopics(str(topics._root), 5)
    with pytest.raises(ConfigurationError, match=rf"{EVENTS} .* has 3 partitions.*asks for 5"):
        with_five.append(EVENTS, "run-1", records(spark, ("a", "1")))
    assert keys_values_and_runs(topics, EVENTS) == [("a", 1, "run-1")]


def stage_done(step: str, **data: Any) -> ControlRecord:
    return ControlRecord("orders/eu", "stage-done", step, NOW, "urn:cutline:orders", data)


def test_single_records_are_told_once_a_run(topics: FileTopics) -> None:
    control = "shop.orders.control"
    topics.append_records(control, "run-1", [stage_done("extract", rows=1), stage_done("merge")])
    topics.append_records(control, "run-1", [stage_done("extract", rows=2), stage_done("report")])
    topics.append_records(control, "run-2", [stage_done("extract", rows=3)])
    written = lines(topics, control)
    assert [(r["headers"]["migrunid"], r["value"]) for r in written] == [
        ("run-1", {"rows": 1}),
        ("run-1", {}),
        ("run-1", {}),
        ("run-2", {"rows": 3}),
    ]
    assert [r["offset"] for r in written] == [0, 1, 2, 3]
    assert {r["partition"] for r in written} == {partition("orders/eu", 3)}
    assert written[0]["headers"]["ce_type"] == "stage-done"
    assert written[0]["headers"]["ce_time"] == "2026-11-01T05:00:00.000000Z"
    assert len({r["headers"]["ce_id"] for r in written}) == 4


@pytest.mark.process
def test_telling_needs_no_spark() -> None:
    code = (
        "import sys, tempfile, datetime as dt\n"
        "from cutline.topics.files import FileTopics, ControlRecord\n"
        "now = dt.datetime.now(dt.timezone.utc)\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    one = ControlRecord('k', 'run-started', 'run', now, 'urn:x', {})\n"
        "    FileTopics(folder, 2).append_records('a.b.control', 'run-1', [one])\n"
        "sys.exit('pyspark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.process
def test_two_processes_take_turns(topics: FileTopics) -> None:
    code = (
        "import sys, datetime as dt\n"
        "from cutline.topics.files import FileTopics, ControlRecord\n"
        "now = dt.datetime.now(dt.timezone.utc)\n"
        "for step in range(20):\n"
        "    one = ControlRecord('k', 'stage-done', str(step), now, 'urn:x', {})\n"
        "    FileTopics(sys.argv[1], 3).append_records('a.b.control', sys.argv[2], [one])\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(topics._root), run])
        for run in ("run-1", "run-2")
    ]
    assert [w.wait(60) for w in writers] == [0, 0]
    written = lines(topics, "a.b.control")
    assert [r["offset"] for r in written] == list(range(40))


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("a file where the folder should be")
    with pytest.raises(RunFailed, match=r"a\.b\.control cannot be written"):
        FileTopics(str(tmp_path / "topics"), 1).append_records(
            "a.b.control", "r", [stage_done("x")]
        )


def test_a_compacted_topic_keeps_the_last_record_of_each_key(
    spark: SparkSession, topics: FileTopics
) -> None:
    topics.compact(STATE, "run-1", records(spark, *((f"k{i}", "1") for i in range(9))))
    new = records(spark, ("k1", "2", 1), ("k1", "4", 3), ("k1", "3", 2), ("k2", None), ("x", "5"))
    topics.compact(STATE, "run-2", new, order=["place"])
    expected = {f"k{i}": 1 for i in range(9)} | {"k1": 4, "k2": None, "x": 5}
    assert by_key(topics, STATE) == expected
    once = folder_bytes(topics._root / STATE)
    for number in range(3):
        offsets = [r["offset"] for r in lines(topics, STATE) if r["partition"] == number]
        assert offsets == sorted(set(offsets))
    topics.compact(STATE, "run-2", new, order=["place"])
    assert by_key(topics, STATE) == expected
    assert {n: len(b.splitlines()) for n, b in folder_bytes(topics._root / STATE).items()} == {
        n: len(b.splitlines()) for n, b in once.items()
    }


def test_a_compacted_topic_needs_keys(spark: SparkSession, topics: FileTopics) -> None:
    with pytest.raises(Exception, match="a compacted topic needs a key in each record"):
        topics.compact(STATE, "run-1", records(spark, (None, "1")))


def test_reading_gives_every_line_once(spark: SparkSession, topics: FileTopics) -> None:
    value = '{"n": 12345678901234567890123456789.50, "s":"5", "e":1e3, "t":"\\u0041\u2028"}'
    topics.append(EVENTS, "run-1", records(spark, ("a", value), ("b", None), ("c", '"{}"')))
    unreadable = [
        '{"partition":1,"offset":77,"timestamp":"2026',
        '{"key":"k","offset":1}{"key":"l","offset":2}',
        '["key"]',
        '{"key":"k","key":"l"}',
        "",
        "  ",
    ]
    with (topics._root / EVENTS / "00001.jsonl").open("a") as file:
        file.write("\n".join([*unreadable, '{"value":7,"key":"late"}']))
    lines_read = topics.read(spark, [EVENTS, "shop.orders.nothing.live"]).collect()
    rows = {r["key"] or r["line"]: r for r in lines_read}
    assert len(lines_read) == len(rows) == 8
    a = rows["a"]
    assert (a["topic"], a["partition"], a["offset"]) == (EVENTS, partition("a", 3), 0)
    assert a["headers"] == {"h": "1", "migrunid": "run-1"}
    assert a["timestamp"].astimezone(dt.UTC) == NOW
    assert json.loads(a["value"], parse_int=str, parse_float=str) == {
        "n": "12345678901234567890123456789.50",
        "s": "5",
        "e": "1e3",
        "t": "A\u2028",
    }
    assert rows["b"]["value"] is None
    assert rows["c"]["value"] == '"{}"'
    assert rows["late"]["value"] == "7"
    assert rows["late"]["partition"] == 1
    assert rows["late"]["offset"] is None
    for line in unreadable[:4]:
        row = rows[line]
        assert (row["topic"], row["partition"], row["key"]) == (EVENTS, 1, None)
        assert row["headers"] is row["value"] is row["timestamp"] is None
    assert rows[unreadable[0]]["offset"] == 77


def test_topics_that_are_not_there_have_no_records(spark: SparkSession, topics: FileTopics) -> None:
    nothing = topics.read(spark, ["shop.orders.order.live"])
    assert nothing.collect() == []
    assert nothing.columns == topics.read(spark, []).columns
