"""The proof: history sends no mail and each live event one, whoever is killed, joins or leaves.

Three years of synthetic history and live events that come meanwhile go through processes of a real
service on a real broker. One is killed again and again, another joins and leaves its group.
`CUTLINE_CONSUMER_EVENTS` has it prove more history than in CI, `CUTLINE_CONSUMER_KILLS` more kills.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from sqlalchemy import create_engine, func, select

from cutline.consumer import Service
from cutline.topics.murmur2 import murmur2
from support.consuming import HANDLED_EVENTS, event, history
from support.paths import ROOT
from support.servers.kafka import KafkaBroker, Record

EVENTS = int(os.environ.get("CUTLINE_CONSUMER_EVENTS", "3000"))
KILLS = int(os.environ.get("CUTLINE_CONSUMER_KILLS", "8"))
SUBJECTS, LIVE_EVENTS, PARTITIONS = 150, 300, 3
LEAST_WORK = EVENTS // (3 * KILLS)
"""So many events at least are handled between two kills; at most twice as many are waited for."""
BEGIN = dt.datetime(2023, 11, 1, tzinfo=dt.UTC)


def partition(subject: str) -> int:
    return (murmur2(subject.encode()) & 0x7FFFFFFF) % PARTITIONS


def of_history(topic: str) -> list[Record]:
    """Three years, in the order of time, of subjects in turn."""
    step = dt.timedelta(days=3 * 365) / EVENTS
    received = [
        history(
            f"h{number}",
            0,
            topic=topic,
            subject=f"o-{number % SUBJECTS}",
            time=(BEGIN + number * step).isoformat(),
        )
        for number in range(EVENTS)
    ]
    return [Record(r.key, r.value, r.headers, partition((r.key or b"").decode())) for r in received]


def of_live(topic: str, numbers: range) -> list[Record]:
    """Live events; each seventh is delivered twice, as by a producer that tried again."""
    records = []
    for number in numbers:
        subject = f"o-{number % SUBJECTS}"
        r = event(f"l{number}", 0, topic=topic, subject=subject, migorigin="native")
        record = Record(r.key, r.value, r.headers, partition(subject))
        records += [record, record] if number % 7 == 0 else [record]
    return records


class Processes:
    """Processes of the service, all with one database and one file of mails."""

    def __init__(self, broker: KafkaBroker, topics: list[str], folder: Path) -> None:
        self.url, self.mails = f"sqlite:///{folder}/service.db", folder / "mails"
        engine = create_engine(self.url)
        HANDLED_EVENTS.metadata.create_all(engine)
        self._broker, self._topics = broker, topics

    def handled(self) -> int:
        with create_engine(self.url).connect() as connection:
            return int(
                connection.execute(select(func.count()).select_from(HANDLED_EVENTS)).scalar_one()
            )

    def wait_for(self, handled: int) -> None:
        """Waits until so many events are handled; the test fails where that takes too long."""
        end = time.monotonic() + 120
        while self.handled() < handled:
            assert time.monotonic() < end, f"{self.handled()} events were handled, not {handled}"
            time.sleep(0.02)

    def start(self, ends: list[tuple[str, int, int]] | None = None, **settings: str) -> Started:
        script = Path(ROOT, "tests", "support", "mailing_service.py")
        settings = {"group.id": self._topics[0], **settings}
        arguments = [self._broker.bootstrap, self.url, str(self.mails), ",".join(self._topics)]
        return subprocess.Popen(
            [sys.executable, str(script), *arguments, json.dumps(settings), json.dumps(ends or [])],
            env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
            stdout=subprocess.PIPE,
            text=True,
        )


Started = subprocess.Popen[str]


@pytest.mark.slow
@pytest.mark.kafka
def test_history_sends_no_mail_and_each_live_event_one(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    dice, name = random.Random(28), f"proof-{os.getpid()}"
    past, live = f"{name}.order.synthetic", f"{name}.order.live"
    for topic in (past, live):
        kafka_broker.create_topic(topic, PARTITIONS)
    kafka_broker.produce(past, of_history(past))
    processes = Processes(kafka_broker, [past, live], tmp_path)

    # A static member: whoever is started again after a kill has its partitions at once.
    static = {"group.instance.id": "first", "session.timeout.ms": "10000"}
    second: Started | None = None
    share = LIVE_EVENTS // KILLS
    for kill in range(KILLS):
        first = begun(processes.start(**static))
        numbers = range(kill * share, LIVE_EVENTS if kill == KILLS - 1 else (kill + 1) * share)
        kafka_broker.produce(live, of_live(live, numbers))
        if kill % 3 == 1:
            second = begun(processes.start())
        # In the midst of its work, however fast the machine is.
        processes.wait_for(processes.handled() + dice.randint(LEAST_WORK, 2 * LEAST_WORK))
        first.send_signal(signal.SIGKILL)
        first.wait(30)
        if second is not None and kill % 3 == 2:
            second.send_signal(signal.SIGTERM)
            assert second.communicate(timeout=60)[0].endswith("ended\n"), "it leaves cleanly"
            assert second.returncode == 0
            second = None
    if second is not None:
        second.send_signal(signal.SIGTERM)
        assert second.wait(60) == 0

    assert processes.handled() > EVENTS / 4, "killed processes did a good part of the work"
    ends = ends_of(kafka_broker, [past, live])
    last = processes.start(ends, **static)
    assert last.communicate(timeout=300)[0].endswith("ended\n")
    judge(processes)


def begun(process: Started) -> Started:
    """The process when it is about to join its group."""
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def ends_of(broker: KafkaBroker, topics: list[str]) -> list[tuple[str, int, int]]:
    client = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "nobody"})
    try:
        return [
            (topic, n, client.get_watermark_offsets(TopicPartition(topic, n))[1])
            for topic in topics
            for n in range(PARTITIONS)
        ]
    finally:
        client.close()


def judge(processes: Processes) -> None:
    engine = create_engine(processes.url)
    with engine.connect() as connection:
        rows = connection.execute(select(HANDLED_EVENTS).order_by(HANDLED_EVENTS.c.number)).all()
    of_past = [row.event_id for row in rows if row.event_id.startswith("e-h")]
    of_now = [row.event_id for row in rows if row.event_id.startswith("e-l")]
    assert Counter(of_past) == Counter(f"e-h{n}" for n in range(EVENTS))
    assert Counter(of_now) == Counter(f"e-l{n}" for n in range(LIVE_EVENTS))
    for kind in ("e-h", "e-l"):
        orders: dict[str, list[int]] = {}
        for row in rows:
            if row.event_id.startswith(kind):
                orders.setdefault(row.subject, []).append(int(row.event_id.removeprefix(kind)))
        assert all(order == sorted(order) for order in orders.values()), "each subject in order"

    lines = [line.split() for line in processes.mails.read_text().splitlines()]
    keys = {(key, event_id) for key, event_id in lines}
    assert Counter(event_id for _, event_id in keys) == Counter(of_now), "a key for each live event"
    assert len({key for key, _ in keys}) == LIVE_EVENTS
    assert len(lines) - LIVE_EVENTS <= KILLS, "only what a kill met is sent again, by the same key"

    service = Service("mailer", "1", engine, lambda *_: None)
    counts = service.counts()
    assert counts["mail", "replay"] == EVENTS
    assert counts["mail", "performed"] == LIVE_EVENTS
    assert counts["event", "duplicate"] == len(range(0, LIVE_EVENTS, 7))
    assert service.letters.shown() == service.outbox.failed() == []
    print(f"{EVENTS} of history, {LIVE_EVENTS} live, {KILLS} kills: {len(lines)} sends")
