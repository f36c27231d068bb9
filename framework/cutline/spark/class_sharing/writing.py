"""Writing the archive of Spark's classes, by a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cutline.errors import ConfigurationError, RunFailed
from cutline.spark.class_archive import ARCHIVES, archive_folder, archive_name

_SMALL_JOB = "cutline.spark.class_sharing.small_job"
_LONGEST = 600
"""Seconds that a machine may take to write it."""
_MOST_WORDS = 1000
_AS_BEFORE = "What was written before is as it was."


def write_archive() -> Path:
    """The archive, written anew, in place of those of this environment that were there before.

    Sessions that have begun keep what they have; another process that writes it is waited for.
    ConfigurationError where the environment cannot be written to, and where its Java writes no such
    archive; RunFailed where it does not come to an end.
    """
    folder = archive_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone_in(folder):
            unfinished = folder / "unfinished"
            unfinished.unlink(missing_ok=True)
            try:
                _run_small_job(unfinished)
                _sync(unfinished)
                archive = unfinished.replace(folder / archive_name(unfinished.stat().st_size))
            finally:
                unfinished.unlink(missing_ok=True)
            for outdated in folder.glob(ARCHIVES):
                if outdated != archive:
                    outdated.unlink()
    except OSError as error:
        raise ConfigurationError(
            f"Spark's classes cannot be written to {folder}: {error.strerror or error}.",
            left_behind=_AS_BEFORE,
            next_step="Have them written by whoever may install packages there, with 250 MB of "
            "room. Cutline works without them.",
        ) from None
    return archive


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """While no other process writes there."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run_small_job(file: Path) -> None:
    """Write to `file` what a JVM loads for the small job."""
    with tempfile.TemporaryDirectory(prefix="cutline-classes-") as scratch:
        process = subprocess.Popen(  # noqa: S603 -- this very interpreter
            # Modules of the folder that somebody is in are none of its own.
            [sys.executable, "-P", "-m", _SMALL_JOB, str(file), scratch],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            raise RunFailed(
                f"Spark's classes were not written after {_LONGEST} seconds.",
                left_behind=_AS_BEFORE,
                next_step="Run the same command when the machine has less to do.",
            ) from None
        finally:
            # The JVM is of the same session: it would go on writing.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode or not file.is_file():
        words = " ".join(output.decode(errors="replace").split())[:_MOST_WORDS]
        raise ConfigurationError(
            f"This Java wrote no archive of Spark's classes. {words}".rstrip(),
            left_behind=_AS_BEFORE,
            next_step="Where the Java has no archive of its own classes, `java -Xshare:dump` "
            "writes it. Cutline works without either.",
        )


def _sync(file: Path) -> None:
    """What has a name of its own is whole, also after the machine failed."""
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
