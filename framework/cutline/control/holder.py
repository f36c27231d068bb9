"""Who holds a slice, and whether that process is still there."""

from __future__ import annotations

import datetime as dt
import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil

TTL = dt.timedelta(seconds=30)
"""How long a process elsewhere is believed to be alive after its last heartbeat."""

# The kernel counts a process's start from boot, psutil adds the boot time, and that moves by a
# second when the clock is set.
_SAME_START_SECONDS = 1.5


@dataclass(frozen=True)
class Holder:
    """A process that holds a slice.

    `place` is where its `pid` means something: one boot of one host, and one process namespace, so
    that containers that share a host's name are told apart. `started` is seconds from boot to the
    start of the process. `since` and `heartbeat_at` are moments of the control database's clock.
    """

    host: str
    place: str
    pid: int
    started: float
    since: dt.datetime
    heartbeat_at: dt.datetime

    def is_gone(self, now: dt.datetime) -> bool:
        """Whether the slice may be taken over; `now` is a moment of the control database's clock.

        In this place the process itself is looked for, and its heartbeat means nothing. Elsewhere
        only the heartbeat can be judged.
        """
        if self.place == process_place():
            return not _is_running(self.pid, self.started)
        return now - self.heartbeat_at > TTL

    def is_this_process(self) -> bool:
        """Whether it is this process, in another thread or another call."""
        return self.place == process_place() and self.pid == os.getpid()

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since:%Y-%m-%d %H:%M:%S} UTC"


def this_process(now: dt.datetime) -> Holder:
    """This process as a holder from `now` on."""
    pid = os.getpid()
    return Holder(
        socket.gethostname(), process_place(), pid, _started(psutil.Process(pid)), now, now
    )


def holder_columns(holder: Holder) -> dict[str, Any]:
    """The columns of a row that name the holder."""
    return {
        "holder_host": holder.host,
        "holder_place": holder.place,
        "holder_pid": holder.pid,
        "holder_started": holder.started,
        "held_since": holder.since,
        "heartbeat_at": holder.heartbeat_at,
    }


FREE: dict[str, None] = dict.fromkeys(
    ("holder_host", "holder_place", "holder_pid", "holder_started", "held_since", "heartbeat_at")
)
"""These columns of a row that nobody holds."""


def holder_of(row: Any) -> Holder | None:
    """The holder that a row with these columns names; None if nobody holds it."""
    if row.holder_pid is None:
        return None
    return Holder(
        host=row.holder_host,
        place=row.holder_place,
        pid=row.holder_pid,
        started=row.holder_started,
        since=row.held_since,
        heartbeat_at=row.heartbeat_at,
    )


@cache
def process_place() -> str:
    """Where this process's pid means something."""
    parts = [socket.gethostname()]
    if Path("/proc/self/ns/pid").exists():
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def _started(process: psutil.Process) -> float:
    seconds: float = process.create_time() - psutil.boot_time()
    return seconds


def _is_running(pid: int, started: float) -> bool:
    try:
        process = psutil.Process(pid)
        # A killed process stays as a zombie until its parent looks; it does no more work.
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return abs(_started(process) - started) < _SAME_START_SECONDS
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
