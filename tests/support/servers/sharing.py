"""One server for all workers of a test run: the first that needs it starts it."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from support.servers.folder import ServerFolder


class Server(Protocol):
    folder: ServerFolder


Kind = TypeVar("Kind", bound=Server)


@contextmanager
def of_the_run(name: str, start: Callable[[], Kind], base: Path) -> Iterator[Kind]:
    """The server that `start` starts in the first worker, and in others that very server.

    `base` is this worker's base folder of temporary folders. The server ends with the last worker
    that holds it. Where its owner has ended, the next to ask starts another.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        server = start()
        try:
            yield server
        finally:
            server.folder.close()
        return
    place = base.parent / f"{name}.pickle"
    with (base.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shared = _held_by_others(place)
        server = start() if shared is None else shared
        if shared is None:
            place.write_bytes(pickle.dumps(server))
    try:
        yield server
    finally:
        server.folder.leave()


def _held_by_others(place: Path) -> Kind | None:
    """None if nobody has started it, or who did has ended."""
    try:
        return pickle.loads(place.read_bytes())  # type: ignore[no-any-return]
    except OSError:
        return None
