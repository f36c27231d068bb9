"""A server's temporary folder: it ends, with all that runs in it, when nobody holds it any more."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from support.servers import keeper

_PREFIX = "cutline-servers-"
_LOCK = "keeper.lock"
_CLOSE_SECONDS = 60


class ServerFolder:
    """A folder with a keeper. It may be pickled: who loads it holds the folder, too."""

    def __init__(self, name: str) -> None:
        _clear_forgotten()
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{name}-"))
        lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT)
        # The keeper inherits the lock: whoever gets it knows that the keeper is gone.
        fcntl.flock(lock, fcntl.LOCK_EX)
        read, self._pipe_end = os.pipe()
        self._keeper: subprocess.Popen[bytes] | None = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, self.path],
            stdin=read,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[lock],
            cwd="/",
            start_new_session=True,
        )
        os.close(read)
        os.close(lock)

    def close(self) -> None:
        """Lets the folder go; if no process besides holds it, it is gone when this returns."""
        if self._pipe_end < 0:
            return
        os.close(self._pipe_end)
        self._pipe_end = -1
        if self._keeper is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._keeper.wait(_CLOSE_SECONDS)

    def leave(self) -> None:
        """Lets the folder go and does not wait: others may still need it."""
        self._keeper = None
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "held": f"/proc/{os.getpid()}/fd/{self._pipe_end}"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Raises OSError where nobody holds the folder any more."""
        self.path = state["path"]
        self._keeper = None
        self._pipe_end = os.open(state["held"], os.O_WRONLY)


@functools.cache
def _clear_forgotten() -> None:
    """Clears the folders whose keepers were killed, once per process."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if folder.stat().st_uid != os.geteuid() and os.geteuid() != 0:
                continue
            if not (folder / _LOCK).exists():
                # Its owner is about to take the lock, or died in that moment.
                if time.time() - folder.stat().st_mtime > 3600:
                    keeper.clear(folder)
                continue
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                keeper.clear(folder)
        except OSError:
            # It is in use, or somebody else has cleared it.
            continue
