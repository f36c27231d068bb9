"""The pace of a read: all sessions together hand over so many rows and bytes a second at most."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cutline.project.database_limits import DatabaseLimits

_MEGABYTE = 1_000_000


@dataclass
class ReadPace:
    """The pace of all sessions of a read, and what they have read so far."""

    limits: DatabaseLimits
    sleep: Callable[[float], object]
    """Waits so many seconds; it may end earlier where the read is stopped."""
    clock: Callable[[], float] = time.monotonic
    rows: int = 0
    bytes: int = 0
    _free_at: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def after(self, rows: int, size: int) -> None:
        """Counts what was read, and waits until the next may be read."""
        seconds = max(
            rows / (self.limits.rows_per_second or float("inf")),
            size / ((self.limits.megabytes_per_second or float("inf")) * _MEGABYTE),
        )
        with self._lock:
            self.rows += rows
            self.bytes += size
            now = self.clock()
            self._free_at = max(self._free_at, now) + seconds
            wait = self._free_at - now
        if wait > 0:
            self.sleep(wait)
