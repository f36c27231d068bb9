"""A handover: each record once to the added handler, whoever dies, and in the order of its key."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from sqlalchemy import create_engine, inspect, literal, select
from sqlalchemy.exc import OperationalError

from cutline.consumer import ConsumerError, Received, Retries
from cutline.consumer.handover import Added, Handover, LiveHandler, LiveResult
from cutline.consumer.handover import live as live_module
from cutline.consumer.handover.attempts import AttemptLimits, Attempts, RecordFailed
from cutline.consumer.handover.catching_up import CatchUp, CaughtUp
from cutline.reconsume.handover.planning import PartitionCatchUp
from cutline.reconsume.handover.records import partition_records, remove_handover, set_status
from support.ended import Killed
from support.handing_over import (
    GROUP,
    ORDERS,
    TOPIC,
    add,
    begin_handover,
    ending_record,
    order_record,
    orders_database,
    serve,
    times_of,
)

ORDER_NAMES = ("o-1", "o-2")


def test_the_service_takes_over_where_the_two_meet() -> None:
    engine = orders_database()
    past = [order_record(offset, "o-1") for offset in range(5)]
    for record in past[:3]:
        with engine.begin() as connection:
            serve(record, connection)
    begin_handover(engine, [PartitionCatchUp(0, 0, 3, 2)])
    handover = Handover(engine, GROUP, TOPIC)
    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, add)
    # Nobody has said how far the service is: it may be further than Kafka knows.
    assert catch_up.handle(0, past) == CaughtUp(3, 3, ended=False)
    assert not catch_up.hand_over(0, 3, 3)
    live.assigned(0, 3, 5)
    assert live.handle(past[3]) is LiveResult.HANDLED
    # It is further by now.
    assert not catch_up.hand_over(0, 3, 4)
    assert catch_up.handle(0, past[3:]) == CaughtUp(4, 4, ended=False)
    assert catch_up.hand_over(0, 4, 4)
    assert catch_up.handle(0, past[4:]) == CaughtUp(4, None, ended=True)
    assert live.handle(past[4]) is LiveResult.ADDED
    assert live.handle(past[4]) is LiveResult.PASSED
    times = times_of(engine)
    assert times.served == times.added == {(0, offset): 1 for offset in range(5)}
    assert handover.is_over(1)
    assert not handover.is_over(2)
    with engine.connect() as connection:
        assert connection.execute(select(ORDERS)).one() == ("o-1", 5, 5, 4)
        [partition] = partition_records(connection, GROUP, TOPIC)
    assert (partition.handed_over_at, partition.handled, partition.ended) == (4, 4, True)


def test_a_transaction_takes_as_many_as_there_is_time_for() -> None:
    engine = orders_database()
    past = [order_record(offset, "o-1") for offset in range(3)]
    begin_handover(engine, [PartitionCatchUp(0, 0, 3, 0)])
    catch_up = CatchUp(Handover(engine, GROUP, TOPIC), lambda *_: None, seconds=0.0)
    assert [catch_up.handle(0, past).next for _ in past] == [1, 2, 3]


def test_a_database_that_is_busy_is_no_fault_of_a_record() -> None:
    """Whoever were told to set it aside would lose it."""
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 1, 0)])

    def locked(*_: object) -> None:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise OperationalError("UPDATE orders", {}, error)

    catch_up = CatchUp(Handover(engine, GROUP, TOPIC), locked)
    limits = AttemptLimits(Retries(attempts=3, first=0.0, longest=0.0), None)
    attempts = Attempts(catch_up, limits, threading.Event())
    with pytest.raises(OperationalError):
        attempts.handle(0, [order_record(0, "o-1")])
    assert catch_up.begin(0).failed_at is None


def test_a_record_that_fails_is_noted_behind_those_that_do_not() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 3, 0)])

    def broken(record: Received, added: Added) -> None:
        if record.offset == 1:
            raise ValueError("no amount")
        add(record, added)

    catch_up = CatchUp(Handover(engine, GROUP, TOPIC), broken)
    limits = AttemptLimits(Retries(attempts=2, first=0.0, longest=0.0), None)
    attempts = Attempts(catch_up, limits, threading.Event())
    with pytest.raises(RecordFailed, match="offset 1: the added handler cannot do the record"):
        attempts.handle(0, [order_record(offset, "o-1") for offset in range(3)])
    assert catch_up.begin(0) == CaughtUp(1, None, ended=False, failed_at=1)
    assert times_of(engine).added == {(0, 0): 1}


def test_beside_a_service_the_place_is_known_before() -> None:
    """The service has both handlers of its own, from the record on at which it stood."""
    engine = orders_database()
    past = [order_record(offset, "o-1") for offset in (0, 1, 5)]
    begin_handover(
        engine, [PartitionCatchUp(0, 0, 5, 1), PartitionCatchUp(1, 7, 7, 0)], way="beside"
    )
    handover = Handover(engine, GROUP, TOPIC)
    catch_up = CatchUp(handover, add)
    for record in past[:2]:
        with engine.begin() as connection:
            serve(record, connection)
    assert catch_up.begin(1) == CaughtUp(7, None, ended=True)
    assert catch_up.handle(0, past) == CaughtUp(2, 5, ended=False)
    assert not catch_up.hand_over(0, 4, 9)
    assert catch_up.hand_over(0, 5, 9)
    live = LiveHandler(handover, serve, add)
    assert live.handle(past[2]) is LiveResult.ADDED
    # The topic gets a partition: the service has both there, too.
    assert live.handle(order_record(0, "o-2", partition=2)) is LiveResult.ADDED
    assert catch_up.begin(2).ended
    assert handover.is_over(3)


def test_a_process_without_the_wrapper_is_noticed() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, add)
    live.assigned(0, 0, 9)
    live.handle(order_record(0, "o-1"))
    catch_up.handle(0, [order_record(0, "o-1")])
    # Kafka has more than the wrapper knows of.
    assert not catch_up.hand_over(0, 2, 2)
    live.assigned(0, 3, 9)
    catch_up.handle(0, [order_record(1, "o-1"), order_record(2, "o-1")])
    assert catch_up.hand_over(0, 3, 3)


@pytest.mark.parametrize("says", [True, False])
def test_a_partition_is_opened_again_behind_a_process_without_the_wrapper(says: bool) -> None:
    """As where the service is put back to its old version; whether a process says where it begins,
    or its first record does."""
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    catch_up, live = CatchUp(handover, add), LiveHandler(handover, serve, add)
    live.assigned(0, 0, 0)
    assert catch_up.hand_over(0, 0, 0)
    assert live.handle(order_record(0, "o-1")) is LiveResult.ADDED
    for offset in (1, 2):
        with engine.begin() as connection:
            serve(order_record(offset, "o-1"), connection)
    again = LiveHandler(handover, serve, add)
    if says:
        again.assigned(0, 3, 4)
    assert again.handle(order_record(3, "o-1")) is LiveResult.HANDLED
    assert catch_up.begin(0) == CaughtUp(1, None, ended=False)
    catch_up.handle(0, [order_record(offset, "o-1") for offset in (1, 2, 3)])
    assert catch_up.hand_over(0, 4, 4)
    assert again.handle(order_record(4, "o-1")) is LiveResult.ADDED
    assert times_of(engine).added == {(0, offset): 1 for offset in range(5)}


def test_a_broker_that_does_not_answer_keeps_no_service_waiting(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first record says where the process is."""
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 3, 0)])
    live = LiveHandler(Handover(engine, GROUP, TOPIC), serve, add)

    class Away(Consumer):
        def committed(self, *_: object, **__: object) -> list[TopicPartition]:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    monkeypatch.setattr(live_module, "refuse_other_topic", lambda *_: None)
    live.on_assign({})(Away({"group.id": GROUP}), [TopicPartition(TOPIC, 0)])
    assert [record.getMessage() for record in caplog.records] == ["Kafka error"]
    with engine.connect() as connection:
        assert not partition_records(connection, GROUP, TOPIC)[0].registered
    live.handle(order_record(3, "o-1"))
    with engine.connect() as connection:
        [partition] = partition_records(connection, GROUP, TOPIC)
    assert (partition.registered, partition.live) == (True, 4)


def test_a_partition_that_came_later() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, add)
    assert live.handle(order_record(0, "o-1", partition=1)) is LiveResult.HANDLED
    assert catch_up.handle(1, [order_record(0, "o-1", partition=1)]).next == 1
    assert catch_up.hand_over(1, 1, 1)
    assert live.handle(order_record(1, "o-1", partition=1)) is LiveResult.ADDED
    assert times_of(engine).added == {(1, 0): 1, (1, 1): 1}


def test_an_order_that_has_ended_is_not_made_again() -> None:
    engine = orders_database()
    records = [order_record(0, "o-1"), ending_record(1, "o-1")]
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    live = LiveHandler(handover, serve, add)
    for record in records:
        live.handle(record)
    CatchUp(handover, add).handle(0, records)
    with engine.connect() as connection:
        assert connection.execute(select(ORDERS)).all() == []
        [partition] = partition_records(connection, GROUP, TOPIC)
    assert (partition.handled, partition.without_row) == (2, 2)


def test_who_gives_up_calls_the_added_handler_no_more() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, add)
    live.assigned(0, 0, 0)
    assert catch_up.hand_over(0, 0, 0)
    assert live.handle(order_record(0, "o-1")) is LiveResult.ADDED
    with engine.begin() as connection:
        set_status(connection, GROUP, TOPIC, "cancelled")
    assert live.handle(order_record(1, "o-1")) is LiveResult.HANDLED
    assert catch_up.begin(0).ended
    assert catch_up.handle(0, [order_record(0, "o-1")]).ended
    assert handover.is_over(1)


def test_a_wrapper_without_its_rows_handles_nothing() -> None:
    """A record that it took for one of before a handover would never reach the added handler."""
    engine = orders_database()
    with pytest.raises(ConsumerError, match="no handover of group order-desk on topic orders"):
        Handover(engine, GROUP, TOPIC)
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    with pytest.raises(ConsumerError, match="no handover of group other"):
        Handover(engine, "other", TOPIC)
    live = LiveHandler(handover, serve, add)
    live.handle(order_record(0, "o-1"))
    with pytest.raises(ConsumerError, match="topic sales is not that of the handover"):
        live.handle(order_record(1, "o-1", topic="sales"))
    with engine.begin() as connection:
        remove_handover(connection, GROUP, TOPIC)
    assert not inspect(engine).has_table("cutline_handovers")
    _handle_nothing(live, CatchUp(handover, add))
    # Those of a later handover of the group are not theirs, nor are those of one that is begun.
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)], catch_up_group="another")
    _handle_nothing(live, CatchUp(handover, add))
    with engine.begin() as connection:
        set_status(connection, GROUP, TOPIC, "begun")
    with pytest.raises(ConsumerError, match="or it is over"):
        Handover(engine, GROUP, TOPIC)
    assert times_of(engine).served == {(0, 0): 1}


def _handle_nothing(live: LiveHandler, catch_up: CatchUp) -> None:
    with pytest.raises(ConsumerError, match="or it is over"):
        live.handle(order_record(1, "o-1"))
    with pytest.raises(ConsumerError, match="or it is over"):
        catch_up.handle(0, [order_record(1, "o-1")])


def test_a_service_has_both_behind_the_end() -> None:
    """It may keep its wrapper for as long as it likes."""
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    handover = Handover(engine, GROUP, TOPIC)
    live, catch_up = LiveHandler(handover, serve, add), CatchUp(handover, add)
    live.assigned(0, 0, 0)
    assert catch_up.hand_over(0, 0, 0)
    with engine.begin() as connection:
        set_status(connection, GROUP, TOPIC, "finished")
    assert catch_up.begin(0).ended
    assert live.handle(order_record(0, "o-1")) is LiveResult.ADDED
    assert live.handle(order_record(0, "o-2", partition=1)) is LiveResult.ADDED


def test_a_topic_that_shrank() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 40, 0)])
    live = LiveHandler(Handover(engine, GROUP, TOPIC), serve, add)
    with pytest.raises(ConsumerError, match="ends at offset 3, and the service has read up to 40"):
        live.assigned(0, 0, 3)


WRITES: dict[str, tuple[Callable[[Added], object], str]] = {
    "a column of the service": (
        lambda added: added.set("orders", {"id": "o-1"}, {"records": 7}),
        "column orders.records is not one that the added handler may write; these are: added, ne",
    ),
    "the key": (
        lambda added: added.set("orders", {"id": "o-1"}, {"id": "o-2"}),
        "column orders.id is not one",
    ),
    "a table of the service": (
        lambda added: added.set("served", {"partition": 0, "offset": 0}, {"times": 9}),
        "table served is not one that the added handler may write; these are: orders, journal",
    ),
    "half a key": (
        lambda added: added.set("journal", {"partition": 1}, {"times": 1}),
        r"table journal: \['partition'\] is not its primary key",
    ),
    "an expression": (
        lambda added: added.set("orders", {"id": "o-1"}, {"added": ORDERS.c.records + 40}),
        "orders.added is given an expression",
    ),
    "a subquery": (
        lambda added: added.set("orders", {"id": "o-1"}, {"added": select(ORDERS.c.records)}),
        "orders.added is given an expression",
    ),
    "a key of all rows": (
        lambda added: added.set("orders", {"id": ORDERS.c.id}, {"added": 1}),
        "orders.id is given an expression",
    ),
    "a key that is read": (
        lambda added: added.get("orders", {"id": literal("o-1")}),
        "orders.id is given an expression",
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_an_added_handler_writes_its_fields_only(name: str) -> None:
    write, message = WRITES[name]
    engine = orders_database()
    with engine.begin() as connection:
        serve(order_record(0, "o-1"), connection)
    begin_handover(engine, [PartitionCatchUp(0, 0, 1, 0)])
    catch_up = CatchUp(Handover(engine, GROUP, TOPIC), lambda _, added: write(added))
    with pytest.raises(ConsumerError, match=message) as refused:
        catch_up.handle(0, [order_record(0, "o-1")])
    assert "topic orders, partition 0, offset 0: " in refused.value.what_failed
    assert catch_up.begin(0) == CaughtUp(0, None, ended=False)


def test_an_added_handler_reads_its_fields_only() -> None:
    """Others are as of the service's newest record."""
    engine = orders_database()
    rows: list[object] = []
    with engine.begin() as connection:
        serve(order_record(0, "o-1"), connection)
    begin_handover(engine, [PartitionCatchUp(0, 0, 1, 0)])

    def read(_: Received, added: Added) -> None:
        rows.append(added.get("orders", {"id": "o-1"}))
        rows.append(added.set("orders", {"id": "o-1"}, {}))
        rows.append(added.set("orders", {"id": "o-2"}, {"added": 1}))
        rows.append(added.set("journal", {"partition": 9, "offset": 9}, {"times": 2}))

    CatchUp(Handover(engine, GROUP, TOPIC), read).handle(0, [order_record(0, "o-1")])
    assert rows == [{"added": 0, "newest": -1}, True, False, True]


def test_who_ends_the_transaction_is_stopped() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    live = LiveHandler(
        Handover(engine, GROUP, TOPIC), lambda _, connection: connection.commit(), add
    )
    with pytest.raises(ConsumerError, match="the handler ended the transaction"):
        live.handle(order_record(0, "o-1"))


def test_an_engine_that_commits_each_statement() -> None:
    engine = orders_database()
    begin_handover(engine, [PartitionCatchUp(0, 0, 0, 0)])
    careless = engine.execution_options(isolation_level="AUTOCOMMIT")
    live = LiveHandler(Handover(careless, GROUP, TOPIC), serve, add)
    for begin in (lambda: live.assigned(0, 0, 0), lambda: live.handle(order_record(0, "o-1"))):
        with pytest.raises(ConsumerError, match="commits each statement by itself"):
            begin()
    with pytest.raises(ConsumerError, match="the database is mysql"):
        Handover(create_engine("mysql+pymysql://localhost/shop"), GROUP, TOPIC)


class HandoverMachine(RuleBasedStateMachine):
    """One partition with gaps, two processes of the service and two of the catch-up.

    The service runs without its wrapper at first, and later again, and may handle records that it
    has not committed. Each process may be behind what the others did, as one that has lost the
    partition and does not know it, and may be killed within a transaction. What is known of the
    group's place may be old.
    """

    def __init__(self) -> None:
        super().__init__()
        self.engine = orders_database()
        self.log: list[Received] = []
        self.end = self.committed = 0
        self.first = 0
        self.known_place = 0
        self.plain_at = 0
        self.service = [0, 0]
        self.reading = [0, 0]
        self.dying = False

    def _serve(self, record: Received, connection: object) -> None:
        serve(record, connection)  # type: ignore[arg-type]
        if self.dying:
            raise Killed

    def _add(self, record: Received, added: Added) -> None:
        add(record, added)
        if self.dying:
            raise Killed

    @rule(
        orders=st.lists(st.sampled_from(ORDER_NAMES), min_size=1, max_size=4),
        gap=st.sampled_from((0, 0, 1, 3)),
    )
    def produce(self, orders: list[str], gap: int) -> None:
        for order in orders:
            self.log.append(order_record(self.end, order))
            self.end += 1
        # Markers of transactions, and what compaction has removed.
        self.end += gap

    @initialize(
        orders=st.lists(st.sampled_from(ORDER_NAMES), min_size=1, max_size=8),
        committed=st.integers(0, 8),
        first=st.integers(0, 8),
    )
    def begin(self, orders: list[str], committed: int, first: int) -> None:
        """The service has handled what there is, and committed a part of that."""
        self.produce(orders, 0)
        self.serve_without_wrapper(len(orders), commits=False)
        self.committed = min(committed, len(orders))
        self.first = min(first, self.committed)
        begin_handover(
            self.engine,
            [PartitionCatchUp(0, self.first, self.committed, self.end - self.committed)],
        )
        handover = Handover(self.engine, GROUP, TOPIC)
        self.handover = handover
        self.live = [LiveHandler(handover, self._serve, self._add) for _ in range(2)]
        self.catch_up = CatchUp(handover, self._add)
        self.reading = [self.first, self.first]

    @rule(number=st.integers(1, 4), commits=st.booleans())
    def serve_without_wrapper(self, number: int, commits: bool) -> None:
        for record in self._from(max(self.plain_at, self.committed))[:number]:
            with self.engine.begin() as connection:
                serve(record, connection)
            self.plain_at = record.offset + 1
        if commits:
            self.committed = max(self.committed, self.plain_at)

    @rule(member=st.integers(0, 1), says=st.booleans())
    def assign(self, member: int, says: bool) -> None:
        """A process is started and gets the partition; with a handler for that it says so."""
        self.plain_at = self.service[member] = self.committed
        self.live[member] = LiveHandler(self.handover, self._serve, self._add)
        if says:
            self.live[member].assigned(0, self.committed, self.end)

    @rule(
        member=st.integers(0, 1),
        number=st.integers(1, 4),
        dies=st.booleans(),
        commits=st.booleans(),
    )
    def serve(self, member: int, number: int, dies: bool, commits: bool) -> None:
        live = self.live[member]
        for record in self._from(self.service[member])[:number]:
            live.handle(record)
            self.service[member] = record.offset + 1
        if commits:
            self.committed = max(self.committed, self.service[member])
        if dies:
            self._die(live.handle, self.service[member])
            self.assign(member, says=False)

    @rule(member=st.integers(0, 1), number=st.integers(1, 5), dies=st.booleans())
    def catch_up_with(self, member: int, number: int, dies: bool) -> None:
        records = self._from(self.reading[member])[:number]
        caught_up = self.catch_up.handle(0, records)
        self.reading[member] = (
            caught_up.next if caught_up.stopped_at is None else caught_up.stopped_at
        )
        if dies:
            self._die(lambda r: self.catch_up.handle(0, [r]), self.reading[member])
            self.reading[member] = self.catch_up.begin(0).next

    @rule(member=st.integers(0, 1), asks=st.booleans())
    def hand_over(self, member: int, asks: bool) -> None:
        if asks:
            self.known_place = self.committed
        left = self._from(self.reading[member])
        reached = left[0].offset if left else self.end
        self.catch_up.hand_over(0, reached, self.known_place)

    @invariant()
    def nothing_is_done_twice(self) -> None:
        times = times_of(self.engine)
        assert set(times.added.values()) <= {1}
        assert set(times.added) <= set(times.served)

    def teardown(self) -> None:
        """However it went so far, it ends, and each record was there once."""
        self.assign(0, says=True)
        self.serve(0, len(self.log), dies=False, commits=True)
        for _ in range(3):
            self.reading[0] = self.catch_up.begin(0).next
            self.catch_up_with(0, len(self.log), dies=False)
            self.hand_over(0, asks=True)
        assert self.handover.is_over(1)
        self.produce(["o-1", "o-2"], 0)
        self.assign(1, says=True)
        self.serve(1, len(self.log), dies=False, commits=True)
        times = times_of(self.engine)
        due = {(0, record.offset) for record in self.log if record.offset >= self.first}
        assert set(times.added) == due
        assert set(times.added.values()) <= {1}
        assert set(times.served) == {(0, record.offset) for record in self.log}

    def _from(self, offset: int) -> list[Received]:
        return [record for record in self.log if record.offset >= offset]

    def _die(self, handle: Callable[[Received], object], offset: int) -> None:
        """A process that is killed within the transaction of the record that comes next."""
        self.dying = True
        try:
            for record in self._from(offset)[:1]:
                handle(record)
        except Killed:
            pass
        finally:
            self.dying = False


HandoverMachine.TestCase.settings = settings(
    max_examples=150, stateful_step_count=30, deadline=None
)
TestHandover = HandoverMachine.TestCase
