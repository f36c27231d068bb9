"""The gate: which effects are suppressed, and that none is lost or sent under another key."""

from __future__ import annotations

import datetime as dt

import pytest

from cutline.consumer import ConsumerError, Envelope, Handled, Mode, Retries, Service, Work
from support.consuming import LIVE, Desk, event, history


def test_history_sends_nothing_and_live_events_send() -> None:
    desk = Desk()
    service = desk.service()
    for offset in range(5):
        service.handle(history(offset, offset))
    service.handle(event("live", 0))
    service.handle(event("corrected", 1, migorigin="corrective"))
    service.handle(event("safe", 2, migorigin="synthetic", migreplaysafe="true"))
    service.outbox.deliver()
    assert desk.mailed() == ["e-live", "e-safe"]
    assert service.counts()["mail", "replay"] == 6
    assert service.counts()["mail", "performed"] == 2


@pytest.mark.parametrize("mode", [Mode.REHEARSAL, Mode.SHADOW])
def test_a_rehearsal_and_a_shadow_send_nothing(mode: Mode) -> None:
    desk = Desk()
    service = desk.service("2", mode=mode)
    service.handle(event(2, 1))
    assert service.outbox.deliver() == 0
    assert desk.mails == []
    assert service.counts()["mail", mode.value] == 1


@pytest.mark.parametrize("mode", [Mode.REHEARSAL, Mode.SHADOW])
def test_a_shadow_of_a_version_that_acts_moves_nothing(mode: Mode) -> None:
    desk = Desk()
    live = desk.service()
    live.handle(event(1, 0))
    shadow = desk.service(mode=mode)
    with pytest.raises(
        ConsumerError, match=f"is live, and this process would go on as {mode.value}"
    ):
        shadow.handle(event(2, 1))
    assert live.positions() == {(LIVE, 0): 1}
    assert shadow.outbox.deliver() == 0, "what the service had asked for is not a shadow's to send"


def test_a_shadow_acts_only_when_it_has_taken_over() -> None:
    desk = Desk()
    desk.service("2", mode=Mode.SHADOW).handle(event(1, 0))
    first, second = desk.service("1"), desk.service("2")
    with pytest.raises(ConsumerError, match="nobody has acted on what it handled"):
        second.handle(event(2, 1))
    first.handle(event(1, 0))
    first.outbox.deliver()
    second.take_over("1")
    second.handle(event(2, 1))
    second.outbox.deliver()
    assert desk.mailed() == ["e-1", "e-2"]


def test_a_shadow_that_sleeps_while_its_version_takes_over_swallows_nothing() -> None:
    desk = Desk()
    first, asleep = desk.service("1"), desk.service("2", mode=Mode.SHADOW)
    for service in (first, asleep):
        service.handle(event(1, 0))
        service.outbox.deliver()
    second = desk.service("2")
    second.take_over("1")
    with pytest.raises(ConsumerError, match="is live, and this process would go on as shadow"):
        asleep.handle(event(2, 1))
    assert second.handle(event(2, 1)) is Handled.HANDLED
    second.outbox.deliver()
    assert desk.mailed() == ["e-1", "e-2"]


def test_a_line_of_a_version_is_not_released_by_a_process_of_another_mode() -> None:
    desk = Desk(broken={"e-1"}, fatal={"e-2"})
    service = desk.service()
    for number in range(1, 3):
        service.handle(event(number, number))
    desk.broken.clear()
    [dead] = service.letters.shown("dead")
    with pytest.raises(ConsumerError, match="is live, and this process would go on as shadow"):
        desk.service(mode=Mode.SHADOW).redrive.retry(dead.number)
    with pytest.raises(KeyboardInterrupt):
        service.redrive.retry(dead.number)
    desk.fatal.clear()
    with pytest.raises(ConsumerError, match="is live, and this process would go on as rehearsal"):
        desk.service(mode=Mode.REHEARSAL).redrive.go_on()
    assert service.redrive.go_on() == 1
    service.outbox.deliver()
    assert desk.mailed() == ["e-1", "e-2"]


@pytest.mark.parametrize("mode", [Mode.REHEARSAL, Mode.SHADOW])
def test_nobody_takes_over_from_a_version_that_acted_on_nothing(mode: Mode) -> None:
    desk = Desk()
    desk.service("1", mode=mode).handle(event(1, 0))
    for version in ("1", "2"):
        with pytest.raises(ConsumerError, match=f"version 1 is {mode}, and has acted on nothing"):
            desk.service(version).take_over("1")


def test_what_the_earlier_version_has_parked_is_decided_first() -> None:
    """The new one would be silent about it, however it is released."""
    desk = Desk()
    first, second = desk.service("1"), desk.service("2")
    for number, epoch in enumerate(("2", "1", "1")):
        of_slice = {"migcontext": "sales", "migregion": "north", "migepoch": epoch}
        first.handle(event(number, number, **of_slice))
    first.outbox.deliver()
    with pytest.raises(
        ConsumerError, match=r"0 effects to send, 0 .* aside, and 2 that are parked"
    ):
        second.take_over("1")
    released, discarded = first.parking.shown()
    first.redrive.release(released.number)
    with pytest.raises(ConsumerError, match="not discarded without a reason"):
        first.parking.discard(discarded.number, " ")
    first.parking.discard(discarded.number, "written by the old side")
    first.outbox.deliver()
    second.take_over("1")
    assert desk.mailed() == ["e-0", "e-1"]


def test_what_another_version_asked_for_and_never_sent_is_sent() -> None:
    """As where it wakes up once more, behind the mark, and is killed."""
    desk = Desk()
    desk.service("1").handle(event(1, 0))
    second = desk.service("2")
    second.handle(event(1, 0))
    assert second.counts()["mail", "repeated"] == 1
    second.outbox.deliver()
    assert desk.mailed() == ["e-1"]


def test_a_rehearsal_never_acts() -> None:
    desk = Desk()
    desk.service("1").handle(history(1, 0))
    rehearsal = desk.service("2", mode=Mode.REHEARSAL)
    rehearsal.begin((LIVE, 0))
    with pytest.raises(ConsumerError, match="is a rehearsal, which never acts"):
        desk.service("2").take_over("1")
    assert rehearsal.handle(event(1, 0)) is Handled.HANDLED, "nothing was changed"


def test_a_new_version_is_silent_up_to_where_the_one_before_came() -> None:
    desk = Desk()
    first = desk.service("1")
    for offset in range(4):
        first.handle(event(offset, offset))
    first.handle(event("p1", 0, partition=1))
    first.outbox.deliver()
    desk.mails.clear()
    second = desk.service("2")
    second.take_over("1")
    second.handle(event(0, 0))
    # It is interrupted, and goes on: its own progress is what counts, not that it has begun.
    second = desk.service("2")
    for offset in range(1, 6):
        second.handle(event(offset, offset))
    second.handle(event("p1", 0, partition=1))
    second.handle(event("p1-2", 1, partition=1))
    second.outbox.deliver()
    assert desk.mailed() == ["e-4", "e-5", "e-p1-2"]
    assert second.counts()["mail", "warm-up"] == 5


def test_a_version_that_is_ahead_does_not_take_over() -> None:
    """It has handled in silence what the one before never acted on."""
    desk = Desk()
    first, second = desk.service("1"), desk.service("2", mode=Mode.SHADOW)
    first.handle(event(0, 0))
    first.outbox.deliver()
    for offset in range(2):
        second.handle(event(offset, offset))
    with pytest.raises(
        ConsumerError, match=f"topic {LIVE}, partition 0: at 2, the earlier .* at 1"
    ):
        second.take_over("1")
    first.handle(event(1, 1))
    first.outbox.deliver()
    second.take_over("1")
    with pytest.raises(ConsumerError, match="has no version 0"):
        second.take_over("0")


def test_what_the_earlier_version_owes_is_done_before_another_takes_over() -> None:
    desk = Desk(broken={"e-2"})
    first, second = desk.service("1"), desk.service("2")
    for number in range(1, 4):
        first.handle(event(number, number))
    with pytest.raises(ConsumerError, match="has 1 effects to send, 2 events"):
        second.take_over("1")
    desk.broken.clear()
    [dead] = first.letters.shown("dead")
    first.redrive.retry(dead.number)
    first.outbox.deliver()
    second.take_over("1")
    for number in range(1, 5):
        second.handle(event(number, number))
    second.outbox.deliver()
    assert desk.mailed() == ["e-1", "e-2", "e-3", "e-4"]


def test_an_effect_that_fails_is_tried_again_and_then_kept() -> None:
    desk = Desk(refused={"o-1"})
    service = desk.service(retries=Retries(attempts=2, first=10.0, longest=10.0))
    service.handle(event(1, 0))
    service.handle(event(2, 1, subject="o-2"))
    assert service.outbox.deliver() == 1
    assert service.outbox.deliver() == 0, "it is not due yet"
    desk.now += dt.timedelta(seconds=11)
    assert service.outbox.deliver() == 0
    [failed] = service.outbox.failed()
    assert (failed.status, failed.attempts) == ("failed", 2)
    assert failed.reason == "ConnectionError: no such address"
    desk.refused.clear()
    service.outbox.resend(failed.key)
    assert service.outbox.deliver() == 1
    assert desk.mailed() == ["e-2", "e-1"]
    assert desk.mails[1].key == failed.key
    with pytest.raises(ConsumerError, match="has no failed effect"):
        service.outbox.resend(failed.key)


def test_what_another_process_sends_is_left_to_it_for_a_minute() -> None:
    desk = Desk()
    service = desk.service()
    service.handle(event(1, 0))

    def killed(_: object) -> None:
        raise SystemExit

    send, desk.send = desk.send, killed  # type: ignore[method-assign]
    with pytest.raises(SystemExit):
        desk.service().outbox.deliver()
    desk.send = send  # type: ignore[method-assign]
    assert desk.service().outbox.deliver() == 0
    desk.now += dt.timedelta(seconds=61)
    assert desk.service().outbox.deliver() == 1


def test_effects_of_one_event_have_keys_of_their_own() -> None:
    desk = Desk()

    def twice(event: Envelope, work: Work) -> None:
        for number in range(2):
            work.effects.perform("mail", {"to": str(number)})

    service = Service("mailer", "1", desk.engine, twice, {"mail": desk.send})
    service.make_tables()
    service.handle(event(1, 0))
    service.outbox.deliver()
    assert len({mail.key for mail in desk.mails}) == 2


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [("fax", {}, "for the effect fax; declared: mail"), ("mail", {"a": object()}, "are no JSON")],
)
def test_an_effect_that_cannot_be_sent_stops_the_service(
    name: str, arguments: dict[str, object], sentence: str
) -> None:
    """It is a mistake of the service and not of the event, which is no dead letter."""
    desk = Desk()
    service = Service(
        "mailer",
        "1",
        desk.engine,
        lambda _, work: work.effects.perform(name, arguments),
        {"mail": desk.send},
    )
    service.make_tables()
    with pytest.raises(ConsumerError, match=sentence):
        service.handle(event(1, 0))
    assert service.positions() == {(LIVE, 0): 0}
    assert service.letters.shown() == []
