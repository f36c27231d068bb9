"""A blocking record set aside: put on the parked topic and passed by the group, or neither."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from cutline.errors import EXIT_NO_GO, CutlineError, RunFailed
from cutline.logs import logger
from cutline.topics.kafka.admin import APPENDED, TopicAdmin, TopicPlan
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic
from cutline.topics.kafka.reading import QUIET
from cutline.topics.kafka.slots import Publisher
from cutline.unblock.blocked import BlockedPartition, BlockingRecord

_LOG = logger(__name__)
_SECONDS = 30.0


class ParkingRefused(CutlineError):
    """A record may not be set aside as things are. Exit code 1."""

    exit_code = EXIT_NO_GO


@dataclass(frozen=True)
class ParkingOrder:
    """Who sets a record aside, and why; `passes_siblings` where later records of its key may be
    handled without it. `partitions` and `replication` are those of a parked topic that is missing,
    which is made where it `may_create`."""

    owner: str
    why: str
    passes_siblings: bool
    partitions: int
    replication: int | None
    may_create: bool


def parked_topic(topic: str) -> str:
    """Where records of a topic are set aside."""
    return f"{topic}.parked"


def park(group: GroupOnTopic, blocked: BlockedPartition, order: ParkingOrder) -> BlockingRecord:
    """Put the blocking record on the parked topic, with where it stood, who and why, and let the
    group go on behind it: both or none.

    ParkingRefused where the group has members, whose own progress would win; where retention has
    removed the record; and where later records of its key wait behind it. RunFailed where Kafka
    does not answer, or the group came back meanwhile.
    """
    place = f"{group.topic}[{blocked.partition}]"
    record = blocked.record
    if record is None:
        raise ParkingRefused(
            f"{place} has no record at offset {blocked.progress:,}: retention has removed all "
            f"before {blocked.first:,}",
            left_behind=NOTHING_MOVED,
            next_step="Set the group's offset by hand, and send what it lost: cutline resend, or "
            "cutline replay from an archive.",
        )
    if record.siblings and not order.passes_siblings:
        raise ParkingRefused(
            f"{record.siblings:,} later records of key {record.key} stand behind offset "
            f"{record.offset:,} of {place}: they would be handled without it",
            left_behind=NOTHING_MOVED,
            next_step="Mend the consumer, or say that this does no harm: --pass-siblings",
        )
    if members := group.members():
        raise ParkingRefused(
            f"group {group.name} has {members} members: what they commit would win",
            left_behind=NOTHING_MOVED,
            next_step="Stop the service, run the same command again, then start it.",
        )
    _ensure(group, order)
    try:
        _move(group, blocked, record, order)
    except KafkaException as error:
        raise RunFailed(
            f"the record at offset {record.offset:,} of {place} could not be set aside: "
            f"{reason(error)}",
            left_behind=NOTHING_MOVED,
            next_step="See that the group is idle and the brokers run, then run the same command "
            "again.",
        ) from error
    fields = {"group": group.name, "topic": group.topic, "partition": blocked.partition}
    _LOG.info("record parked", extra=fields | {"offset": record.offset, "owner": order.owner})
    return record


def _move(
    group: GroupOnTopic, blocked: BlockedPartition, record: BlockingRecord, order: ParkingOrder
) -> None:
    message, topic = record.message, parked_topic(group.topic)
    labels = {
        "cutline_parked_from": f"{group.topic}/{blocked.partition}/{record.offset}",
        "cutline_parked_group": group.name,
        "cutline_parked_by": order.owner,
        "cutline_parked_why": order.why,
        "cutline_parked_at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }
    settings = group.settings.with_secrets()
    name = f"cutline-park/{group.name}/{group.topic}/{blocked.partition}"
    producer = Producer(
        {
            **QUIET,
            **settings,
            "transactional.id": name,
            "partitioner": "murmur2_random",
            "enable.idempotence": "true",
            "acks": "all",
        }
    )
    # Its membership is that of nobody, which Kafka takes for an idle group only.
    member = Consumer({**QUIET, **settings, "group.id": group.name, "enable.auto.commit": "false"})
    try:
        producer.init_transactions(_SECONDS)
        producer.begin_transaction()
        producer.produce(
            topic,
            value=message.value(),
            key=message.key(),
            headers=[*(message.headers() or ()), *((n, t.encode()) for n, t in labels.items())],
            timestamp=message.timestamp()[1],
        )
        behind = TopicPartition(group.topic, blocked.partition, record.offset + 1)
        producer.send_offsets_to_transaction([behind], member.consumer_group_metadata(), _SECONDS)
        producer.commit_transaction(_SECONDS)
    finally:
        member.close()


def _ensure(group: GroupOnTopic, order: ParkingOrder) -> None:
    """Make the parked topic where it is missing; ConfigurationError where it may not be made."""
    publisher = Publisher("unblock", "unblock", "unblock", 0, "", 1, group.settings)
    admin = TopicAdmin(publisher, order.replication, create=order.may_create)
    plan = TopicPlan(parked_topic(group.topic), order.partitions, APPENDED)
    if plan.name not in admin.existing():
        admin.ensure([plan])
