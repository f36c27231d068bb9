"""A slice whose changes are on topics of Kafka goes on from run to run, and reads what came since."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Mapping

import pytest
from confluent_kafka import TopicPartition
from pyspark.sql import SparkSession

from cutline.api.stages import ADVANCE_STAGES, STAGES
from cutline.errors import ConfigurationError
from cutline.kafka.frozen import FrozenTopics
from cutline.results import ExtractResult
from cutline.workspace import BaseRun
from support.advanced import differences
from support.change_topics import ChangeTopics, GrowingTopics
from support.published import new_name
from support.repairs import TRANSLATION, Drawn
from support.servers.kafka import KafkaBroker, Record

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.usefixtures("sorted_out")]

COMMITS = 120


def extract_of(run: BaseRun) -> ExtractResult:
    """What a run says of its extract."""
    extract = run.done["extract"]
    assert isinstance(extract, ExtractResult)
    return extract


def noted(number: int, ticket: str) -> Record:
    """A live event about a ticket, an hour after its history."""
    at = dt.datetime(2026, 11, 1, 1, number % 60, tzinfo=dt.UTC).isoformat()
    attributes = {
        "specversion": "1.0",
        "id": f"live-{number}",
        "source": "urn:desk",
        "type": "Noted",
        "subject": ticket,
        "time": at,
    }
    headers = [(f"ce_{name}", text.encode()) for name, text in attributes.items()]
    headers.append(("content-type", b"application/json"))
    return Record(ticket.encode(), json.dumps({"note": f"n{number}"}).encode(), tuple(headers))


@pytest.mark.soak
def test_any_split_of_topics_gives_the_rows_and_books_of_one_run(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of each log rows stand there without the end of their transaction: they are left to the next."""
    rng = random.Random(3)
    topics = ChangeTopics(kafka_broker, new_name("changes"), Drawn(5, COMMITS).lines)
    advanced = GrowingTopics(
        spark, tmp_path_factory.mktemp("advanced"), TRANSLATION, topics, ends=True
    )
    for share in (0.5, 0.8, None):
        for log in topics.records:
            everything = topics.everything(log)
            topics.send(log, everything if share is None else topics.somewhere(log, share, rng))
        last = advanced.run(ADVANCE_STAGES[:4])
    assert advanced.notes == []
    first, second, _ = (extract_of(run) for run in advanced.runs)
    assert first.advanced_from is None
    assert second.advanced_from == "run0"
    assert first.topics != second.topics
    whole = GrowingTopics(spark, tmp_path_factory.mktemp("whole"), TRANSLATION, topics, ends=True)
    assert differences(spark, last, whole.run(STAGES[:4])) == {}


@pytest.mark.soak
def test_changes_that_come_again_and_live_events_are_read_once(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The connector is restarted between the runs, and tells no ends of transactions."""
    prefix = new_name("again")
    topics = ChangeTopics(kafka_broker, prefix, Drawn(6, COMMITS).lines)
    live = kafka_broker.create_topic(f"{prefix}.live", 2)

    def slice_of(name: str) -> GrowingTopics:
        folder = tmp_path_factory.mktemp(name)
        return GrowingTopics(spark, folder, TRANSLATION, topics, ends=False, live=live)

    advanced = slice_of("advanced")
    for number, share in enumerate((0.6, 0.8, 1.0)):
        for log in topics.records:
            if number:
                topics.send_again(log, share - 0.25)
            topics.send(log, topics.whole(log, share))
        kafka_broker.produce(live, [noted(10 * number + i, f"T{i}") for i in range(1, 9)])
        last = advanced.run(ADVANCE_STAGES[:4])
    assert advanced.notes == []
    assert [extract_of(run).advanced_from for run in advanced.runs] == [None, "run0", "run1"]
    assert [rows_of(run, "live_events") for run in advanced.runs[1:]] == [16, 24]
    assert differences(spark, last, slice_of("whole").run(STAGES[:4])) == {}

    # What was read is not needed any more; what was not read is.
    remove_records(kafka_broker, extract_of(last).topics)
    topics.send_again("shop", 0.95)
    again = advanced.run(ADVANCE_STAGES[:1])
    assert (extract_of(again).advanced_from, advanced.notes) == ("run2", [])
    advanced.runs.pop()
    topics.send_again("shop", 0.95)
    with advanced.frozen(advanced.project()) as inputs:
        remove_records(kafka_broker, inputs.positions)
    with pytest.raises(ConfigurationError, match="came since the slice's last run"):
        advanced.run(ADVANCE_STAGES[:1])


def rows_of(run: BaseRun, name: str) -> int:
    """The rows of a table of a run."""
    return next(t.rows for r in run.done.values() for t in r.tables if t.name == name)


def remove_records(broker: KafkaBroker, positions: Mapping[str, str]) -> None:
    """Removes what topics have before these positions, as retention does."""
    ends = [
        TopicPartition(name, partition, end)
        for position in positions.values()
        for name, topic in FrozenTopics.read(position).topics.items()
        for partition, (_, end) in topic.partitions.items()
    ]
    admin = broker.admin()
    for removed in admin.delete_records(ends).values():
        removed.result(30)
