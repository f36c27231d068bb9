"""One server's process: started, watched until it is ready, paused, killed, started again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.servers.folder import ServerFolder
from support.servers.keeper import signal_all, working_in

_LOG_LINES = 60


class NotReady(Exception):
    """What is still wanting, as a server's `ready` says it."""


@dataclass
class ServerProcess:
    """A command that runs in a server's folder; its log is `log` there.

    `ready` returns when the server can be worked with, and raises anything while it cannot.
    """

    folder: ServerFolder
    command: Sequence[str | Path]
    ready: Callable[[], None]
    seconds: float = 90
    env: Mapping[str, str] = field(default_factory=dict)
    as_user: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of Popen which start it as another user."""
    stop_signal: int = signal.SIGTERM
    _process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder.path / "log"

    def start(self) -> None:
        """Starts it and waits until it is ready; raises RuntimeError with the end of its log."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.folder.path,
                env={**os.environ, **self.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self.as_user,
            )
        try:
            self.wait_until_ready()
        except RuntimeError:
            self.kill()
            raise

    def wait_until_ready(self) -> None:
        """Asks again and again; raises RuntimeError where it ended, or took too long."""
        wait_for(self.ready, self.seconds, self._still_there)

    def alive(self) -> bool:
        """Whether anything of it runs, or is paused."""
        if self._process is not None:
            self._process.poll()
        return bool(working_in(self.folder.path))

    def pause(self) -> None:
        """Nothing of it runs until `resume`: connections stay open and nobody answers."""
        signal_all(self.folder.path, signal.SIGSTOP)

    def resume(self) -> None:
        """Lets it go on."""
        signal_all(self.folder.path, signal.SIGCONT)

    def kill(self) -> None:
        """Kills all of it by SIGKILL; what it has written to its folder stays."""
        signal_all(self.folder.path, signal.SIGKILL)
        self._wait_for_end(30)

    def stop(self) -> None:
        """Asks it to end, and waits until it has."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, self.stop_signal)
        self._wait_for_end(60)

    def restart(self) -> None:
        """Stops it, and starts it on what it has written."""
        self.stop()
        self.start()

    def __getstate__(self) -> dict[str, Any]:
        """Another process may pause and watch it, and is not its parent."""
        return {**self.__dict__, "_process": None}

    def _still_there(self) -> str | None:
        if self._process is not None and self._process.poll() is not None:
            return f"it ended with {self._process.returncode}\n{self.log_end()}"
        return None

    def log_end(self) -> str:
        """The last lines of its log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_LOG_LINES:])

    def _wait_for_end(self, seconds: float) -> None:
        def ended() -> None:
            if self.alive():
                raise NotReady(f"processes {working_in(self.folder.path)} are still there")

        wait_for(ended, seconds)


def wait_for(
    ready: Callable[[], None], seconds: float, broken: Callable[[], str | None] = lambda: None
) -> None:
    """Calls `ready` until it raises nothing. RuntimeError after that time, or as soon as `broken`
    returns why it never will."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            ready()
            return
        except Exception as error:
            why = broken()
            if why is None and time.monotonic() > deadline:
                why = f"not ready after {seconds:g} s"
            if why is not None:
                raise RuntimeError(f"{why}\n{type(error).__name__}: {error}") from error
        time.sleep(0.1)
