"""Each event once: positions, the inbox and the handler's writes are one transaction."""

from __future__ import annotations

import datetime as dt

import pytest

from cutline.consumer import ConsumerError, Handled, Received
from support.consuming import LIVE, Desk, event, history


def test_an_event_is_handled_once_however_often_it_comes() -> None:
    desk = Desk()
    service = desk.service()
    assert service.handle(event(1, 0)) is Handled.HANDLED
    assert service.handle(event(1, 0)) is Handled.PASSED
    assert service.handle(event(1, 1)) is Handled.DUPLICATE
    assert service.handle(event(1, 0, topic="another")) is Handled.DUPLICATE
    assert desk.handled() == ["e-1"]
    assert service.positions() == {(LIVE, 0): 2, ("another", 0): 1}
    assert service.counts()["event", "duplicate"] == 2


def test_the_same_id_of_another_source_is_another_event() -> None:
    desk = Desk()
    service = desk.service()
    service.handle(event(1, 0))
    assert service.handle(event(1, 1, source="urn:other")) is Handled.HANDLED


def test_whoever_dies_within_a_transaction_has_done_nothing() -> None:
    desk = Desk(fatal={"e-1"})
    service = desk.service()
    with pytest.raises(KeyboardInterrupt):
        service.handle(event(1, 0))
    assert service.positions() == {(LIVE, 0): 0}
    assert (desk.handled(), service.counts(), service.outbox.deliver()) == ([], {}, 0)
    desk.fatal.clear()
    assert desk.service().handle(event(1, 0)) is Handled.HANDLED
    assert desk.handled() == ["e-1"]


def test_gaps_of_offsets_are_nothing() -> None:
    """Markers of transactions and compaction leave them."""
    desk = Desk()
    service = desk.service()
    assert [service.handle(event(n, n * 7)) for n in range(3)] == [Handled.HANDLED] * 3


def test_a_version_of_its_own_handles_history_anew() -> None:
    desk = Desk()
    desk.service("1").handle(event(1, 0))
    assert desk.service("2").handle(event(1, 0)) is Handled.HANDLED
    assert desk.handled() == ["e-1", "e-1"]
    # The effect's key is the same, so it is performed once.
    desk.service("1").outbox.deliver()
    desk.service("2").outbox.deliver()
    assert desk.mailed() == ["e-1"]
    assert desk.service("2").counts()["mail", "repeated"] == 1


def test_ids_are_kept_as_long_as_is_said() -> None:
    desk = Desk()
    service = desk.service(retention_days=30)
    service.handle(event(1, 0))
    service.outbox.deliver()
    desk.now += dt.timedelta(days=29)
    assert service.forget() == 0
    assert service.handle(event(1, 1)) is Handled.DUPLICATE
    desk.now += dt.timedelta(days=2)
    assert service.forget() == 1
    assert service.handle(event(1, 1)) is Handled.PASSED, "a position is kept for ever"
    assert service.handle(event(1, 2)) is Handled.HANDLED


def test_states_have_one_id_a_subject_and_are_known_by_their_positions() -> None:
    desk = Desk()
    service = desk.service()
    topic = "shop.sales.order.state"
    records = [event("state", offset, topic=topic) for offset in (0, 0, 1)]
    assert [service.handle(r) for r in records] == [
        Handled.HANDLED,
        Handled.PASSED,
        Handled.HANDLED,
    ]
    service.outbox.deliver()
    assert desk.mails == []
    assert service.counts()["mail", "state"] == 2


def test_how_much_is_left_is_told_by_partition() -> None:
    desk = Desk()
    service = desk.service()
    service.handle(history(1, 4))
    ends = {("shop.sales.order.synthetic", 0): 5, ("shop.sales.order.synthetic", 1): 3}
    assert service.behind(ends) == {("shop.sales.order.synthetic", 1): 3}


def test_a_database_that_holds_no_inbox_is_refused() -> None:
    from unittest.mock import Mock

    desk = Desk()
    desk.engine = Mock(dialect=Mock())
    desk.engine.dialect.name = "mysql"
    with pytest.raises(ConsumerError, match="the database is mysql"):
        desk.service()


def test_a_record_is_stored_and_restored_as_it_came() -> None:
    record = Received("t", 1, 2, b"\xff", (("a", b"\xfe"), ("b", None), ("c", b"x")), None)
    assert Received.restored(record.stored()) == record
