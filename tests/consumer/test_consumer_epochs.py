"""The guard of epochs: what an older authority wrote is parked, and can be looked at."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Engine,
    StaticPool,
    Table,
    TypeDecorator,
    create_engine,
    insert,
    update,
)

from cutline.consumer import (
    ConsumerError,
    ControlDatabase,
    Handled,
    Received,
    SliceAuthority,
    SliceReads,
)
from cutline.consumer.control_rows import CONTROL, RELEASES, ROLLOUTS
from cutline.control.models import METADATA
from cutline.readmodels.model import ReadModelTable, ReadModelVersion
from support.consuming import LIVE, Desk, event

ORDERS = ReadModelTable(
    aggregate="order", table="order_north_v2", view="order_north", rows=3, digest="d", columns=()
)
VERSION = ReadModelVersion(version=2, run_id="run-2", tables=(ORDERS,)).model_dump(mode="json")
SLICE = {"context": "sales", "region": "north"}


def of_epoch(number: int, epoch: int, region: str = "north") -> Received:
    return event(number, number, migcontext="sales", migregion=region, migepoch=str(epoch))


def control_database(epoch: int | None = None, writes: str = "new") -> Engine:
    engine = create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
    )
    CONTROL.create_all(engine)
    if epoch is not None:
        row = SLICE | {"reads": "new", "writes": writes, "epoch": epoch, "release": 2}
        with engine.begin() as connection:
            connection.execute(insert(ROLLOUTS).values(row))
    return engine


def test_a_lower_epoch_is_parked_and_nobody_waits_for_it() -> None:
    desk = Desk()
    service = desk.service()
    results = [service.handle(of_epoch(n, e)) for n, e in enumerate((3, 4, 3, 4))]
    assert results == [Handled.HANDLED, Handled.HANDLED, Handled.PARKED, Handled.HANDLED]
    assert service.handle(of_epoch(4, 1, region="south")) is Handled.HANDLED
    assert service.handle(event(5, 5)) is Handled.HANDLED, "without an epoch it is not judged"
    [parked] = service.parking.shown()
    assert (parked.epoch, parked.slice_epoch, parked.reason) == (3, 4, "older epoch")
    assert parked.value == b'{"order_id": "o-1"}'
    service.outbox.deliver()
    assert "e-2" not in desk.mailed() + desk.handled()
    assert service.counts()["event", "parked"] == 1


def test_an_event_without_an_epoch_is_parked_where_it_needs_one() -> None:
    desk = Desk()
    service = desk.service(needs_epoch=lambda record: record.offset > 0)
    records = [event(0, 0), event(1, 1), of_epoch(2, 3)]
    results = [service.handle(record) for record in records]
    assert results == [Handled.HANDLED, Handled.PARKED, Handled.HANDLED]
    [parked] = service.parking.shown()
    assert (parked.context, parked.epoch, parked.reason) == ("", 0, "no epoch")
    assert service.redrive.release(parked.number) is Handled.HANDLED


def test_a_partition_that_is_read_late_is_not_a_writer_that_was_late() -> None:
    """As by a new version, or by `run_files`, which read one partition before the other."""
    desk = Desk()
    service = desk.service()
    of_slice = {"migcontext": "sales", "migregion": "north"}
    records = [
        event(
            number,
            offset,
            partition=partition,
            subject=f"o-{partition}",
            migepoch=epoch,
            **of_slice,
        )
        for number, (partition, offset, epoch) in enumerate(
            [(0, 0, "3"), (0, 1, "4"), (1, 0, "3"), (1, 1, "4"), (1, 2, "3")]
        )
    ]
    results = [service.handle(record) for record in records]
    assert results == [*[Handled.HANDLED] * 4, Handled.PARKED]


def test_a_parked_event_is_released_once() -> None:
    desk = Desk()
    service = desk.service()
    for number, epoch in enumerate((4, 3, 3)):
        service.handle(of_epoch(number, epoch))
    first, second = service.parking.shown()
    desk.broken = {"e-1"}
    with pytest.raises(RuntimeError):
        service.redrive.release(first.number)
    assert len(service.parking.shown()) == 2
    desk.broken.clear()
    assert service.redrive.release(first.number) is Handled.HANDLED
    assert desk.handled() == ["e-0", "e-1"]
    with pytest.raises(ConsumerError, match=f"has no parked event {first.number}"):
        service.redrive.release(first.number)
    service.parking.discard(second.number, "written by the old monolith after the switch")
    assert service.parking.shown() == []
    with pytest.raises(ConsumerError, match="has no parked event"):
        service.redrive.release(second.number)


def test_a_parked_event_waits_behind_a_dead_letter() -> None:
    desk = Desk(broken={"e-2"})
    service = desk.service()
    for number, epoch in enumerate((4, 3, 4)):
        service.handle(of_epoch(number, epoch))
    [parked] = service.parking.shown()
    assert service.redrive.release(parked.number) is Handled.WAITING
    desk.broken.clear()
    [dead] = service.letters.shown("dead")
    service.redrive.retry(dead.number)
    assert desk.handled() == ["e-0", "e-2", "e-1"]


def test_the_control_database_says_which_epochs_there_are() -> None:
    desk, control = Desk(), control_database(epoch=5)
    service = desk.service(authority=ControlDatabase(control, seconds=3600).authority)
    assert service.handle(of_epoch(0, 4)) is Handled.PARKED, "though none has come yet"
    assert service.handle(of_epoch(1, 9)) is Handled.PARKED
    assert service.handle(of_epoch(2, 5)) is Handled.HANDLED
    assert [row.reason for row in service.parking.shown()] == [
        "older epoch",
        "epoch that was never issued",
    ]
    with control.begin() as connection:
        connection.execute(update(ROLLOUTS).values(epoch=6))
    # An epoch that what was read does not know is asked for at once.
    assert service.handle(of_epoch(3, 6)) is Handled.HANDLED
    assert service.handle(of_epoch(4, 5)) is Handled.PARKED
    assert service.handle(of_epoch(5, 1, region="south")) is Handled.HANDLED, "it is not known"


@pytest.mark.parametrize("writes", ["legacy", "held"])
def test_nobody_acts_on_what_the_new_side_writes_while_it_has_not_the_writes(writes: str) -> None:
    """As a new side that reads the epoch of the row, and not who may write under it."""
    desk, control = Desk(), control_database(5, writes)
    service = desk.service(authority=ControlDatabase(control).authority)
    assert service.handle(of_epoch(0, 5)) is Handled.PARKED
    assert service.handle(event(1, 1)) is Handled.HANDLED, "of the legacy, or of history"
    [parked] = service.parking.shown()
    assert (parked.epoch, parked.slice_epoch, parked.reason) == (5, 5, "unauthorised epoch")
    with control.begin() as connection:
        connection.execute(update(ROLLOUTS).values(epoch=6, writes="new"))
    assert service.handle(of_epoch(2, 6)) is Handled.HANDLED, "asked again"
    assert service.handle(of_epoch(3, 5)) is Handled.PARKED
    assert desk.handled() == ["e-1", "e-2"]


@pytest.mark.parametrize("table", list(CONTROL.sorted_tables), ids=lambda table: table.name)
def test_the_tables_that_are_read_are_those_of_the_control_database(table: Table) -> None:
    """They are declared twice, as a service needs nothing else of Cutline."""
    theirs = METADATA.tables[table.name]
    assert [(c.name, stored_as(c)) for c in table.columns] == [
        (c.name, stored_as(theirs.c[c.name])) for c in table.columns
    ]


def stored_as(column: Column[Any]) -> type[object]:
    """The type of a column without what is done to its values."""
    kind = column.type
    return type(kind.impl_instance if isinstance(kind, TypeDecorator) else kind)


def test_what_was_read_is_used_for_as_long_as_is_said() -> None:
    times = iter([0.0, 0.0, 0.5, 1.0, 1.0])
    control = control_database(epoch=5)
    database = ControlDatabase(control, seconds=1.0, clock=lambda: next(times))
    assert database.authority("sales", "north") == SliceAuthority(5, "new")
    with control.begin() as connection:
        connection.execute(update(ROLLOUTS).values(epoch=6, writes="held"))
    assert database.authority("sales", "north") == SliceAuthority(5, "new")
    assert database.authority("sales", "north") == SliceAuthority(6, "held")


def test_the_row_says_who_answers_the_readers_of_a_slice() -> None:
    control = control_database(epoch=5)
    database = ControlDatabase(control)
    assert database.reads("sales", "north") == SliceReads("sales", "north", "new", None, 2)
    assert database.reads("sales", "south").asks("o-1") == ("legacy",), "it was never opened"
    with control.begin() as connection:
        connection.execute(update(ROLLOUTS).values(reads="canary", percent=30))
    assert database.reads("sales", "north").reads == "new", "read less than a second ago"
    reads = database.reads("sales", "north", fresh=True)
    assert (reads.reads, reads.percent, reads.release) == ("canary", 30, 2)
    keys = [f"o-{number}" for number in range(2_000)]
    assert {reads.asks(key) for key in keys} == {("legacy",), ("new",)}
    assert 0.27 < sum(reads.asks(key) == ("new",) for key in keys) / len(keys) < 0.33


def test_a_control_database_that_does_not_answer_stops_the_service() -> None:
    desk = Desk()
    empty = create_engine("sqlite://")
    service = desk.service(authority=ControlDatabase(empty).authority)
    with pytest.raises(ConsumerError, match="does not say who decides: OperationalError"):
        service.handle(of_epoch(1, 1))
    assert service.positions() == {(LIVE, 0): 0}


def test_the_release_of_a_slice_says_where_its_history_ends() -> None:
    control = control_database(epoch=5)
    assert ControlDatabase(control).release("sales", "north") is None
    rows = [
        SLICE
        | {"release": number, "run_id": f"run-{number}", "positions": {"t": {"0": number}}}
        | {"timeline_digest": f"d-{number}", "read_model": read_model}
        for number, read_model in enumerate((None, VERSION, None), 1)
    ]
    with control.begin() as connection:
        connection.execute(insert(RELEASES), rows)
    release = ControlDatabase(control).release("sales", "north")
    assert release is not None
    assert (release.release, release.run_id, release.ends) == (2, "run-2", {("t", 0): 2})
    assert (release.digest, release.tables) == ("d-2", {"order": "order_north_v2"})
    with control.begin() as connection:
        connection.execute(update(ROLLOUTS).values(release=3))
    release = ControlDatabase(control).release("sales", "north")
    assert release is not None
    assert (release.digest, release.tables) == ("d-3", {}), "it was staged without a read model"
    assert Desk().service().behind(release.ends) == {("t", 0): 3}
