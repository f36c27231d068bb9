"""Offsets that threads ask for: each by a client of its own, which is there until it has answered."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from cutline.kafka import ClientSettings
from cutline.topics.kafka import reading
from support.published import new_name
from support.servers.kafka import KafkaBroker

SETTINGS = ClientSettings({"bootstrap.servers": "nowhere:9092"})

ROUNDS = """
import sys
import threading
from confluent_kafka import TopicPartition
from cutline.kafka import ClientSettings
from cutline.topics.kafka.reading import FIRST, LAST, forget_admin_client, offsets

bootstrap, topic, rounds = sys.argv[1:]
settings = ClientSettings({"bootstrap.servers": bootstrap})

def ask(number):
    for _ in range(int(rounds)):
        forget_admin_client(settings)
        at_once.wait(60)
        answer = offsets(settings, [TopicPartition(topic, number % 2)], LAST if number % 2 else FIRST)
        assert answer == {(topic, number % 2): 0}
    answers.append(number)

at_once, answers = threading.Barrier(8), []
threads = [threading.Thread(target=ask, args=[number]) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(answers) == list(range(8))
"""


class Answering:
    """A client whose answers come only while somebody has it."""

    def __init__(self, _settings: Mapping[str, Any]) -> None:
        pass

    def list_offsets(self, places: Mapping[Any, Any], **_: Any) -> dict[Any, Any]:
        client = weakref.ref(self)

        def result() -> SimpleNamespace:
            reading.forget_admin_client(SETTINGS)
            gc.collect()
            assert client() is not None, "nobody has the client: the answer would never come"
            return SimpleNamespace(offset=7)

        return {place: SimpleNamespace(result=result) for place in places}


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "AdminClient", Answering)


def test_a_client_that_is_forgotten_meanwhile_answers_still(answering: None) -> None:
    place = TopicPartition("orders", 0)
    try:
        assert reading.offsets(SETTINGS, [place], reading.LAST) == {("orders", 0): 7}
    finally:
        reading.forget_admin_client(SETTINGS)


def test_threads_share_no_client_and_each_keeps_its_own(answering: None) -> None:
    """Two that ask one client for topics that it does not know end the process."""
    at_once = threading.Barrier(4)

    def clients(_: int) -> list[int]:
        at_once.wait(30)
        of_thread = [reading.admin_client(SETTINGS) for _ in range(3)]
        at_once.wait(30)
        return [id(client) for client in of_thread]

    with ThreadPoolExecutor(4) as pool:
        by_thread = list(pool.map(clients, range(4)))
    assert [len(set(ids)) for ids in by_thread] == [1, 1, 1, 1]
    assert len({ids[0] for ids in by_thread}) == 4


@pytest.mark.soak
@pytest.mark.process
def test_threads_that_ask_at_once_do_not_end_the_process(kafka_broker: KafkaBroker) -> None:
    """One client for all of them did so, most often within half a minute."""
    topic = kafka_broker.create_topic(new_name("asked"), 2)
    ended = subprocess.run(
        [sys.executable, "-c", ROUNDS, kafka_broker.bootstrap, topic, "100"], check=False
    )
    assert ended.returncode == 0
