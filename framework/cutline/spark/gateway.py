"""The process of Java that Spark runs in: how it is started, and what it says on stderr."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Mapping

_NOTICES = (b"WARNING: Using incubator modules: jdk.incubator.vector",)
"""Lines that Java prints at each start, because Spark's launcher adds a module that no table needs.
Neither an option nor a setting turns them off."""
_LAST_LINES = 60

_last_lines: deque[str] = deque(maxlen=_LAST_LINES)
_process: subprocess.Popen[bytes] | None = None
_settings: dict[str, str] = {}


def start_gateway(settings: Mapping[str, str]) -> None:
    """Start the process as PySpark does, with `settings`, unless this process has one already.

    What it writes to stderr appears on this process's, line by line, but for notices that say
    nothing. PySparkRuntimeError if it does not start: `last_words` holds what it said.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    conf = SparkConf(loadDefaults=False)
    for key, value in settings.items():
        conf.set(key, value)
    _last_lines.clear()
    _settings.clear()
    _settings.update(settings)
    with _stderr_passed_on() as stderr:
        gateway = launch_gateway(conf, {"stderr": stderr})  # type: ignore[no-untyped-call]
    global _process
    _process = gateway.proc
    SparkContext._ensure_initialized(gateway=gateway)


def launched_with() -> Mapping[str, str]:
    """The settings that the process was last started with here; empty if it never was."""
    return _settings


def last_words() -> tuple[str, ...]:
    """The last lines that the process wrote to stderr."""
    return tuple(_last_lines)


def end_of_process(patience: float = 1.0) -> str | None:
    """How the process ended, for people; None while it runs, or where there is none of this one's.

    One that is about to end is waited for, for so many seconds.
    """
    if _process is None:
        return None
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = _process.wait(timeout=patience)
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return None


def forget_ended() -> None:
    """Let this process start another one in place of one that is gone, and its session with it."""
    global _process
    if _process is None or _process.poll() is None:
        return
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    _process = None
    if (context := SparkContext._active_spark_context) is not None:
        # As `stop` leaves it, which asks the process.
        context._jsc = None  # type: ignore[assignment]
    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = None


@contextlib.contextmanager
def _stderr_passed_on() -> Iterator[int]:
    """A pipe's end to write to; what comes out of it is passed on by a thread until it is closed.

    When a process could not be started, all that it wrote is passed on before this returns.
    """
    source, target = os.pipe()
    # That of this moment, as the process itself would have had it.
    passing = threading.Thread(
        target=_pass_on, args=(source, os.dup(2)), name="cutline-java", daemon=True
    )
    passing.start()
    try:
        yield target
    except BaseException:
        os.close(target)
        passing.join(timeout=2)
        raise
    os.close(target)


def _pass_on(source: int, stderr: int) -> None:
    with open(source, "rb") as lines:
        for line in lines:
            if line.strip() not in _NOTICES:
                _last_lines.append(line.decode("utf-8", "replace").rstrip())
                with contextlib.suppress(OSError):
                    _write(stderr, line)
    os.close(stderr)


def _write(place: int, line: bytes) -> None:
    while line:
        line = line[os.write(place, line) :]
