"""Writing the archive of Spark's classes, by a process of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from cutline.errors import ConfigurationError
from cutline.spark.class_archive import archive_folder, archive_name

_SMALL_JOB = "cutline.spark.class_sharing.small_job"
_LONGEST = 600
"""Seconds that a machine may take to write it."""
_UNFINISHED = ".unfinished"
_LAST_WORDS = 2000


def write_archive() -> Path:
    """The archive, written anew, in place of those of this environment that were there before.

    Sessions that have begun keep what they have. ConfigurationError where the environment cannot
    be written to, and where its Java writes no such archive.
    """
    folder = archive_folder()
    unfinished = folder / f"{os.getpid()}{_UNFINISHED}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(folder)
        try:
            _run_small_job(unfinished)
            archive = unfinished.replace(folder / archive_name(unfinished.stat().st_size))
        finally:
            unfinished.unlink(missing_ok=True)
        for outdated in folder.glob("spark-*.jsa"):
            if outdated != archive:
                outdated.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"Spark's classes cannot be written to {folder}: {error.strerror or error}.",
            next_step="Have them written by whoever may install packages there, with some 250 MB "
            "of room. Cutline works without them.",
        ) from None
    return archive


def _run_small_job(file: Path) -> None:
    """Write to `file` what a JVM loads for the small job."""
    command = [sys.executable, "-m", _SMALL_JOB, str(file)]
    try:
        ended = subprocess.run(  # noqa: S603 -- this very interpreter
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LONGEST, check=False
        )
        reason = (ended.stderr + ended.stdout).decode(errors="replace").strip()[-_LAST_WORDS:]
    except subprocess.TimeoutExpired:
        reason = f"It was not done after {_LONGEST} seconds."
    if not file.is_file() or not file.stat().st_size:
        raise ConfigurationError(
            f"This Java wrote no archive of Spark's classes. {reason}".rstrip(),
            next_step="Where the Java has no archive of its own classes, `java -Xshare:dump` "
            "writes it. Cutline works without either.",
        )


def _remove_abandoned(folder: Path) -> None:
    """Remove what killed processes have left."""
    for file in folder.glob(f"*{_UNFINISHED}"):
        writer = file.name.removesuffix(_UNFINISHED)
        if not (writer.isdigit() and _is_running(int(writer))):
            file.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    with contextlib.suppress(PermissionError):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True
