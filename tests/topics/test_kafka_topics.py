"""Runs of a slice that publish to Kafka: each record once, in order, read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka.admin import NewPartitions
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, RunFailed, SliceBusy
from cutline.topics.kafka.admin import APPENDED
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.murmur2 import partition
from cutline.topics.record import ControlRecord
from cutline_reconciliation.compare.counts.settings import session_settings
from support.published import MOMENT, Desk, events, new_name, states
from support.servers.kafka import KafkaBroker, Record

pytestmark = pytest.mark.kafka

ROWS = [(f"SO-{n % 5}", f"e-{n}", n) for n in range(40)]


@pytest.fixture
def desk(kafka_broker: KafkaBroker, tmp_path: Path) -> Desk:
    return Desk(kafka_broker, tmp_path, new_name("desk"))


def publish(
    desk: Desk, spark: SparkSession, run: str, epoch: int, rows: list[tuple[str, str, int]]
) -> dict[str, int]:
    records = events(spark, desk.history, run, rows, desk.region)
    return desk.topics(run, epoch).append_all([desk.history], run, records, ("ordinal",))


def by_subject(desk: Desk) -> dict[str, list[str]]:
    """The ids of events on the topic, by subject, in the order of reading."""
    ids: dict[str, list[str]] = {}
    for message in desk.broker.read(desk.history):
        key, value = message.key() or b"", message.value() or b""
        ids.setdefault(key.decode(), []).append(value.decode().strip('"'))
    return ids


def expected(rows: list[tuple[str, str, int]]) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {}
    for subject, name, _ in sorted(rows, key=lambda row: row[2]):
        ids.setdefault(subject, []).append(name)
    return ids


def test_a_run_is_published_once_in_the_order_of_each_subject(
    spark: SparkSession, desk: Desk
) -> None:
    assert publish(desk, spark, "run-1", 1, list(reversed(ROWS))) == {desk.history: 40}
    assert by_subject(desk) == expected(ROWS)
    for message in desk.broker.read(desk.history):
        assert partition((message.key() or b"").decode(), 2) == message.partition()
        headers = dict(message.headers() or [])
        assert headers["migrunid"] == b"run-1"
        assert headers["ce_type"] == b"Placed"
        assert message.timestamp()[1] == round(MOMENT.timestamp() * 1000)
    entries = desk.entries("run-1", desk.history)
    assert [entry.partition for entry in entries] == [0, 1]
    assert sum(entry.records or 0 for entry in entries) == 40
    assert {entry.begins for entry in entries} == {0}
    for entry in entries:
        offsets = [
            m.offset() for m in desk.broker.read(desk.history) if m.partition() == entry.partition
        ]
        assert (entry.first, entry.last) == (offsets[0], offsets[-1])
        assert len(entry.digest or "") == 32


def test_the_same_run_again_sends_nothing_and_is_read_back_again(
    spark: SparkSession, desk: Desk
) -> None:
    publish(desk, spark, "run-1", 1, ROWS)
    first = desk.entries("run-1", desk.history)
    assert publish(desk, spark, "run-1", 2, ROWS) == {desk.history: 40}
    assert by_subject(desk) == expected(ROWS)
    again = desk.entries("run-1", desk.history)
    assert [replace(entry, ends=None) for entry in again] == [
        replace(entry, ends=None) for entry in first
    ]


def test_another_run_sends_only_what_is_not_there(spark: SparkSession, desk: Desk) -> None:
    publish(desk, spark, "run-1", 1, ROWS)
    # Two events more; one says something else by now; five are not there any more.
    later = [*ROWS[5:], ("SO-1", "e-40", 40), ("SO-2", "e-41", 41)]
    records = events(spark, desk.history, "run-2", later)
    changed = records.selectExpr(
        "topic",
        "key",
        "headers",
        "if(value = '\"e-7\"', '\"x\"', value) AS value",
        "timestamp",
        "ordinal",
    )
    topics = desk.topics("run-2", 2)
    assert topics.append_all([desk.history], "run-2", changed, ("ordinal",)) == {desk.history: 2}
    assert by_subject(desk) == expected([*ROWS, *later[-2:]])
    entries = desk.entries("run-2", desk.history)
    assert sum(entry.standing for entry in entries) == 35
    assert sum(entry.differing for entry in entries) == 1
    assert sum(entry.withdrawn for entry in entries) == 5


def test_a_run_that_is_resumed_after_another_one_sends_what_neither_sent(
    spark: SparkSession, desk: Desk
) -> None:
    publish(desk, spark, "run-1", 1, ROWS[:10])
    publish(desk, spark, "run-2", 2, ROWS[:20])
    assert publish(desk, spark, "run-1", 3, ROWS[:25]) == {desk.history: 5}
    assert by_subject(desk) == expected(ROWS[:25])


def test_an_older_epoch_never_writes(spark: SparkSession, desk: Desk) -> None:
    publish(desk, spark, "run-1", 2, ROWS[:10])
    with pytest.raises(SliceBusy, match="published to by a newer process, of run run-1"):
        publish(desk, spark, "run-9", 1, ROWS)
    assert by_subject(desk) == expected(ROWS[:10])


def test_partitions_that_are_added_while_a_run_sends(spark: SparkSession, desk: Desk) -> None:
    topics = desk.topics("run-1", 1)
    records = events(spark, desk.history, "run-1", ROWS, desk.region)
    topics.append_all([desk.history], "run-1", records, ("ordinal",))
    more = [NewPartitions(desk.history, 3)]
    admin = desk.broker.admin()
    admin.create_partitions(more)[desk.history].result(30)
    with pytest.raises(RunFailed, match="3 partitions now, and had 2") as failed:
        topics.append_all([desk.history], "run-1", records, ("ordinal",))
    assert "not called done" in failed.value.left_behind


def test_two_regions_share_topics(spark: SparkSession, desk: Desk) -> None:
    south = replace(desk, region="south", folder=desk.folder / "south")
    publish(desk, spark, "run-1", 1, ROWS[:10])
    assert publish(south, spark, "run-9", 1, ROWS[:10]) == {desk.history: 10}
    assert publish(desk, spark, "run-2", 2, ROWS[:12]) == {desk.history: 2}
    assert len(desk.broker.read(desk.history)) == 22


def test_a_region_of_which_nothing_stands_there_where_plans_are_made_again(
    spark: SparkSession, desk: Desk
) -> None:
    """What others wrote is looked for in records that Spark then leaves out of its plan."""
    south = replace(desk, region="south", folder=desk.folder / "south")
    with session_settings(spark, {"spark.sql.adaptive.enabled": "true"}):
        assert publish(desk, spark, "run-1", 1, ROWS[:10]) == {desk.history: 10}
        assert publish(south, spark, "run-9", 1, ROWS[:10]) == {desk.history: 10}


def test_state_is_compacted_and_only_what_changed_is_sent(spark: SparkSession, desk: Desk) -> None:
    topics = desk.topics("run-1", 1)
    first = {"a": "1", "b": "2", "c": None, "d": "4"}
    frame = states(spark, desk.state, "run-1", first)
    assert topics.compact_all([desk.state], "run-1", frame) == {desk.state: 4}
    topics = desk.topics("run-2", 2)
    standing = topics.standing(spark, [desk.state], "north", "run-2").collect()
    assert {row["key"] for row in standing} == {"a", "b", "d"}
    keys = spark.createDataFrame([(desk.state, "b"), (desk.state, "c")], "topic string, key string")
    assert [
        row["key"] for row in topics.standing(spark, [desk.state], "north", "run-2", keys).collect()
    ] == ["b"]
    second = {"a": "1", "b": "3", "c": None, "d": None}
    frame = states(spark, desk.state, "run-2", second)
    assert topics.compact_all([desk.state], "run-2", frame) == {desk.state: 2}
    last = {m.key(): m.value() for m in desk.broker.read(desk.state)}
    assert last == {b"a": b"1", b"b": b"3", b"c": None, b"d": None}
    assert len(desk.broker.read(desk.state)) == 6


def test_what_stands_there_is_that_of_the_first_attempt(spark: SparkSession, desk: Desk) -> None:
    """A run that goes on compares with what stood there before its own first record."""
    topics = desk.topics("run-1", 1)
    topics.compact_all([desk.state], "run-1", states(spark, desk.state, "run-1", {"a": "1"}))
    frame = states(spark, desk.state, "run-2", {"a": None, "b": "2"})
    for epoch in (2, 3):
        topics = desk.topics("run-2", epoch)
        keys = topics.standing(spark, [desk.state], "north", "run-2").collect()
        assert [row["key"] for row in keys] == ["a"]
        assert topics.compact_all([desk.state], "run-2", frame) == {desk.state: 2}
    assert len(desk.broker.read(desk.state)) == 3


def test_the_structured_binding_on_request(spark: SparkSession, desk: Desk) -> None:
    desk = replace(desk, settings=KafkaSettings(2, 1, structured=True))
    publish(desk, spark, "run-1", 1, ROWS[:1])
    [message] = desk.broker.read(desk.history)
    assert dict(message.headers() or [])["content-type"] == b"application/cloudevents+json"
    assert b'"data":"e-0"' in (message.value() or b"")
    assert publish(desk, spark, "run-2", 2, ROWS[:2]) == {desk.history: 1}
    assert {e.differing for e in desk.entries("run-2", desk.history)} == {1, 0}


def test_single_records_are_told_once_by_each_run(desk: Desk) -> None:
    def append_stages_done(run: str, epoch: int, *steps: str) -> None:
        records = [
            ControlRecord("shop/north", "stage-done", step, MOMENT, "urn:cutline:shop", {"s": step})
            for step in steps
        ]
        desk.topics(run, epoch).append_records(topic, run, records)

    topic = f"{desk.prefix}.shop.control"
    append_stages_done("run-1", 1, "extract")
    append_stages_done("run-2", 2, "extract")
    append_stages_done("run-1", 3, "extract", "merge")
    assert [m.value() for m in desk.broker.read(topic)] == [
        b'{"s":"extract"}',
        b'{"s":"extract"}',
        b'{"s":"merge"}',
    ]


def test_topics_are_read_as_far_as_they_are_committed(spark: SparkSession, desk: Desk) -> None:
    live = desk.broker.create_topic(f"{desk.prefix}.shop.order.live", 2, APPENDED)
    desk.broker.produce(live, [Record(b"k", b'{"a":1}', (("ce_id", b"1"),), 1), Record(b"k", None)])
    rows = desk.topics("run-1", 1).read(spark, [live, f"{desk.prefix}.shop.stock.live"]).collect()
    assert sorted((r["key"], r["value"]) for r in rows if r["headers"]) == [("k", '{"a":1}')]
    assert len(rows) == 2
    assert {r["topic"] for r in rows} == {live}


def test_records_that_somebody_adds_under_the_runs_name_are_seen(
    spark: SparkSession, desk: Desk
) -> None:
    """What is read back is not what was sent: the stage fails, with the numbers."""
    publish(desk, spark, "run-1", 1, ROWS)
    before = desk.entries("run-1", desk.history)[0].records
    stranger = Record(b"SO-1", b"1", (("migrunid", b"run-1"),), partition=0)
    desk.broker.produce(desk.history, [stranger])
    with pytest.raises(RunFailed) as failed:
        publish(desk, spark, "run-1", 2, ROWS)
    assert before is not None
    assert f"{desk.history}[0] has {before + 1} records of the run, not {before}" in (
        failed.value.what
    )
    assert not desk.entries("run-1", desk.history)[0].is_read_back


def test_a_topic_with_records_of_somebody_else_is_no_target(
    spark: SparkSession, desk: Desk
) -> None:
    topics = desk.topics("run-1", 1)
    desk.broker.create_topic(desk.history, 2, APPENDED)
    desk.broker.produce(desk.history, [Record(b"k", b"1")] * 3)
    records = events(spark, desk.history, "run-1", ROWS[:2])
    for _ in range(2):
        with pytest.raises(ConfigurationError) as refused:
            topics.append_all([desk.history], "run-1", records, ("ordinal",))
        assert f"topic {desk.history}" in refused.value.what
        assert "holds 3 records that Cutline did not write" in refused.value.what
    assert len(desk.broker.read(desk.history)) == 3
