"""Any order of records, deaths, failures, retries and discards, held against a model."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cutline.consumer import Handled, Received
from support.consuming import HISTORY, LIVE, Desk, event, history

SUBJECTS = ("a", "b")
TOPICS = (HISTORY, LIVE)
KINDS = ("sound", "sound", "broken", "again")


class Deliveries(RuleBasedStateMachine):
    """A service with two members, of which each may be behind, and die at any moment.

    The model knows what was produced in each partition, which ids are broken, and per subject what
    arrived and what was done of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.service = self.desk.service()
        self.logs: dict[str, list[Received]] = {topic: [] for topic in TOPICS}
        self.cursors: dict[tuple[int, str], int] = {
            (member, topic): 0 for member in (0, 1) for topic in TOPICS
        }
        self.arrived: dict[str, list[str]] = {subject: [] for subject in SUBJECTS}
        self.discarded: set[str] = set()
        self.ids = 0

    @rule(
        topic=st.sampled_from(TOPICS),
        events=st.lists(
            st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(KINDS)), min_size=3, max_size=6
        ),
        delivered=st.sampled_from((True, True, False)),
    )
    def produce(self, topic: str, events: list[tuple[str, str]], delivered: bool) -> None:
        """New events, sound or broken, or the last one that the producer sends again; mostly a
        member has them at once."""
        log = self.logs[topic]
        for subject, kind in events:
            if kind == "again" and log:
                old = log[-1]
                log.append(Received(topic, 0, len(log), old.key, old.headers, old.value))
                continue
            self.ids += 1
            make = history if topic == HISTORY else event
            log.append(make(self.ids, len(log), topic=topic, subject=subject))
            if kind == "broken":
                self.desk.broken.add(f"e-{self.ids}")
        if delivered:
            self.deliver(0, topic, len(log))

    @rule(
        member=st.sampled_from((0, 1)),
        topic=st.sampled_from(TOPICS),
        number=st.integers(1, 5),
    )
    def deliver(self, member: int, topic: str, number: int) -> None:
        """A member has its next records handled, though another may have had them."""
        for _ in range(number):
            self.deliver_next(member, topic)

    def deliver_next(self, member: int, topic: str) -> None:
        cursor = self.cursors[member, topic]
        if cursor >= len(self.logs[topic]):
            return
        record = self.logs[topic][cursor]
        position = self.service.positions().get((topic, 0), 0)
        name, subject = id_of(record), subject_of(record)
        waits = bool(self.letters_of(subject))
        result = self.service.handle(record)
        self.cursors[member, topic] = cursor + 1
        if cursor < position:
            assert result is Handled.PASSED
        elif name in self.arrived[subject]:
            assert result is Handled.DUPLICATE
        else:
            self.arrived[subject].append(name)
            alone = Handled.DEAD if name in self.desk.broken else Handled.HANDLED
            assert result is (Handled.WAITING if waits else alone)

    @rule(topic=st.sampled_from(TOPICS))
    def die_within(self, topic: str) -> None:
        """A member dies while its handler works, and a new process begins at the position."""
        position = self.service.positions().get((topic, 0), 0)
        if position >= len(self.logs[topic]):
            return
        record = self.logs[topic][position]
        self.desk.fatal = {id_of(record)}
        try:
            # Without a handler that is called nobody dies, and the record is done.
            result = self.service.handle(record)
            if id_of(record) not in self.arrived[subject_of(record)]:
                self.arrived[subject_of(record)].append(id_of(record))
                assert result is Handled.WAITING
        except KeyboardInterrupt:
            assert self.service.positions()[topic, 0] == position
        self.desk.fatal = set()
        self.service = self.desk.service()
        for member in (0, 1):
            self.cursors[member, topic] = self.service.begin((topic, 0))

    @rule(member=st.sampled_from((0, 1)), topic=st.sampled_from(TOPICS))
    def rebalance(self, member: int, topic: str) -> None:
        """A partition is assigned: the member goes on at the service's own position."""
        self.cursors[member, topic] = self.service.begin((topic, 0))

    @rule()
    def send(self) -> None:
        self.service.outbox.deliver()

    @precondition(lambda self: self.service.letters.shown("dead"))
    @rule(number=st.integers(0, 3), mended=st.sampled_from((True, True, False)))
    def retry(self, number: int, mended: bool) -> None:
        rows = self.service.letters.shown("dead")
        row = rows[number % len(rows)]
        record = Received.restored(row._asdict())
        if mended:
            self.desk.broken.discard(id_of(record))
        self.service.redrive.retry(row.number)

    @precondition(lambda self: self.service.letters.shown("dead"))
    @rule(number=st.integers(0, 3))
    def discard(self, number: int) -> None:
        rows = self.service.letters.shown("dead")
        row = rows[number % len(rows)]
        self.discarded.add(id_of(Received.restored(row._asdict())))
        self.service.redrive.discard(row.number, "as the model says")

    def letters_of(self, subject: str) -> list[str]:
        rows = self.service.letters.shown("dead", "waiting")
        return [id_of(Received.restored(r._asdict())) for r in rows if r.subject == subject]

    @invariant()
    def each_subject_is_done_in_order_up_to_its_dead_letter(self) -> None:
        for subject in SUBJECTS:
            done = [n for n in self.arrived[subject] if n not in self.discarded]
            first_broken = next((i for i, n in enumerate(done) if n in self.desk.broken), len(done))
            letters = self.letters_of(subject)
            handled = self.desk.handled(subject)
            assert handled + letters == done, "nothing is lost, doubled, or out of order"
            assert first_broken >= len(handled), "what is broken is not done"
            if letters:
                statuses = [r.status for r in self.service.letters.shown() if r.subject == subject]
                assert next(s for s in statuses if s != "discarded") == "dead"

    @invariant()
    def no_mail_is_about_history_or_sent_twice(self) -> None:
        live = {id_of(record) for record in self.logs[LIVE]}
        mailed = Counter(self.desk.mailed())
        assert set(mailed) <= live & set(self.desk.handled())
        assert all(number == 1 for number in mailed.values())

    def teardown(self) -> None:
        self.service.outbox.deliver()
        live = {id_of(record) for record in self.logs[LIVE]}
        assert set(self.desk.mailed()) == live & set(self.desk.handled())


def id_of(record: Received) -> str:
    return dict(record.headers)["ce_id"].decode()  # type: ignore[union-attr]


def subject_of(record: Received) -> str:
    return (record.key or b"").decode()


TestDeliveries = Deliveries.TestCase
TestDeliveries.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
