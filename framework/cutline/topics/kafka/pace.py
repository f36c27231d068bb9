"""How fast a task may send: so many bytes and messages a second, and slower while live suffers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from confluent_kafka import KafkaException

from cutline.kafka import ClientSettings
from cutline.topics.kafka.live_load import LagLimit, LatencyLimit, lag_of, leaders_of

_BURST_SECONDS = 0.5
_LOOK_SECONDS = 2.0
_LEAST_SHARE = 1 / 32
_LONGEST_REST = 30.0
_SLICE = 0.2
_QUOTA_SECONDS = 5.0
"""How long brokers may take over a chunk, by a client quota: less than a commit may last."""


@dataclass(frozen=True)
class Throttle:
    """The limits of a whole publication: null or empty where there is none.

    `broker_bytes_per_second` is what a broker takes by a client quota: it delays what is more, so a
    transaction holds only as much as it takes in a few seconds.
    """

    bytes_per_second: float | None = None
    messages_per_second: float | None = None
    lag: tuple[LagLimit, ...] = ()
    latency: tuple[LatencyLimit, ...] = ()
    broker_bytes_per_second: float | None = None

    def among(self, tasks: int) -> Throttle:
        """The limits of one of so many tasks that send at the same time."""
        return Throttle(
            self.bytes_per_second and self.bytes_per_second / tasks,
            self.messages_per_second and self.messages_per_second / tasks,
            self.lag,
            self.latency,
            # In the worst case one broker leads all that they send to.
            self.broker_bytes_per_second and self.broker_bytes_per_second / tasks,
        )

    @property
    def watches(self) -> bool:
        """Whether live traffic is looked at."""
        return bool(self.lag or self.latency)


@dataclass(frozen=True)
class Clock:
    """The clock by which a pace goes, in seconds."""

    now: Callable[[], float] = field(default=time.monotonic)
    sleep: Callable[[float], None] = field(default=time.sleep)


class Pace:
    """One task's share of a throttle.

    While the live traffic suffers, the task sends a smaller and smaller share of the time, down to
    a thirty-second of it, and rests between its transactions; when it suffers no more, the share
    doubles at each look. `slowed` is the seconds rested so far, limits of rate left out;
    `throttled` the seconds by which brokers delayed requests for a client quota.
    """

    def __init__(
        self, throttle: Throttle, settings: ClientSettings, clock: Clock | None = None
    ) -> None:
        self._throttle, self._settings = throttle, settings
        self._clock = clock or Clock()
        self._free_at = 0.0
        self._share, self._looked, self._work_seconds = 1.0, float("-inf"), 0.0
        self._round_trip_ms: dict[int, float] = {}
        self.slowed = 0.0
        self.throttled = 0.0

    @property
    def limits_rate(self) -> bool:
        """Whether messages or bytes a second are limited, so that `delay` may be more than none."""
        return bool(self._throttle.bytes_per_second or self._throttle.messages_per_second)

    @property
    def chunk_seconds(self) -> float | None:
        """How long a transaction may last so that rests come often; null where none are needed."""
        return 1.0 if self._throttle.watches else None

    @property
    def chunk_bytes(self) -> int | None:
        """How much a transaction may hold so that it ends in time; null where no quota asks."""
        rate = self._throttle.broker_bytes_per_second
        return None if rate is None else max(1, int(rate * _QUOTA_SECONDS))

    @property
    def throttle_seconds(self) -> Callable[[float], None] | None:
        """What takes the seconds by which a broker delayed a request; null where none should."""
        return self._delayed if self._throttle.broker_bytes_per_second else None

    @property
    def statistics(self) -> Callable[[str], None] | None:
        """What takes the producer's statistics; null where they are not needed."""
        return self._measured if self._throttle.latency else None

    def delay(self, size: int) -> float:
        """The seconds to wait before a message of so many bytes is sent; it counts as sent."""
        cost = max(
            size / self._throttle.bytes_per_second if self._throttle.bytes_per_second else 0.0,
            1 / self._throttle.messages_per_second if self._throttle.messages_per_second else 0.0,
        )
        if not cost:
            return 0.0
        now = self._clock.now()
        free_at = max(self._free_at, now - _BURST_SECONDS)
        self._free_at = free_at + cost
        return max(0.0, free_at - now)

    def wait(self, seconds: float) -> None:
        """Do nothing for so long."""
        self._clock.sleep(seconds)

    def worked(self, seconds: float) -> None:
        """A transaction took so long."""
        self._work_seconds = seconds

    def rest(self, poll: Callable[[], None]) -> None:
        """Rest as long as the live traffic asks for, calling `poll`; no transaction is open."""
        if not self._throttle.watches:
            return
        poll()
        now = self._clock.now()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            suffers = self._live_suffers()
            self._share = max(_LEAST_SHARE, self._share / 2) if suffers else self._share * 2
            self._share = min(1.0, self._share)
        left = min(_LONGEST_REST, max(self._work_seconds, _SLICE) * (1 / self._share - 1))
        self.slowed += left
        while left > 0:
            self._clock.sleep(min(left, _SLICE))
            left -= _SLICE
            poll()

    def _live_suffers(self) -> bool:
        try:
            return self._is_behind() or self._is_late()
        except KafkaException:
            # A broker that does not even answer has more than enough to do.
            return True

    def _is_behind(self) -> bool:
        return any(lag_of(self._settings, limit) > limit.messages for limit in self._throttle.lag)

    def _is_late(self) -> bool:
        return any(
            self._round_trip_ms.get(broker, 0.0) > limit.milliseconds
            for limit in self._throttle.latency
            for broker in leaders_of(self._settings, limit.topic)
        )

    def _delayed(self, seconds: float) -> None:
        # The end of a delay is told as one of nothing.
        self.throttled += seconds

    def _measured(self, statistics: str) -> None:
        for broker in json.loads(statistics).get("brokers", {}).values():
            microseconds = broker.get("rtt", {}).get("p99", 0)
            self._round_trip_ms[int(broker.get("nodeid", -1))] = microseconds / 1000
