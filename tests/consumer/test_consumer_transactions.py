"""Transactions that are not what they seem: whoever ends one, and whatever is in its way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.event import listen
from sqlalchemy.exc import OperationalError

from cutline.consumer import ConsumerError, ConsumerPolicy, Envelope, Handled, Service, Work
from cutline.consumer.tables import METADATA
from support.consuming import HANDLED_EVENTS, LIVE, QUICK, Desk, event


def rolled_back_and_swallowed(connection: Connection) -> None:
    connection.rollback()


def committed_before_it_fails(connection: Connection) -> None:
    connection.commit()
    connection.execute(text("SELECT 1"))


@pytest.mark.parametrize("end", [rolled_back_and_swallowed, committed_before_it_fails])
def test_a_handler_that_ends_its_transaction_ends_the_service(
    end: Callable[[Connection], None],
) -> None:
    """Otherwise the event would pass for handled, and nothing of it, or half of it, were there."""

    class Ending(Desk):
        def handle(self, event: Envelope, work: Work) -> None:
            end(work.connection)

    service = Ending().service()
    with pytest.raises(
        ConsumerError, match=f"topic {LIVE}, partition 0, offset 4: the handler ended"
    ):
        service.handle(event(1, 4))


def test_a_savepoint_is_the_handlers_own() -> None:
    class Careful(Desk):
        def handle(self, event: Envelope, work: Work) -> None:
            super().handle(event, work)
            with work.connection.begin_nested() as savepoint:
                work.connection.execute(HANDLED_EVENTS.delete())
                savepoint.rollback()

    desk = Careful()
    assert desk.service().handle(event(1, 0)) is Handled.HANDLED
    assert desk.handled() == ["e-1"]


def test_a_constraint_that_is_checked_at_the_commit_makes_a_dead_letter() -> None:
    """It is the event's fault, and not a database that is away."""

    class Deferred(Desk):
        def handle(self, event: Envelope, work: Work) -> None:
            if event.subject == "o-1":
                work.connection.execute(text("INSERT INTO orders VALUES ('nobody')"))

    desk = Deferred()
    with desk.engine.begin() as connection:
        connection.execute(text("PRAGMA foreign_keys = ON"))
        connection.execute(text("CREATE TABLE customers (id TEXT PRIMARY KEY)"))
        connection.execute(
            text(
                "CREATE TABLE orders (customer TEXT REFERENCES customers (id) "
                "DEFERRABLE INITIALLY DEFERRED)"
            )
        )
    service = desk.service()
    assert service.handle(event(1, 0)) is Handled.DEAD
    assert service.handle(event(2, 1, subject="o-2")) is Handled.HANDLED
    assert "FOREIGN KEY" in service.letters.shown()[0].reason


@pytest.fixture
def file_database(tmp_path: Path) -> Engine:
    """A database that several processes could write, none of which waits for the others."""
    engine = create_engine(f"sqlite:///{tmp_path}/service.db", connect_args={"timeout": 0})
    HANDLED_EVENTS.metadata.create_all(engine)
    return engine


def test_a_writer_that_is_in_the_way_makes_no_dead_letter(
    file_database: Engine,
) -> None:
    desk = Desk(file_database)
    service = desk.service()
    service.handle(event(1, 0))
    attempts = 0

    def meanwhile(event: Envelope, work: Work) -> None:
        nonlocal attempts
        attempts += 1
        elsewhere = create_engine(file_database.url, connect_args={"timeout": 0})
        with elsewhere.begin() as connection:
            connection.execute(HANDLED_EVENTS.delete())

    blocked = Service("mailer", "1", file_database, meanwhile, policy=ConsumerPolicy(retries=QUICK))
    with pytest.raises(OperationalError, match="locked"):
        blocked.handle(event(2, 1))
    assert attempts == QUICK.attempts
    assert service.letters.shown() == []
    assert service.handle(event(2, 1)) is Handled.HANDLED


def test_a_retry_that_meets_a_database_that_is_busy_leaves_the_line_as_it_is(
    file_database: Engine,
) -> None:
    desk = Desk(file_database, broken={"e-1"})
    service = desk.service()
    for number in range(1, 3):
        service.handle(event(number, number))
    desk.broken.clear()

    def meanwhile(event: Envelope, work: Work) -> None:
        desk.handle(event, work)
        if event.id == "e-2":
            elsewhere = create_engine(file_database.url, connect_args={"timeout": 0})
            with elsewhere.begin() as connection:
                connection.execute(HANDLED_EVENTS.delete())

    busy = Service("mailer", "1", file_database, meanwhile, {"mail": desk.send})
    with pytest.raises(OperationalError, match="locked"):
        busy.redrive.retry(service.letters.shown("dead")[0].number)
    assert [letter.status for letter in service.letters.shown()] == ["waiting"]
    assert service.redrive.go_on() == 1


def test_a_number_is_never_that_of_another_letter() -> None:
    """Whoever looked at a letter and decides on it later must not decide on another event."""
    desk = Desk(broken={"e-1", "e-2"})
    service = desk.service()
    service.handle(event(1, 0))
    [first] = service.letters.shown()
    service.redrive.discard(first.number, "a test")
    desk.broken.remove("e-1")
    service.handle(event(2, 1))
    [second] = service.letters.shown("dead")
    desk.broken.clear()
    service.redrive.retry(second.number)
    desk.broken = {"e-3"}
    service.handle(event(3, 2))
    [third] = service.letters.shown("dead")
    assert len({first.number, second.number, third.number}) == 3
    with pytest.raises(ConsumerError, match=f"no dead letter {second.number}"):
        service.redrive.discard(second.number, "of a list that is an hour old")


def test_two_processes_may_make_the_tables_at_once(file_database: Engine) -> None:
    faster = create_engine(file_database.url)
    tables = METADATA.sorted_tables

    def meanwhile(*arguments: object) -> None:
        if "CREATE TABLE" in str(arguments[2]) and tables:
            tables.pop().create(faster, checkfirst=True)

    listen(file_database, "before_cursor_execute", meanwhile)
    desk = Desk(file_database)
    assert desk.service().handle(event(1, 0)) is Handled.HANDLED


def test_an_engine_that_commits_each_statement_is_refused(file_database: Engine) -> None:
    desk = Desk(create_engine(file_database.url, isolation_level="AUTOCOMMIT"))
    with pytest.raises(ConsumerError, match="commits each statement by itself"):
        desk.service().handle(event(1, 0))
    assert Desk(file_database).service().handle(event(1, 0)) is Handled.HANDLED
    assert desk.handled() == ["e-1"]


@pytest.mark.parametrize("broken", [False, True], ids=["sound", "broken"])
def test_a_letter_that_is_discarded_while_another_retries_it_stays_so(
    file_database: Engine, *, broken: bool
) -> None:
    """Two operators at once: the one who gave it up has said that nothing is lost by it."""
    desk = Desk(file_database, broken={"e-1"})
    service = desk.service()
    service.handle(event(1, 0))
    [dead] = service.letters.shown("dead")
    desk.broken = {"e-1"} if broken else set()
    # Before the retry removes the letter, or before it notes that the letter failed again.
    moment = "UPDATE cutline_consumer_letters" if broken else "DELETE FROM cutline_consumer_letters"
    elsewhere = Desk(create_engine(file_database.url)).service()

    def meanwhile(*arguments: object) -> None:
        if moment in str(arguments[2]) and not elsewhere.letters.shown("discarded"):
            elsewhere.redrive.discard(dead.number, "was never paid")

    listen(file_database, "before_cursor_execute", meanwhile)
    service.redrive.retry(dead.number)
    assert [(row.status, row.reason) for row in service.letters.shown()] == [
        ("discarded", "was never paid")
    ]
    assert desk.handled() == []
    assert service.handle(event(2, 1)) is Handled.HANDLED
