"""A consumer that lags behind while the writes of a slice go to the new side, back, and there again:
what it reads late is acted on by nobody, and what counts once."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine

from cutline.consumer import ControlDatabase, Handled, Received
from cutline.topics.partition_file import PartitionFile
from support.consuming import Desk, event
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark

TOPIC = f"retail.{CONTEXT}.customer_order.live"


def written(number: int, epoch: int, **at: str) -> Received:
    """An event that the new side has written under an epoch."""
    return event(number, number, migcontext=CONTEXT, migregion=REGION, migepoch=str(epoch), **at)


def test_a_consumer_that_lags_acts_on_nothing_of_an_authority_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    slice_.do("switch writes")
    first = slice_.standing.epoch
    database = ControlDatabase(create_engine(f"sqlite:///{tmp_path / 'control.db'}"), seconds=0)
    awake = Desk().service(authority=database.authority)
    desk = Desk()
    service = desk.service(authority=database.authority)
    assert service.handle(written(0, first)) is Handled.HANDLED
    # It sleeps, with one event of this epoch unread.
    slice_.do("reverse writes")
    # The new side goes on, and puts the row's epoch into what it writes.
    given_back = slice_.standing.epoch
    assert awake.handle(written(4, given_back)) is Handled.PARKED
    slice_.run("run-2")
    slice_.carried_on = lambda: "run-2"
    slice_.do("stage", "run-2")
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    second = slice_.standing.epoch
    slice_.do("complete")

    late = [written(1, first), written(2, second), written(2, second), written(3, first)]
    # Where the live topics ended at the move back nobody knows of this one: it was not live then.
    assert [service.handle(record) for record in late] == [
        *(Handled.PARKED, Handled.HANDLED, Handled.PASSED, Handled.PARKED),
    ]
    service.outbox.deliver()
    assert (desk.handled(), desk.mailed()) == (["e-0", "e-2"], ["e-0", "e-2"])
    assert {(row.epoch, row.slice_epoch) for row in service.parking.shown()} == {(first, second)}
    release = database.release(CONTEXT, REGION)
    assert release is not None
    assert (release.release, release.run_id) == (2, "run-2"), "not the one that it began with"


def test_a_consumer_that_lags_acts_on_what_was_written_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a new version of a service that reads a topic from its beginning."""
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, live=("customer_order",))
    (tmp_path / "topics" / TOPIC).mkdir(parents=True)
    file = PartitionFile(tmp_path / "topics" / TOPIC, 0)
    file.path.touch()
    records: list[Received] = []

    def write(epoch: int) -> None:
        offset = len(records)
        records.append(written(offset, epoch, topic=TOPIC))
        file.add([f'"partition":0,"offset":{offset},"key":"o-1"}}'.encode()])

    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    slice_.do("switch writes")
    first = slice_.standing.epoch
    for _ in range(2):
        write(first)
    slice_.do("reverse writes")
    write(first)
    write(slice_.standing.epoch)
    database = ControlDatabase(create_engine(f"sqlite:///{tmp_path / 'control.db'}"), seconds=0)
    service = Desk().service(authority=database.authority)
    in_time = [Handled.HANDLED, Handled.HANDLED]
    assert [service.handle(record) for record in records] == [*in_time, *[Handled.PARKED] * 2]
    assert [row.reason for row in service.parking.shown()] == ["older epoch", "unauthorised epoch"]
