"""Dead letters: later events of the subject wait, in order, and nobody else."""

from __future__ import annotations

import threading
import time

import pytest

from cutline.consumer import (
    ConsumerError,
    ConsumerPolicy,
    Handled,
    Received,
    Released,
    Retries,
    Stopping,
)
from support.consuming import HISTORY, LIVE, Desk, event, history


def test_later_events_of_the_subject_wait_and_nobody_else() -> None:
    desk = Desk(broken={"e-1"})
    service = desk.service()
    assert service.handle(history(1, 0)) is Handled.DEAD
    assert service.handle(event(2, 0)) is Handled.WAITING, "live events wait behind history"
    assert service.handle(event(3, 1, subject="o-2")) is Handled.HANDLED
    assert service.handle(event(4, 2, topic="shop.sales.return.live")) is Handled.HANDLED
    assert service.handle(event(2, 3)) is Handled.DUPLICATE
    assert desk.handled() == ["e-3", "e-4"], "what the handler wrote before it failed is undone"
    [dead, waiting] = service.letters.shown()
    assert (dead.status, dead.attempts, dead.reason) == ("dead", 3, "RuntimeError: e-1 is broken")
    assert (dead.topic, dead.offset, dead.subject) == (HISTORY, 0, "o-1")
    assert (waiting.status, waiting.topic) == ("waiting", LIVE)


def test_a_retry_handles_all_that_waits_in_order() -> None:
    desk = Desk(broken={"e-1", "e-3"})
    service = desk.service()
    for number in range(1, 5):
        service.handle(event(number, number))
    [dead, *_] = service.letters.shown("dead")
    assert service.redrive.retry(dead.number) == Released(0, "RuntimeError: e-1 is broken")
    desk.broken.remove("e-1")
    assert service.redrive.retry(dead.number) == Released(2, "RuntimeError: e-3 is broken")
    assert desk.handled() == ["e-1", "e-2"]
    [dead, *_] = service.letters.shown("dead")
    assert service.redrive.discard(dead.number, "was never paid") == Released(1)
    assert desk.handled() == ["e-1", "e-2", "e-4"]
    [discarded] = service.letters.shown()
    assert (discarded.status, discarded.reason) == ("discarded", "was never paid")
    assert service.handle(event(5, 5)) is Handled.HANDLED, "nobody waits any longer"
    service.outbox.deliver()
    assert desk.mailed() == ["e-1", "e-2", "e-4", "e-5"]


def test_what_a_killed_retry_leaves_is_gone_on_with() -> None:
    desk = Desk(broken={"e-1"})
    service = desk.service()
    for number in range(1, 4):
        service.handle(event(number, number))
    desk.broken.clear()
    desk.fatal = {"e-2"}
    [dead] = service.letters.shown("dead")
    with pytest.raises(KeyboardInterrupt):
        service.redrive.retry(dead.number)
    desk.fatal.clear()
    fresh = desk.service()
    assert fresh.handle(event(4, 4)) is Handled.WAITING
    assert fresh.redrive.go_on() == 3
    assert desk.handled() == ["e-1", "e-2", "e-3", "e-4"]
    assert fresh.redrive.go_on() == 0


def test_a_service_that_is_stopped_leaves_the_rest_of_a_line_to_the_next() -> None:
    desk = Desk(broken={"e-1"}, fatal={"e-2"})
    service = desk.service()
    for number in range(1, 5):
        service.handle(event(number, number))
    desk.broken.clear()
    [dead] = service.letters.shown("dead")
    with pytest.raises(KeyboardInterrupt):
        service.redrive.retry(dead.number)
    desk.fatal.clear()
    assert service.redrive.go_on(lambda: len(desk.handled()) == 2) == 1
    assert service.redrive.go_on() == 2
    assert desk.handled() == ["e-1", "e-2", "e-3", "e-4"]


def test_what_is_no_event_is_a_dead_letter_of_its_subject() -> None:
    desk = Desk()
    service = desk.service()
    whole = event(1, 0)
    bad = Received(LIVE, 0, 0, whole.key, whole.headers, b"{")
    assert service.handle(bad) is Handled.DEAD
    assert service.handle(event(2, 1)) is Handled.WAITING
    nameless = Received(LIVE, 0, 2, None, (), b"x")
    assert service.handle(nameless) is Handled.DEAD
    assert service.handle(Received(LIVE, 0, 3, None, (), b"x")) is Handled.DEAD
    first, _, second, _ = service.letters.shown()
    assert first.reason.startswith("data is no JSON")
    assert second.reason == "specversion is not there"
    assert service.redrive.retry(first.number).handled == 0
    assert service.redrive.discard(first.number, "a line of a test").handled == 1
    assert service.redrive.discard(second.number, "nobody's").handled == 0
    assert desk.handled() == ["e-2"]


@pytest.mark.parametrize("character", ["\0", "\ud800"], ids=["NUL", "half"])
def test_a_reason_that_no_database_takes_holds_nobody_else(character: str) -> None:
    desk = Desk(broken={"e-1"}, wrong=f"no customer {character}")
    service = desk.service()
    assert service.handle(event(1, 0)) is Handled.DEAD
    assert service.handle(event(2, 1, subject="o-2")) is Handled.HANDLED
    [dead] = service.letters.shown("dead")
    assert dead.reason == "RuntimeError: no customer \ufffd"
    assert service.redrive.retry(dead.number) == Released(0, f"RuntimeError: {desk.wrong}")
    assert service.letters.shown("dead")[0].reason == dead.reason


def test_an_effect_is_given_up_for_a_reason_that_no_database_takes() -> None:
    desk = Desk(refused={"o-1"}, unreachable="no such \udfff\0")
    service = desk.service()
    service.handle(event(1, 0))
    assert service.outbox.deliver() == 0
    assert service.outbox.failed()[0].reason == "ConnectionError: no such \ufffd\ufffd"


def test_a_subject_that_no_database_takes_has_a_line_of_its_own() -> None:
    desk = Desk()
    service = desk.service()
    for offset in range(2):
        service.handle(Received(LIVE, 0, offset, b"o\0", (), b"x"))
    assert [(row.status, row.subject) for row in service.letters.shown()] == [
        ("dead", "o\ufffd"),
        ("waiting", "o\ufffd"),
    ]


def test_what_is_no_dead_letter_is_told() -> None:
    desk = Desk(broken={"e-1"})
    service = desk.service()
    service.handle(event(1, 0))
    service.handle(event(2, 1))
    dead, waiting = service.letters.shown()
    for number in (waiting.number, 99):
        with pytest.raises(ConsumerError, match=f"has no dead letter {number}"):
            service.redrive.retry(number)
    with pytest.raises(ConsumerError, match="not discarded without a reason"):
        service.redrive.discard(dead.number, " ")
    with pytest.raises(ConsumerError, match="has no dead letter"):
        desk.service("2").redrive.retry(dead.number)


def test_a_service_that_is_stopped_between_attempts_has_done_nothing() -> None:
    desk = Desk(broken={"e-1"})
    service = desk.service(retries=Retries(attempts=5, first=60.0, longest=60.0))
    threading.Timer(0.1, service.stop).start()
    begun = time.monotonic()
    with pytest.raises(Stopping):
        service.handle(event(1, 0))
    assert time.monotonic() - begun < 30
    assert service.positions() == {(LIVE, 0): 0}
    assert service.letters.shown() == []


@pytest.mark.parametrize(("attempts", "pauses"), [(5, [0.5, 1.0, 2.0, 2.0]), (1, [])])
def test_pauses_double_up_to_the_longest(attempts: int, pauses: list[float]) -> None:
    retries = Retries(attempts, 0.5, 2.0)
    assert [retries.pause(n) for n in range(1, attempts)] == pauses
    assert retries.total == sum(pauses)


def test_retries_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="needs one attempt"):
        Retries(attempts=0)


@pytest.mark.parametrize("policy", [{"retention_days": 0}, {"claim_seconds": -1}])
def test_a_policy_that_makes_no_sense_is_refused(policy: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="both must be above 0"):
        ConsumerPolicy(**policy)  # type: ignore[arg-type]
