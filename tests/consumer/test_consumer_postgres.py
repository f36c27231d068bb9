"""The same on PostgreSQL, where transactions of several members are open at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DBAPIError

from cutline.consumer import ConsumerError, Envelope, Handled, Mode, Work
from cutline.consumer.holding import hold, let_go
from support.consuming import HANDLED_EVENTS, HISTORY, LIVE, Desk, event, history

pytestmark = pytest.mark.postgres


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://", 1))
    HANDLED_EVENTS.metadata.create_all(engine)
    yield engine
    engine.dispose()


class Paused(Desk):
    """A desk whose handler waits for the test, within its transaction."""

    def prepare(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def handle(self, event: Envelope, work: Work) -> None:
        super().handle(event, work)
        self.begun.set()
        assert self.go_on.wait(20)


def paused(engine: Engine) -> Paused:
    desk = Paused(engine)
    desk.prepare()
    return desk


def test_a_service_does_all_that_it_does(engine: Engine) -> None:
    desk = Desk(engine, broken={"e-3"})
    service = desk.service()
    assert service.handle(history(1, 0)) is Handled.HANDLED
    new = event(2, 0, migepoch="2", migcontext="sales", migregion="north")
    assert service.handle(new) is Handled.HANDLED
    assert service.handle(event(2, 1)) is Handled.DUPLICATE
    assert service.handle(event(3, 2)) is Handled.DEAD
    assert service.handle(event(4, 3)) is Handled.WAITING
    old = event(5, 4, subject="o-2", migepoch="1", migcontext="sales", migregion="north")
    assert service.handle(old) is Handled.PARKED
    service.outbox.deliver()
    assert desk.mailed() == ["e-2"]
    desk.broken.clear()
    [dead] = service.letters.shown("dead")
    assert service.redrive.retry(dead.number).handled == 2
    [parked] = service.parking.shown()
    assert service.redrive.release(parked.number) is Handled.HANDLED
    service.outbox.deliver()
    assert desk.mailed() == ["e-2", "e-3", "e-4", "e-5"]
    second = desk.service("2", mode=Mode.LIVE)
    second.take_over("1")
    assert second.handle(event(2, 0)) is Handled.HANDLED
    assert second.counts()["mail", "warm-up"] == 1
    assert service.forget() == 0


def test_of_two_members_with_one_record_one_passes_it_over(engine: Engine) -> None:
    desk = paused(engine)
    first, second = desk.service(), desk.service()
    with ThreadPoolExecutor(2) as threads:
        one_of_them = threads.submit(first.handle, event(1, 0))
        assert desk.begun.wait(20)
        later = threads.submit(second.handle, event(1, 0))
        assert not later.done()
        desk.go_on.set()
        assert one_of_them.result(20) is Handled.HANDLED
        assert later.result(20) is Handled.PASSED
    assert desk.handled() == ["e-1"]


def test_an_event_that_comes_while_its_dead_letter_is_retried_waits_for_it(engine: Engine) -> None:
    """It neither goes before the letter nor queues behind one that is gone."""
    broken = Desk(engine, broken={"e-1"})
    broken.service().handle(event(1, 0))
    [dead] = broken.service().letters.shown("dead")
    desk = paused(engine)
    retrying, arriving = desk.service(), Desk(engine).service()
    with ThreadPoolExecutor(2) as threads:
        retry = threads.submit(retrying.redrive.retry, dead.number)
        assert desk.begun.wait(20)
        arrived = threads.submit(arriving.handle, event(2, 1))
        # Whether it queues before the letter is gone, or waits for the retry's lock, it comes last.
        desk.go_on.set()
        retry.result(20)
        assert arrived.result(20) in (Handled.WAITING, Handled.HANDLED)
    assert desk.handled() == ["e-1", "e-2"]
    assert arriving.letters.shown() == []
    assert arriving.handle(event(3, 2)) is Handled.HANDLED


def test_two_processes_send_each_effect_once(engine: Engine) -> None:
    desk = Desk(engine)
    service = desk.service()
    for number in range(30):
        service.handle(event(number, number))
    with ThreadPoolExecutor(3) as threads:
        sent = [threads.submit(desk.service().outbox.deliver) for _ in range(3)]
        assert sum(future.result(30) for future in sent) == 30
    assert sorted(desk.mailed()) == sorted(f"e-{n}" for n in range(30))
    assert service.positions() == {(LIVE, 0): 30}


def test_a_database_that_goes_away_puts_no_event_aside(engine: Engine) -> None:
    class Interrupted(Desk):
        def handle(self, event: Envelope, work: Work) -> None:
            super().handle(event, work)
            work.connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    desk = Interrupted(engine)
    service = desk.service()
    with pytest.raises(DBAPIError):
        service.handle(event(1, 0))
    assert service.letters.shown() == []
    assert Desk(engine).service().handle(event(1, 0)) is Handled.HANDLED
    assert desk.handled() == ["e-1"]


def test_a_statement_that_failed_and_was_passed_over_makes_no_handled_event(
    engine: Engine,
) -> None:
    """PostgreSQL answers the commit behind it with a rollback, and no driver raises."""

    class Swallowing(Desk):
        def handle(self, event: Envelope, work: Work) -> None:
            super().handle(event, work)
            with suppress(DBAPIError):
                work.connection.execute(text("SELECT 1 / 0"))

    desk = Swallowing(engine)
    service = desk.service()
    assert service.handle(event(1, 0)) is Handled.DEAD
    assert service.positions() == {(LIVE, 0): 1}
    assert "InFailedSqlTransaction" in service.letters.shown()[0].reason


def test_whoever_takes_over_waits_for_the_event_at_hand(engine: Engine) -> None:
    """A shadow that is in the midst of an event would be ahead when it is done."""
    acting = Desk(engine).service("1")
    acting.handle(history(1, 0))
    desk = paused(engine)
    shadow = desk.service("2", mode=Mode.SHADOW)
    shadow.begin((HISTORY, 0))
    with ThreadPoolExecutor(2) as threads:
        shadowing = threads.submit(shadow.handle, history(2, 1))
        assert desk.begun.wait(20)
        taking_over = threads.submit(Desk(engine).service("2").take_over, "1")
        with pytest.raises(TimeoutError):
            taking_over.result(0.3)
        desk.go_on.set()
        assert shadowing.result(20) is Handled.HANDLED
        with pytest.raises(ConsumerError, match="is ahead of the version"):
            taking_over.result(20)


def test_a_line_that_gets_a_dead_letter_is_not_let_go_meanwhile(engine: Engine) -> None:
    owner = Desk(engine).service().owner
    with engine.begin() as connection:
        hold(connection, owner, "orders", "o-1")
    with engine.begin() as first, engine.begin() as second:
        hold(first, owner, "orders", "o-1")
        second.execute(text("SET LOCAL lock_timeout = '100ms'"))
        with pytest.raises(DBAPIError, match="lock timeout"):
            let_go(second, owner, "orders", "o-1")
        second.rollback()
