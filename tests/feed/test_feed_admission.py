"""Which live events go on to their subjects, and which records are put aside."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from cutline.control import Tenure
from cutline.errors import RunFailed
from cutline.feed.admission import Admission, Gate, events_and_records, named_subjects
from cutline.feed.kafka import KafkaTail
from cutline.feed.offered import OfferedEvent, UnreadableRecord
from cutline.feed.tail import PartitionEnds, positions_of
from cutline.kafka.frozen import FrozenTopic, FrozenTopics, Offsets
from cutline.readmodels import AsideRecord, FedPartition, Record
from support.fed import new_side_since
from support.recorded import T0

TOPIC = "orders.live"
TENURES = (
    *new_side_since(9)[:7],
    Tenure("held", 7, T0),
    Tenure("legacy", 8, T0),
    *new_side_since(9)[9:],
)
"""The new side has the writes, and had them under each epoch before but 7 and 8."""


def event(position: int, epoch: object = None, subject: str = "o1", partition: int = 0) -> Any:
    written = None if epoch is None else str(epoch)
    place = (TOPIC, partition, position)
    return OfferedEvent(*place, written, subject, "order", subject, "urn:x", f"e{position}", "{}")


def poison(position: int, subject: str | None = "o1", partition: int = 0) -> UnreadableRecord:
    return UnreadableRecord(TOPIC, partition, position, "poison", "no", subject, None, "{}")


def admitted(
    *records: Any,
    due: tuple[AsideRecord, ...] = (),
    holding: tuple[AsideRecord, ...] = (),
    fed: FedPartition | None = None,
    rulings: Mapping[Record, str] | None = None,
) -> Admission:
    partitions = {(TOPIC, number): fed or FedPartition("", 0, 0) for number in (0, 1)}
    gate = Gate(partitions, due, holding, {TOPIC: "order"}, TENURES, rulings or {})
    unreadable = [record for record in records if isinstance(record, UnreadableRecord)]
    gate.admit([r for r in records if isinstance(r, OfferedEvent)], unreadable)
    return gate.result({(TOPIC, 0): 100, (TOPIC, 1): 100})


def ends(admission: Admission) -> tuple[list[int], list[tuple[int, str]]]:
    """The positions of what goes on, and position and rule of what is put aside."""
    return (
        [event.position for event in admission.events],
        [(record.position, record.rule) for record in admission.aside],
    )


@pytest.mark.parametrize(
    ("epochs", "going_on", "aside"),
    [
        ([None, 3, None, 3, 4], [0, 1, 2, 3, 4], []),
        ([3, 2, 4, 3], [0, 2], [(1, "older-epoch"), (3, "older-epoch")]),
        ([10, 9], [1], [(0, "unissued-epoch")]),
        ([7, 6], [], [(0, "unauthorised-epoch"), (1, "older-epoch")]),
        ([8, 9], [1], [(0, "unauthorised-epoch")]),
        (["x", 1], [], [(0, "unreadable-epoch"), (1, "waits-behind-exception")]),
        (["-1"], [], [(0, "unreadable-epoch")]),
        (["9" * 5_000], [], [(0, "unreadable-epoch")]),
    ],
)
def test_an_epoch_below_the_highest_of_its_partition_is_put_aside(
    epochs: list[Any], going_on: list[int], aside: list[tuple[int, str]]
) -> None:
    admission = admitted(*(event(n, epoch) for n, epoch in enumerate(epochs)))
    assert ends(admission) == (going_on, aside)


def test_an_event_without_an_epoch_is_put_aside_where_each_must_carry_one() -> None:
    begins = {TOPIC: {"0": 1}}
    partitions = {(TOPIC, number): FedPartition("", 0, 0) for number in (0, 1)}
    events = [event(0), event(1), event(2, 9), event(3), event(0, partition=1)]
    of_another_slice = dataclasses.replace(event(4), has_epoch=True)
    of_a_line = dataclasses.replace(event(5), offset=None)
    without = [
        dataclasses.replace(e, offset=e.position, has_epoch=e.epoch is not None) for e in events
    ]
    gate = Gate(partitions, (), (), {TOPIC: "order"}, TENURES, {}, begins)
    gate.admit([*without, of_another_slice, of_a_line], [])
    admission = gate.result({})
    assert [e.position for e in admission.events] == [0, 2, 4, 5]
    assert [(r.partition, r.position, r.rule) for r in admission.aside] == [
        (0, 1, "missing-epoch"),
        (0, 3, "missing-epoch"),
        (1, 0, "missing-epoch"),
    ]


def test_partitions_are_held_apart_and_keep_their_highest_epoch() -> None:
    admission = admitted(event(0, 5), event(1, 4, partition=1), fed=FedPartition("id", 0, 0, 3))
    assert ends(admission) == ([0, 1], [])
    assert admission.partitions == {
        (TOPIC, 0): FedPartition("id", 100, 0, 5),
        (TOPIC, 1): FedPartition("id", 100, 0, 4),
    }
    assert ends(admitted(event(0, 4), fed=FedPartition("", 0, 0, 5)))[1] == [(0, "older-epoch")]


def test_an_exception_holds_what_comes_behind_it_of_its_subject() -> None:
    records = (event(0), poison(1), event(2), event(3, subject="o2"), event(4, partition=1))
    assert ends(admitted(*records)) == ([0, 3, 4], [(1, "poison"), (2, "waits-behind-exception")])
    assert ends(admitted(poison(0, None), event(1))) == ([1], [(0, "poison")])


def test_what_history_could_not_read_either_is_no_exception_of_the_feed() -> None:
    fed = FedPartition("", 0, history_end=2)
    assert ends(admitted(poison(1), poison(2, "o2"), event(3), fed=fed)) == ([3], [(2, "poison")])


def test_what_is_due_again_is_settled_or_put_aside_anew() -> None:
    first = admitted(poison(1), event(2), event(3, 5), event(4, 4))
    due = tuple(first.aside)
    # Admitted: the record can be read by now.
    events, records = events_and_records(due)
    assert [e.position for e in events] == [2, 3, 4]
    assert [r.position for r in records] == [1]
    assert named_subjects(events) == {("order", "o1")}
    again = admitted(event(1), *events, due=due)
    assert ends(again) == ([1, 2, 3, 4], [])
    assert [place[2] for place in again.settled] == [1, 2, 3, 4]
    # It still cannot.
    again = admitted(poison(1), *events, due=due)
    assert ends(again)[1] == [(1, "poison"), *((n, "waits-behind-exception") for n in (2, 3, 4))]
    assert [place[2] for place in again.settled] == [1, 2, 3, 4]


def test_what_holds_from_before_holds() -> None:
    holding = tuple(admitted(poison(1)).aside)
    assert ends(admitted(event(5), holding=holding)) == ([], [(5, "waits-behind-exception")])


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (None, "was made anew or cut off"),
        (PartitionEnds("other", 0, 9), "was made anew or cut off"),
        (PartitionEnds("id", 0, 4), "was made anew or cut off"),
        (PartitionEnds("id", 6, 9), "holds nothing before position 6 any more"),
    ],
)
def test_records_that_are_gone_are_named(end: PartitionEnds | None, why: str) -> None:
    fed = {(TOPIC, 0): FedPartition("id", 5, 0)}
    with pytest.raises(RunFailed, match=f"{TOPIC}, partition 0 {why}"):
        positions_of(fed, {} if end is None else {(TOPIC, 0): end}, "cutline run")


def test_a_partition_must_hold_all_that_its_run_read() -> None:
    """Also where the feed begins where the run began, before what the run left for later."""
    fed = {(TOPIC, 0): FedPartition("id", 0, 5)}
    with pytest.raises(RunFailed, match=f"{TOPIC}, partition 0 was made anew .* up to position 5"):
        positions_of(fed, {(TOPIC, 0): PartitionEnds("id", 0, 4)}, "cutline run")
    assert positions_of(fed, {(TOPIC, 0): PartitionEnds("id", 0, 5)}, "cutline run") == fed


def test_a_new_partition_is_fed_from_its_beginning() -> None:
    fed_partition = FedPartition("id", 5, 3, 2)
    now = {(TOPIC, 0): PartitionEnds("id", 0, 5), (TOPIC, 1): PartitionEnds("id", 2, 8)}
    positions = positions_of({(TOPIC, 0): fed_partition}, now, "cutline run")
    assert positions == {(TOPIC, 0): fed_partition, (TOPIC, 1): FedPartition("id", 2, 0)}


def test_a_topic_that_was_made_anew_since_the_run_is_not_fed_from_the_middle() -> None:
    """Longer than the old one was: only its id tells."""
    read_by_run = FrozenTopics("c", {TOPIC: FrozenTopic("old", {0: Offsets(0, 5)})})
    record = SimpleNamespace(inputs={"positions": {"live": read_by_run.text()}})
    place = SimpleNamespace(name="live", topic=TOPIC, aggregate="order")
    [(where, read)] = KafkaTail([place]).starts(record).items()  # type: ignore[list-item, arg-type]
    assert (where, read) == ((TOPIC, 0), PartitionEnds("old", 0, 5))
    fed = {where: FedPartition(read.topic_id, read.end, read.end)}
    with pytest.raises(RunFailed, match="was made anew or cut off"):
        positions_of(fed, {where: PartitionEnds("new", 0, 9)}, "again")
    with pytest.raises(RunFailed, match="was made anew or cut off"):
        positions_of(fed, {}, "again")


def test_each_record_that_raises_an_epoch_is_told_with_its_place() -> None:
    admission = admitted(
        *(event(0, 2), event(1, 2), event(2, 5), event(3, 3), event(4, 10), event(5, 6)),
        event(6, 4, partition=1),
        fed=FedPartition("id", 0, 0, 1),
    )
    assert [(r.partition, r.position, r.epoch) for r in admission.rises] == [
        *((0, 0, 2), (0, 2, 5), (0, 5, 6)),
        (1, 6, 4),
    ]
    assert {rise.topic_id for rise in admission.rises} == {"id"}


def test_what_a_person_decided_of_a_record_holds_for_who_meets_it_later() -> None:
    records = (event(0, 5), event(1, 3), event(2, 2), poison(3), event(4, 5))
    assert ends(admitted(*records)) == (
        [0],
        [
            *((1, "older-epoch"), (2, "older-epoch"), (3, "poison")),
            (4, "waits-behind-exception"),
        ],
    )
    rulings = {(TOPIC, 0, 1): "admitted", (TOPIC, 0, 2): "discarded", (TOPIC, 0, 3): "discarded"}
    assert ends(admitted(*records, rulings=rulings)) == ([0, 1, 4], [])
    # What could not be read is no better for being admitted.
    again = admitted(poison(3), event(4), rulings={(TOPIC, 0, 3): "admitted"})
    assert ends(again) == ([], [(3, "poison"), (4, "waits-behind-exception")])
