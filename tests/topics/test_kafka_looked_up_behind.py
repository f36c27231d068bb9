"""A run that goes on from another reads topics behind what that one looked up, and finds the same."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
from pyspark.sql import SparkSession

from cutline.lake import Lake
from cutline.topics.kafka.admin import APPENDED
from support.published import Desk, events, new_name, states
from support.servers.kafka import KafkaBroker

pytestmark = pytest.mark.kafka

Event = tuple[str, str, int]


@pytest.fixture
def desk(kafka_broker: KafkaBroker, tmp_path: Path) -> Desk:
    return Desk(kafka_broker, tmp_path / "whole", new_name("whole"))


def publish(
    desk: Desk,
    spark: SparkSession,
    number: int,
    rows: list[Event],
    state: dict[str, str | None],
    *,
    behind: int | None = None,
) -> tuple[int, int]:
    """How many events and states run `number` sends, `behind` an earlier one."""
    run = f"{desk.region}-{number}"
    earlier = None if behind is None else Lake(str(desk.folder / f"{desk.region}-{behind}"))
    topics = replace(desk.topics(run, number), earlier=earlier)
    history = events(spark, desk.history, run, rows, desk.region)
    counts = topics.append_all([desk.history], run, history, ("ordinal",))
    of_states = states(spark, desk.state, run, state, desk.region)
    of_state = topics.compact_all([desk.state], run, of_states)
    return counts[desk.history], of_state[desk.state]


def on_topics(desk: Desk) -> list[tuple[int, bytes | None, bytes | None]]:
    return [
        (message.partition(), message.key(), message.value())
        for topic in (desk.history, desk.state)
        for message in sorted(desk.broker.read(topic), key=lambda m: (m.partition(), m.offset()))
    ]


def ledger(desk: Desk) -> list[tuple[object, ...]]:
    """What the ledger says of each run, but for where it is."""
    return [
        (
            run,
            topic.removeprefix(desk.prefix),
            part,
            e.records,
            e.standing,
            e.differing,
            e.withdrawn,
        )
        for (run, topic, part), e in sorted(desk.ledger.items())
    ]


@pytest.mark.soak
@pytest.mark.parametrize("seed", [0, 1])
def test_as_if_all_had_been_read(
    seed: int, spark: SparkSession, desk: Desk, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    """Runs of two regions, which share topics, by turns: each sends, and counts, the same."""
    chance = random.Random(seed)
    regions = ["north", "south"]
    wholes = {region: replace(desk, region=region) for region in regions}
    tail_desk = Desk(kafka_broker, tmp_path / "tail", new_name("tail"))
    tails = {region: replace(tail_desk, region=region) for region in regions}
    last: dict[str, int] = {}
    for number in range(1, 6):
        region = "north" if number in (1, 5) else chance.choice(regions)
        size, dropped = 3 + 2 * number, chance.randrange(4)
        rows = [(f"SO-{n % 5}", f"{region}-{n}", n) for n in range(size) if n != dropped]
        state = {f"SO-{n}": chance.choice(["1", "2", None]) for n in range(5)}
        sent = publish(wholes[region], spark, number, rows, state)
        assert publish(tails[region], spark, number, rows, state, behind=last.get(region)) == sent
        last[region] = number
    assert on_topics(tail_desk) == on_topics(desk)
    assert ledger(tail_desk) == ledger(desk)


def test_what_retention_removed_since_is_not_sent_again(spark: SparkSession, desk: Desk) -> None:
    rows = [(f"SO-{n % 5}", f"e-{n}", n) for n in range(20)]
    publish(desk, spark, 1, rows, {"SO-1": "1"})
    publish(desk, spark, 2, rows, {"SO-1": "1"}, behind=1)
    admin = desk.broker.admin()
    ends = [TopicPartition(desk.history, part, -1) for part in range(2)]
    for deleted in admin.delete_records(ends).values():
        deleted.result(30)
    sent = publish(desk, spark, 3, rows, {"SO-1": "1"}, behind=2)
    assert sent == (0, 0)
    # Who reads all there is has nothing to know it by.
    assert publish(desk, spark, 4, rows, {"SO-1": "1"})[0] == 20


@pytest.mark.parametrize("lost", ["topic", "lake"])
def test_all_is_read_where_a_topic_was_made_anew_or_a_lake_is_gone(
    lost: str, spark: SparkSession, desk: Desk
) -> None:
    rows = [("SO-1", "e-1", 1), ("SO-2", "e-2", 2)]
    publish(desk, spark, 1, rows, {"SO-1": "1"})
    publish(desk, spark, 2, rows, {"SO-1": "1"}, behind=1)
    if lost == "topic":
        admin = desk.broker.admin()
        admin.delete_topics([desk.history])[desk.history].result(30)
        desk.broker.create_topic(desk.history, 2, APPENDED)
    else:
        for table in (desk.folder / "north-2").glob("standing-*"):
            table.rename(table.with_name(f"gone-{table.name}"))
    sent = publish(desk, spark, 3, rows, {"SO-1": "1"}, behind=2)
    assert sent == (2 if lost == "topic" else 0, 0)
    assert publish(desk, spark, 4, rows, {"SO-1": "1"}, behind=3) == (0, 0)


def test_a_state_that_the_topic_has_forgotten_is_sent(spark: SparkSession, desk: Desk) -> None:
    """Compaction removes a state for the tombstone behind it, and in the end that, too."""
    rows = [("SO-1", "e-1", 1)]
    publish(desk, spark, 1, rows, {"SO-1": "1"})
    publish(desk, spark, 2, rows, {"SO-1": None}, behind=1)
    set_cleanup(desk, "compact,delete")
    admin = desk.broker.admin()
    ends = [TopicPartition(desk.state, part, -1) for part in range(2)]
    for deleted in admin.delete_records(ends).values():
        deleted.result(30)
    set_cleanup(desk, "compact")
    assert publish(desk, spark, 3, rows, {"SO-1": "1"}, behind=2) == (0, 1)


def set_cleanup(desk: Desk, policy: str) -> None:
    """Have the topic of states cleaned up so: records of a compacted one cannot be deleted."""
    entry = ConfigEntry("cleanup.policy", policy, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, desk.state, incremental_configs=[entry])
    admin = desk.broker.admin()
    admin.incremental_alter_configs([resource])[resource].result(30)
