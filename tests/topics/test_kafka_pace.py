"""How fast a publication may go."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError, KafkaException

from cutline.kafka import ClientSettings
from cutline.topics.kafka import pace as pace_module
from cutline.topics.kafka.live_load import LagLimit, LatencyLimit
from cutline.topics.kafka.pace import Clock, Pace, Throttle

LAG = Throttle(lag=(LagLimit("shop", "orders", 100),))


class Hours:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def pace(self, throttle: Throttle) -> Pace:
        return Pace(throttle, ClientSettings({}), Clock(lambda: self.seconds, self.sleep))


def sent(hours: Hours, pace: Pace, sizes: list[int]) -> float:
    """The seconds in which messages of these sizes are sent."""
    began = hours.seconds
    for size in sizes:
        pace.wait(pace.delay(size))
    return hours.seconds - began


def test_without_limits_nothing_waits() -> None:
    hours = Hours()
    assert sent(hours, hours.pace(Throttle()), [10_000] * 1_000) == 0


def test_messages_a_second() -> None:
    hours = Hours()
    seconds = sent(hours, hours.pace(Throttle(messages_per_second=50)), [1] * 1_000)
    assert 19 <= seconds <= 20


def test_bytes_a_second() -> None:
    hours = Hours()
    seconds = sent(hours, hours.pace(Throttle(bytes_per_second=1_000)), [100] * 100)
    assert 9 <= seconds <= 10


def test_the_tighter_of_two_limits_counts() -> None:
    hours = Hours()
    throttle = Throttle(bytes_per_second=1_000, messages_per_second=1)
    assert 8 <= sent(hours, hours.pace(throttle), [100] * 10) <= 10


def test_an_idle_time_is_not_saved_up() -> None:
    hours = Hours()
    pace = hours.pace(Throttle(messages_per_second=10))
    sent(hours, pace, [1] * 10)
    hours.sleep(3_600)
    assert 9 <= sent(hours, pace, [1] * 100) <= 10


def test_tasks_share_the_limits() -> None:
    throttle = Throttle(bytes_per_second=1_000, messages_per_second=40, lag=LAG.lag)
    assert throttle.among(4) == Throttle(250, 10, LAG.lag)
    assert Throttle(broker_bytes_per_second=1_000).among(4).broker_bytes_per_second == 250


def test_a_transaction_holds_what_a_broker_takes_in_time() -> None:
    hours = Hours()
    assert hours.pace(Throttle()).chunk_bytes is None
    assert hours.pace(Throttle(broker_bytes_per_second=1_000)).chunk_bytes == 5_000
    assert hours.pace(Throttle(broker_bytes_per_second=0.1)).chunk_bytes == 1
    # The brokers keep it: nothing waits here.
    assert sent(hours, hours.pace(Throttle(broker_bytes_per_second=1)), [10_000] * 10) == 0


def test_delays_by_brokers_are_added_up() -> None:
    hours = Hours()
    assert hours.pace(Throttle()).throttle_seconds is None
    pace = hours.pace(Throttle(broker_bytes_per_second=1))
    assert pace.throttle_seconds is not None
    # The end of a delay is told as one of nothing.
    for seconds in (1.5, 0.0, 2.0):
        pace.throttle_seconds(seconds)
    assert pace.throttled == 3.5


def cycles(
    hours: Hours, pace: Pace, number: int, poll: Callable[[], None] = lambda: None
) -> list[float]:
    """The seconds rested after each of so many transactions of two seconds."""
    rests = []
    for _ in range(number):
        hours.sleep(2.0)
        pace.worked(2.0)
        began = hours.seconds
        pace.rest(poll)
        rests.append(round(hours.seconds - began, 1))
    return rests


def test_a_group_that_falls_behind_slows_the_backfill(monkeypatch: pytest.MonkeyPatch) -> None:
    lag = 101
    monkeypatch.setattr(pace_module, "lag_of", lambda _settings, _limit: lag)
    hours = Hours()
    pace = hours.pace(LAG)
    assert pace.chunk_seconds == 1.0
    assert cycles(hours, pace, 5) == [2, 6, 14, 30, 30]
    lag = 100
    assert cycles(hours, pace, 6) == [30, 14, 6, 2, 0, 0]
    assert round(pace.slowed) == 134


def test_a_broker_that_does_not_answer_slows_it_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def lag_of(_settings: object, _limit: object) -> int:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    monkeypatch.setattr(pace_module, "lag_of", lag_of)
    hours = Hours()
    assert cycles(hours, hours.pace(LAG), 1) == [2]


def test_brokers_that_confirm_late_slow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "leaders_of", lambda _settings, _topic: {2})
    hours = Hours()
    pace = hours.pace(Throttle(latency=(LatencyLimit("orders", 50.0),)))
    assert pace.statistics is not None

    def statistics(broker: int, microseconds: int) -> str:
        return f'{{"brokers":{{"b:9092/{broker}":{{"nodeid":{broker},"rtt":{{"p99":{microseconds}}}}}}}}}'

    pace.statistics(statistics(1, 900_000))
    assert cycles(hours, pace, 1) == [0]
    pace.statistics(statistics(2, 51_000))
    assert cycles(hours, pace, 2) == [2, 6]
    pace.statistics(statistics(2, 50_000))
    assert cycles(hours, pace, 2) == [2, 0]


def test_statistics_are_not_asked_for_where_nobody_looks_at_them() -> None:
    assert Hours().pace(LAG).statistics is None
