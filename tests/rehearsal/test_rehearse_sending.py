"""Sending a rehearsal: at its rate, and not while a live group is too far behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

import pytest

from cutline.errors import RunFailed
from cutline.rehearsal import sending
from cutline.rehearsal.interface import RehearsalTopics
from cutline.rehearsal.record import RehearsedRecord

DESK = "desk@orders"
RECORDS = [
    RehearsedRecord("retail.rehearsal.1.orders", f"{n}", {}, "{}", 1_760_000_000_000)
    for n in range(50)
]


class Clock:
    """Time that passes while somebody sleeps, and while something is sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        monkeypatch.setattr(sending, "time", self)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Topics:
    """Topics that note when something was sent."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.moments: list[float] = []

    def send(self, records: Sequence[RehearsedRecord]) -> list[float]:
        self.moments += [self.clock.now - 1_000.0] * len(records)
        return [2.0] * len(records)


def send(topics: Topics, lags: list[int], limit: int = 10) -> sending.Sent:
    """Send 50 records, ten a second, beside a group that is so far behind, look by look."""

    def look() -> Mapping[str, int]:
        return {DESK: lags.pop(0) if len(lags) > 1 else lags[0]}

    every: Any = topics
    return sending.send_at(
        cast(RehearsalTopics, every), RECORDS, 10, look, lambda: None, {DESK: limit}
    )


def test_no_more_are_sent_than_so_many_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = Topics(Clock(monkeypatch))
    sent = send(topics, [0])
    assert [round(moment, 6) for moment in topics.moments] == [n / 10 for n in range(50)]
    assert sent.worst_lag == {DESK: 0}
    assert sent.figures()["milliseconds"] == {"p50": 2.0, "p95": 2.0, "p99": 2.0}


def test_nothing_is_sent_while_a_group_is_too_far_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = Topics(Clock(monkeypatch))
    sent = send(topics, [3, 11, 40, 12, 10])
    assert len(topics.moments) == 50
    gaps = [later - earlier for earlier, later in pairwise(topics.moments)]
    # Three looks were too much, a second each; before and behind it goes on at its rate.
    assert [round(gap, 6) for gap in gaps if gap > 0.2] == [3.1]
    assert sent.worst_lag == {DESK: 40}


def test_a_group_that_does_not_catch_up_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    topics = Topics(clock)
    with pytest.raises(RunFailed, match="is 900 messages behind, and may be 10") as failed:
        send(topics, [0, 900])
    assert (
        failed.value.left_behind
        == f"{len(topics.moments)} of 50 records were sent, and are removed."
    )
    assert 0 < len(topics.moments) < 50
    assert clock.now - 1_000.0 == pytest.approx(61.0, abs=1.5)
