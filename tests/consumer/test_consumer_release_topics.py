"""A version of a service that warms up with the topics of a release, as docs/consumers.md has it."""

from __future__ import annotations

from cutline.consumer import Handled, Mode
from support.consuming import HISTORY, Desk, event, history

RELEASE = "shop.release.sales.1.eu-west.order.synthetic"
"""What the history of a release is called, beside shop.sales.order.synthetic."""


def test_live_events_wait_behind_the_history_of_a_release() -> None:
    service = Desk(broken={"e-1"}).service()
    assert service.handle(history(1, 0, topic=RELEASE)) is Handled.DEAD
    assert service.handle(event(2, 0)) is Handled.WAITING


def test_who_warmed_up_with_a_release_takes_over() -> None:
    """The version before has read the shared topics."""
    desk = Desk()
    first, second = desk.service("1"), desk.service("2", mode=Mode.SHADOW)
    first.handle(history(1, 0, topic=HISTORY))
    first.handle(event(2, 0))
    first.outbox.deliver()
    second.handle(history(1, 0, topic=RELEASE))
    second.handle(event(2, 0))
    desk.service("2", mode=Mode.SHADOW).take_over("1")
    assert desk.service("2").handle(event(3, 1)) is Handled.HANDLED
