"""On a server with many writers at once: who hands over waits for the service's transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, Engine

from cutline.consumer import Received
from cutline.consumer.handover import Added, Handover, LiveHandler, LiveResult
from cutline.consumer.handover.catching_up import CatchUp
from cutline.reconsume.handover.planning import PartitionCatchUp
from cutline.reconsume.handover.records import remove_handover
from support.handing_over import (
    GROUP,
    TABLES,
    TOPIC,
    add,
    begin_handover,
    order_record,
    orders_database,
    serve,
    times_of,
)

pytestmark = pytest.mark.postgres
_SECONDS = 30


@pytest.fixture
def engine(postgres_url: str) -> Engine:
    engine = orders_database(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    return engine


def test_who_hands_over_waits_for_the_record_that_the_service_is_at(engine: Engine) -> None:
    handover = Handover(engine, GROUP, TOPIC)
    at_work, goes_on = threading.Event(), threading.Event()

    def slowly(record: Received, connection: Connection) -> None:
        serve(record, connection)
        at_work.set()
        assert goes_on.wait(_SECONDS)

    live, catch_up = LiveHandler(handover, slowly, add), CatchUp(handover, add)
    live.assigned(0, 0, 1)
    with ThreadPoolExecutor(2) as pool:
        handled = pool.submit(live.handle, order_record(0, "o-1"))
        assert at_work.wait(_SECONDS)
        # By what is committed, the service has done nothing that the catch-up has not.
        decided = pool.submit(catch_up.hand_over, 0, 0, 0)
        with pytest.raises(TimeoutError):
            decided.result(timeout=0.5)
        goes_on.set()
        assert handled.result(_SECONDS) is LiveResult.HANDLED
        # It is behind that record by now.
        assert decided.result(_SECONDS) is False
    assert times_of(engine).added == {}


def test_the_service_does_not_wait_for_what_is_read_of_the_past(engine: Engine) -> None:
    handover = Handover(engine, GROUP, TOPIC)
    at_work, goes_on = threading.Event(), threading.Event()

    def slowly(record: Received, added: Added) -> None:
        at_work.set()
        assert goes_on.wait(_SECONDS)
        add(record, added)

    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, slowly)
    live.handle(order_record(0, "o-1"))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(catch_up.handle, 0, [order_record(0, "o-1")])
        assert at_work.wait(_SECONDS)
        assert live.handle(order_record(1, "o-2")) is LiveResult.HANDLED
        goes_on.set()
        assert reading.result(_SECONDS).next == 1


@pytest.mark.parametrize("step", ["handle", "begin"])
def test_tables_that_are_gone_are_said_to_be(engine: Engine, step: str) -> None:
    handover = Handover(engine, GROUP, TOPIC)
    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, add)
    live.handle(order_record(0, "o-1"))
    with engine.begin() as connection:
        remove_handover(connection, GROUP, TOPIC)
    steps: dict[str, Callable[[], object]] = {
        "handle": lambda: live.handle(order_record(1, "o-1")),
        "begin": lambda: catch_up.begin(0),
    }
    with pytest.raises(Exception, match="no handover of group order-desk on topic orders"):
        steps[step]()
    with engine.connect() as connection:
        assert connection.execute(TABLES.tables["served"].select()).all() == [(0, 0, 1)]
