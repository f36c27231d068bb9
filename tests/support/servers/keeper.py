"""Waits until nobody needs a server's folder any more; ends what runs in it, and removes it.

Run as a program with the folder as its argument. Its standard input is a pipe: when the last process
that holds the other end has ended, by whatever signal, the folder is cleared. It needs nothing but
Python's own library, so that it is up in some ten milliseconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

_DELETED_SUFFIX = " (deleted)"
"""What Linux appends to the name of a folder that was removed."""


def working_in(folder: Path) -> list[int]:
    """The processes, other than this one, whose working directory is in the folder."""
    at, below = str(folder), f"{folder}{os.sep}"
    pids = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            place = str(Path(entry.path, "cwd").readlink()).removesuffix(_DELETED_SUFFIX)
        except OSError:
            # It has ended meanwhile, or belongs to somebody else.
            continue
        if place == at or place.startswith(below):
            pids.append(int(entry.name))
    return pids


def signal_all(folder: Path, number: int) -> None:
    """Sends a signal to all that work in the folder."""
    for pid in working_in(folder):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def clear(folder: Path, seconds: float = 30) -> None:
    """Kills all that work in the folder and removes it, until neither is left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        signal_all(folder, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists() and not working_in(folder):
            return
        time.sleep(0.02)


if __name__ == "__main__":
    sys.stdin.buffer.read()
    clear(Path(sys.argv[1]))
