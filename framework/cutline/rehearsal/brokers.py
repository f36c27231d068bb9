"""How the brokers fared while a rehearsal sent, by the statistics of Kafka's client.

The fields are those of librdkafka's STATISTICS.md: `rtt` in microseconds and `throttle` in
milliseconds are windows of the newest seconds, the others are counted since the client began.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

INTERVAL_MILLIS = 200
"""How often the client says it."""


@dataclass(frozen=True)
class BrokerFigures:
    """How the brokers that took records fared: how many they were, the longest p99 of their
    answers in milliseconds, the longest that one let the client wait for its quota in milliseconds,
    requests and bytes that went to them, and requests that they did not answer in time."""

    brokers: int
    answer_millis_p99: float
    throttled_millis: float
    requests: int
    bytes: int
    timeouts: int

    def __str__(self) -> str:
        return (
            f"{self.brokers} of the brokers took {self.bytes:,} bytes in {self.requests:,} "
            f"requests and answered 99 of 100 within {self.answer_millis_p99:g} ms; "
            f"{self.timeouts:,} not in time, held back for at most {self.throttled_millis:g} ms"
        )


class BrokerStatistics:
    """What the client says of its brokers as time goes by, in so many `documents`."""

    def __init__(self) -> None:
        self._newest: dict[str, Mapping[str, Any]] = {}
        self._answer = self._throttled = 0.0
        self.documents = 0

    def take(self, document: str) -> None:
        """A document of statistics, as the client hands it to `stats_cb`."""
        self.documents += 1
        for name, broker in json.loads(document).get("brokers", {}).items():
            # Those without a number are addresses to begin with, not brokers.
            if broker["nodeid"] < 0 or (not broker["rtt"]["cnt"] and name not in self._newest):
                continue
            self._newest[name] = broker
            self._answer = max(self._answer, broker["rtt"]["p99"] / 1000)
            self._throttled = max(self._throttled, float(broker["throttle"]["max"]))

    def figures(self) -> BrokerFigures | None:
        """What they came to; null while no broker has answered."""
        if not self._newest:
            return None
        return BrokerFigures(
            brokers=len(self._newest),
            answer_millis_p99=round(self._answer, 3),
            throttled_millis=self._throttled,
            requests=self._sum("tx"),
            bytes=self._sum("txbytes"),
            timeouts=self._sum("req_timeouts"),
        )

    def _sum(self, name: str) -> int:
        return sum(int(broker[name]) for broker in self._newest.values())
