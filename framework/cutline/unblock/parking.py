"""A blocking record set aside: put on the parked topic and passed by the group, or neither."""

from __future__ import annotations

import contextlib
import datetime as dt
import time
from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from cutline.errors import RunFailed
from cutline.logs import logger
from cutline.topics.kafka.admin import APPENDED, TopicAdmin, TopicPlan
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic, GroupRefused
from cutline.topics.kafka.reading import QUIET
from cutline.topics.kafka.slots import Publisher
from cutline.unblock.blocked import BlockedPartition, BlockingRecord

_LOG = logger(__name__)
_SECONDS = 30.0


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

    For that moment this process is the group's only member, so that nobody else commits for it.
    GroupRefused where the group has members; where it stands before no record; and where later
    records of its key wait behind it. RunFailed where Kafka does not answer, or the group came back
    or went on meanwhile.
    """
    place = f"{group.topic}[{blocked.partition}]"
    record = blocked.record
    if record is None:
        raise GroupRefused(
            f"{place} has no record at offset {blocked.progress:,}, which can be set aside: "
            f"{_OTHERWISE[blocked.obstacle]}",
            left_behind=NOTHING_MOVED,
            next_step="See docs/unblock.md for what to do then.",
        )
    if record.siblings and not order.passes_siblings:
        raise GroupRefused(
            f"{record.siblings:,} later records of key {record.key} stand behind offset "
            f"{record.offset:,} of {place}: they would be handled without it",
            left_behind=NOTHING_MOVED,
            next_step="Mend the consumer, or say that this does no harm: --pass-siblings",
        )
    group.refuse_members()
    _ensure(group, order)
    with group.explained(), _only_member(group) as member:
        if (stands := group.progress().get(blocked.partition, blocked.progress)) != (
            blocked.progress
        ):
            raise RunFailed(
                f"group {group.name} went on to offset {stands:,} of {place} meanwhile",
                left_behind=NOTHING_MOVED,
                next_step="Look again: cutline unblock.",
            )
        _move(group, blocked, record, order, member)
    fields = {"group": group.name, "topic": group.topic, "partition": blocked.partition}
    _LOG.info("record parked", extra=fields | {"offset": record.offset, "owner": order.owner})
    return record


_OTHERWISE = {
    "retention": "retention has removed what the group was to read",
    "beyond-end": "the partition ends before it, as if the topic had been made anew",
    "open-transaction": "it is in a transaction that nobody has ended",
}


@contextlib.contextmanager
def _only_member(group: GroupOnTopic) -> Iterator[Consumer]:
    """This process as the only member of the group, until the block ends. RunFailed where another
    one came."""
    member = Consumer(
        {
            **QUIET,
            **group.settings.with_secrets(),
            "group.id": group.name,
            "enable.auto.commit": "false",
            "auto.offset.reset": "latest",
        }
    )
    try:
        member.subscribe([group.topic])
        every = len(group.bounds())
        until = time.monotonic() + _SECONDS
        while len(member.assignment()) < every:
            if time.monotonic() > until:
                raise RunFailed(
                    f"group {group.name} came back meanwhile, or does not let anybody in",
                    left_behind=NOTHING_MOVED,
                    next_step="Stop the service, run the same command again, then start it.",
                )
            # What is read by it is thrown away, and never committed.
            member.poll(0.2)
        yield member
    finally:
        member.close()


def _move(
    group: GroupOnTopic,
    blocked: BlockedPartition,
    record: BlockingRecord,
    order: ParkingOrder,
    member: Consumer,
) -> None:
    message, topic = record.message, parked_topic(group.topic)
    place = f"{group.topic}[{blocked.partition}]"
    labels = {
        "cutline_parked_from": f"{group.topic}/{blocked.partition}/{record.offset}",
        "cutline_parked_group": group.name,
        "cutline_parked_by": order.owner,
        "cutline_parked_why": order.why,
        "cutline_parked_at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }
    producer = Producer(
        {
            **QUIET,
            **group.settings.with_secrets(),
            "transactional.id": f"cutline-park/{group.name}/{group.topic}/{blocked.partition}",
            "partitioner": "murmur2_random",
            "enable.idempotence": "true",
            "acks": "all",
            # As large as a topic may let it be.
            "message.max.bytes": "1000000000",
        }
    )
    behind = TopicPartition(group.topic, blocked.partition, record.offset + 1)
    is_committing = False
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
        # By the membership that this process has: Kafka refuses it where another one came.
        producer.send_offsets_to_transaction([behind], member.consumer_group_metadata(), _SECONDS)
        is_committing = True
        producer.commit_transaction(_SECONDS)
    except KafkaException as error:
        if not is_committing or error.args[0].txn_requires_abort():
            is_committing = False
            with contextlib.suppress(KafkaException):
                producer.abort_transaction(_SECONDS)
        too_large = error.args[0].code() == KafkaError.MSG_SIZE_TOO_LARGE
        raise RunFailed(
            f"the record at offset {record.offset:,} of {place} could not be set aside on {topic}: "
            f"{reason(error)}",
            left_behind="It is not known whether it was." if is_committing else NOTHING_MOVED,
            next_step=f"Raise `max.message.bytes` of {topic} to that of {group.topic}."
            if too_large
            else "See that the group is idle and the brokers run, then look again.",
        ) from error


def _ensure(group: GroupOnTopic, order: ParkingOrder) -> None:
    """Make the parked topic where it is missing; ConfigurationError where it may not be made."""
    publisher = Publisher("unblock", "unblock", "unblock", 0, "", 1, group.settings)
    admin = TopicAdmin(publisher, order.replication, create=order.may_create)
    plan = TopicPlan(parked_topic(group.topic), order.partitions, APPENDED)
    if plan.name not in admin.existing():
        largest = {"max.message.bytes": group.setting("max.message.bytes")}
        admin.ensure([TopicPlan(plan.name, plan.partitions, {**plan.settings, **largest})])
