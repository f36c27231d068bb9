"""One JVM for all workers of a run: what it has loaded and compiled for one serves the others."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from support.shared_jvm.path import guest

EACH_ITS_OWN = "CUTLINE_JVM_PER_WORKER"
"""Set this to let each worker have its own, such as to see what one did to the other."""
_GATEWAY = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")


def session_of_all_workers(start: Callable[[], SparkSession], folder: Path) -> SparkSession:
    """The session that `start` starts in the first worker, and in the others one beside it.

    `folder` is one that the workers of this run share. The JVM ends with the last of them.
    """
    place = folder / "jvm.json"
    with (folder / "jvm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        session = _beside(place, start)
        if session is None:
            session = start()
            place.write_text(json.dumps(_address_of(session)))
    return session


def are_several() -> bool:
    """Whether this process is one of several workers, and they share a JVM."""
    if sys.platform != "linux" or os.environ.get(EACH_ITS_OWN):
        return False
    return int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1


def _address_of(session: SparkSession) -> dict[str, Any]:
    gateway = session.sparkContext._gateway
    assert gateway is not None
    guest.keep_to_its_own_jobs(session.sparkContext)
    parameters = gateway.gateway_parameters
    stdin = gateway.proc.stdin.fileno()
    return {
        "gateway": [str(parameters.port), parameters.auth_token],
        "stdin": f"/proc/{os.getpid()}/fd/{stdin}",
    }


def _beside(place: Path, start: Callable[[], SparkSession]) -> SparkSession | None:
    """A session in the JVM of another worker; None if there is none, or none any more."""
    if not place.is_file():
        return None
    address = json.loads(place.read_text())
    try:
        # Open until this process ends: the JVM ends when nobody holds its standard input any more.
        os.open(address["stdin"], os.O_WRONLY)
    except OSError:
        return None
    SparkSession.Builder.getOrCreate = guest.get_or_create  # type: ignore[method-assign]
    os.environ.update(zip(_GATEWAY, address["gateway"], strict=True))
    try:
        return start()
    finally:
        # Processes that tests start have a JVM of their own, unless they say otherwise.
        for name in _GATEWAY:
            del os.environ[name]
