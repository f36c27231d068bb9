"""How often something is tried, and how long is waited in between."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Retries:
    """At most `attempts`; after the first `first` seconds are waited, then twice as long each time,
    and never longer than `longest`."""

    attempts: int = 5
    first: float = 0.2
    longest: float = 10.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first < 0 or self.longest < self.first:
            raise ValueError(f"{self} needs one attempt, and 0 <= first <= longest")

    def pause(self, attempts: int) -> float:
        """Seconds to wait behind so many attempts."""
        return float(min(self.longest, self.first * 2.0 ** min(attempts - 1, 60)))

    @property
    def total(self) -> float:
        """Seconds that are waited in all, if none succeeds."""
        return sum(self.pause(attempt) for attempt in range(1, self.attempts))
