"""Single records on a topic, each told once by a run: by the driver, without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from confluent_kafka import Consumer

from cutline.identity import canonical_json
from cutline.topics.kafka.claim import commit_progress, take_turn, until_it_succeeds
from cutline.topics.kafka.failures import PublishingStopped
from cutline.topics.kafka.producing import KafkaRecord
from cutline.topics.kafka.reading import reader
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.murmur2 import partition
from cutline.topics.record import ControlRecord, headers, record_id


def send_single(
    publisher: Publisher, slots: Sequence[Slot], records: Sequence[ControlRecord]
) -> None:
    """Put records on the topic of which these are all slots, in one transaction a partition.

    What the run has told there before is not told again. Errors as `KafkaTopics` has them.
    """
    consumer = reader(publisher.settings)
    try:
        for slot in slots:
            mine = [r for r in records if partition(r.key, len(slots)) == slot.partition]
            if mine:
                until_it_succeeds(
                    publisher,
                    slot,
                    lambda s=slot, m=mine: _send(  # type: ignore[misc]
                        publisher, s, m, consumer
                    ),
                )
    except PublishingStopped as stopped:
        raise stopped.failure.error() from stopped
    finally:
        consumer.close()


def _send(
    publisher: Publisher, slot: Slot, records: Sequence[ControlRecord], consumer: Consumer
) -> None:
    turn = take_turn(publisher, slot, 0, consumer)
    try:
        run = publisher.run_id
        known_ids = turn.progress.records.get(run, [])
        unsent = {record_id(r, slot.topic, run): r for r in records}
        unsent = {name: record for name, record in unsent.items() if name not in known_ids}
        if unsent:
            as_sent = [_as_sent(record, slot.topic, run) for record in unsent.values()]
            turn.producer.send(slot.topic, slot.partition, as_sent)
            progress = replace(turn.progress, records=turn.progress.with_records(run, [*unsent]))
            commit_progress(turn.producer, publisher, slot, progress)
    finally:
        turn.producer.throw_away()


def _as_sent(record: ControlRecord, topic: str, run: str) -> KafkaRecord:
    texts = headers(record, topic, run)
    millis = round(record.time.timestamp() * 1000)
    return KafkaRecord(
        record.key.encode(),
        canonical_json(record.data).encode(),
        [(name, text.encode()) for name, text in texts.items()],
        millis,
    )
