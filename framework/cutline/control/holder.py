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
from sqlalchemy import Table

from cutline.control.database import Database
from cutline.control.rows import read_row

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


_COLUMNS = {
    "host": "holder_host",
    "place": "holder_place",
    "pid": "holder_pid",
    "started": "holder_started",
    "since": "held_since",
    "heartbeat_at": "heartbeat_at",
}


def holder_columns(holder: Holder) -> dict[str, Any]:
    """The columns of a row that name the holder."""
    return {column: getattr(holder, name) for name, column in _COLUMNS.items()}


FREE: dict[str, None] = dict.fromkeys(_COLUMNS.values())
"""These columns of a row that nobody holds."""


def holder_of(database: Database, table: Table, row: Any) -> Holder | None:
    """The holder that a row with these columns names; None if nobody holds it."""
    if row._mapping[table.c.holder_pid] is None:
        return None
    return read_row(database, table, row, Holder, columns=_COLUMNS)


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
