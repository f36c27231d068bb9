"""Killed at any moment, a publication is exact: what `read_committed` shows is what was sent."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException

from cutline.topics.kafka.progress import Progress
from support.paths import ROOT
from support.published import bootstrap, new_name, numbered, publisher, send, slots_on, values
from support.publishing import PARTITIONS, RECORDS
from support.servers.kafka import KafkaBroker, start_kafka

pytestmark = pytest.mark.kafka

KILLS = int(os.environ.get("CUTLINE_PUBLISH_KILLS", "8"))
"""`make soak` kills more often."""


@pytest.fixture(scope="module")
def own_broker() -> Iterator[KafkaBroker]:
    """A broker that may be paused."""
    broker = start_kafka()
    yield broker
    broker.folder.close()


def start(broker: KafkaBroker, prefix: str, epoch: int, paused: int = 0) -> subprocess.Popen[str]:
    script = Path(ROOT, "tests", "support", "publishing.py")
    return subprocess.Popen(
        [sys.executable, str(script), broker.bootstrap, prefix, str(epoch), str(paused)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(30)


@pytest.mark.slow
def test_kills_and_their_zombies(own_broker: KafkaBroker) -> None:
    prefix, dice = new_name("kills"), random.Random(27)
    slots_on(own_broker, prefix, PARTITIONS)
    zombies: list[subprocess.Popen[str]] = []
    for epoch in range(1, KILLS + 1):
        # The seventh dies within a commit, while the broker is paused.
        process = start(own_broker, prefix, epoch, paused=5 if epoch == 7 else 0)
        assert line_of(process) == "begun"
        # Each is at work: together they make fewer commits than there are.
        for _ in range(5 if epoch == 7 else dice.randint(1, 5)):
            assert line_of(process) == "committing"
        if epoch == 7:
            own_broker.process.pause()
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
            time.sleep(1.5)
            kill(process)
            own_broker.process.resume()
            continue
        time.sleep(dice.uniform(0.0, 0.01))
        if epoch % 4 == 0:
            process.send_signal(signal.SIGSTOP)
            zombies.append(process)
        else:
            kill(process)
        if zombies and epoch % 4 == 2:
            # It wakes up while a newer one works, or after it.
            zombies[-1].send_signal(signal.SIGCONT)
    last = start(own_broker, prefix, KILLS + 1)
    for zombie in zombies:
        zombie.send_signal(signal.SIGCONT)
    assert last.communicate(timeout=300)[0].split()[-1] == "done"
    for zombie in zombies:
        kill(zombie)
    assert values(own_broker, f"{prefix}.shop.order.synthetic") == list(range(PARTITIONS * RECORDS))
    keys = [m.key() for m in own_broker.read(f"{prefix}.shop.progress")]
    for key in set(keys):
        epochs = [
            Progress.read(m.value() or b"").epoch
            for m in own_broker.read(f"{prefix}.shop.progress")
            if m.key() == key
        ]
        assert epochs == sorted(epochs), "no older process wrote behind a newer one"


@pytest.mark.slow
def test_a_broker_that_pauses_within_a_commit(own_broker: KafkaBroker) -> None:
    """The time-out says nothing of the commit: it is looked up, and the rest is sent once."""
    prefix = new_name("paused")
    [slot] = slots_on(own_broker, prefix)
    slice_publisher = publisher(bootstrap(own_broker), prefix, commit_seconds=2, patience=60)
    sender = send(slice_publisher, slot, numbered(500))
    own_broker.process.pause()
    resumed = threading.Timer(6.0, own_broker.process.resume)
    resumed.start()
    try:
        ended = sender.close()
    finally:
        resumed.join()
    assert ended.records == 500
    assert values(own_broker, slot.topic) == list(range(500))


def test_a_commit_whose_answer_is_lost_is_not_made_twice(kafka_broker: KafkaBroker) -> None:
    """The transaction is committed, and the client is told that it timed out."""
    prefix = new_name("lost")
    [slot] = slots_on(kafka_broker, prefix)
    slice_publisher = publisher(bootstrap(kafka_broker), prefix)
    sender = send(slice_publisher, slot, numbered(30))
    producer = sender.turn.producer
    real, answers = producer.commit, [KafkaException(KafkaError(KafkaError._TIMED_OUT))]

    def commit(*args: object) -> None:
        real(*args)  # type: ignore[arg-type]
        raise answers.pop()

    producer.commit = commit  # type: ignore[method-assign]
    assert sender.close().records == 30
    assert answers == []
    assert values(kafka_broker, slot.topic) == list(range(30))
