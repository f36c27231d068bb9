"""Where the archive of Spark's classes lies, and how a JVM is told of it."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ARCHIVES = "spark-*.jsa"
"""The pattern of archives for any version of Spark."""


def archive_folder() -> Path:
    """Where the archives of this environment lie."""
    return Path(sys.prefix, "share", "cutline")


def archive_name(size: int) -> str:
    """The name of an archive of so many bytes, for the Spark that is installed."""
    return f"spark-{version('pyspark')}-{size}.jsa"


def find_archive() -> Path | None:
    """The archive of this environment for its Spark; None where none was written.

    One that is shorter or longer than its name says is none: a JVM dies of half an archive. No
    error: no session needs one, and another process may just be writing it anew.
    """
    try:
        for file in archive_folder().glob(ARCHIVES):
            if file.name == archive_name(file.stat().st_size):
                return file
    except (OSError, PackageNotFoundError):
        pass
    return None


def sharing_options() -> tuple[str, ...]:
    """JVM options by which a local session uses the archive; none where it was not written.

    A JVM that it does not fit (another Java, other jars) goes on without it, and without a word: it
    compares what it is with what the archive was written by.
    """
    archive = find_archive()
    if archive is None:
        return ()
    return f'"-XX:SharedArchiveFile={archive}"', "-Xlog:cds*=off", "-Xlog:class*=off"
