"""How far a handover is, and what each of its partitions waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cutline.reconsume.handover.records import HandoverRecord, PartitionRecord

PartitionState = Literal["reads", "waits-for-wrapper", "without-wrapper", "handed-over", "given-up"]


@dataclass(frozen=True)
class PartitionHandover:
    """A partition of a handover, and what it waits for.

    It `reads` the past; `waits-for-wrapper`, as no process of the service has said where it is; is
    `without-wrapper`, as the group has committed what the wrapper knows nothing of, be it before or
    behind the handover; or is `handed-over`, or `given-up` with the handover. `left` are the
    offsets up to where the service is, or takes over.
    """

    record: PartitionRecord
    state: PartitionState
    left: int


def handover_progress(
    record: HandoverRecord, partitions: Sequence[PartitionRecord], committed: Mapping[int, int]
) -> list[PartitionHandover]:
    """How far each partition is; `committed` is where Kafka has the service's group."""
    return [
        PartitionHandover(
            partition,
            _state(record, partition, committed.get(partition.partition, 0)),
            0 if partition.ended else max(0, _end(partition) - partition.catch_up),
        )
        for partition in partitions
    ]


def _end(partition: PartitionRecord) -> int:
    return partition.live if partition.handed_over_at is None else partition.handed_over_at


def _state(record: HandoverRecord, partition: PartitionRecord, committed: int) -> PartitionState:
    if record.status == "cancelled":
        return "given-up"
    if record.way == "beside" or record.status == "finished":
        return "handed-over" if partition.ended else "reads"
    if not partition.registered:
        return "waits-for-wrapper"
    if committed > partition.live:
        return "without-wrapper"
    return "handed-over" if partition.ended else "reads"
