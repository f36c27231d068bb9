"""Sending at a chosen rate, with an eye on the live traffic."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cutline.errors import RunFailed
from cutline.rehearsal.interface import RehearsalTopics
from cutline.rehearsal.record import RehearsedRecord

_LARGEST_CHUNK = 200
_CHUNKS_PER_SECOND = 10
_LOOK_SECONDS = 1.0
PATIENCE = 60.0
"""For so many seconds sending waits for a live group that is too far behind."""


@dataclass
class Sent:
    """What sending came to: milliseconds until each record was safe, the seconds of all, and by
    live group the most that it was behind meanwhile."""

    milliseconds: list[float] = field(default_factory=list)
    seconds: float = 0.0
    worst_lag: dict[str, int] = field(default_factory=dict)

    def noticed(self, lag: Mapping[str, int]) -> None:
        """A look at the live groups."""
        for name, messages in lag.items():
            self.worst_lag[name] = max(messages, self.worst_lag.get(name, 0))

    @property
    def lag_in_words(self) -> str | None:
        """The most that each live group was behind; null where none was looked at."""
        of_groups = (f"{name} at most {lag:,}" for name, lag in self.worst_lag.items())
        return f"lag of {', '.join(of_groups)}" if self.worst_lag else None

    def figures(self) -> dict[str, Any]:
        """Rate and percentiles."""
        ordered = sorted(self.milliseconds)
        return {
            "seconds": round(self.seconds, 3),
            "records_per_second": round(len(ordered) / max(self.seconds, 0.001), 3),
            "milliseconds": {
                f"p{part}": round(percentile(ordered, part), 3) for part in (50, 95, 99)
            },
        }


def send_at(
    topics: RehearsalTopics,
    records: Sequence[RehearsedRecord],
    per_second: int,
    look: Callable[[], Mapping[str, int]],
    check: Callable[[], None],
    limits: Mapping[str, int],
) -> Sent:
    """Send records, so many a second at most. `look` gives the lag of live groups about every
    second; `check` raises where it must go no further.

    While a group is further behind than its limit nothing is sent. RunFailed if it stays so.
    """
    chunk = max(1, min(_LARGEST_CHUNK, per_second // _CHUNKS_PER_SECOND))
    sent, began, paused = Sent(), time.monotonic(), 0.0
    looked = -math.inf
    for start in range(0, len(records), chunk):
        check()
        wait = began + paused + start / per_second - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if time.monotonic() - looked >= _LOOK_SECONDS:
            paused += _wait_for_groups(look, limits, sent, start, len(records))
            looked = time.monotonic()
        sent.milliseconds += topics.send(records[start : start + chunk])
    sent.seconds = time.monotonic() - began
    return sent


def _wait_for_groups(
    look: Callable[[], Mapping[str, int]],
    limits: Mapping[str, int],
    sent: Sent,
    done: int,
    whole: int,
) -> float:
    """Wait until no live group is further behind than it may be; the seconds that this took."""
    began = time.monotonic()
    while True:
        lag = look()
        sent.noticed(lag)
        behind = [name for name, limit in limits.items() if lag.get(name, 0) > limit]
        waited = time.monotonic() - began
        if not behind:
            return waited
        if waited >= PATIENCE:
            name = behind[0]
            raise RunFailed(
                f"group {name} is {lag[name]:,} messages behind, and may be {limits[name]:,}: it "
                f"did not catch up within {PATIENCE:g} s",
                left_behind=f"{done:,} of {whole:,} records were sent, and are removed.",
                next_step="Let it catch up, then rehearse again, with a lower --rate.",
            )
        time.sleep(min(_LOOK_SECONDS, PATIENCE))


def percentile(ordered: Sequence[float], part: int) -> float:
    """The smallest value that `part` of 100 values do not exceed; 0 of none."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(len(ordered) * part / 100) - 1)]
