"""Where the archive of Spark's classes lies, and how a JVM is told of it."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path


def archive_folder() -> Path:
    """Where the archives of this environment lie."""
    return Path(sys.prefix, "share", "cutline")


def archive_name(size: int) -> str:
    """The name of an archive of so many bytes, for the Spark that is installed."""
    return f"spark-{version('pyspark')}-{size}.jsa"


def find_archive() -> Path | None:
    """The archive of this environment for its Spark; None where none was written.

    One that is shorter or longer than its name says is none: a JVM dies of half an archive.
    """
    files = archive_folder().glob(archive_name(0).replace("-0.", "-*."))
    return next((file for file in files if file.name == archive_name(file.stat().st_size)), None)


def sharing_options() -> tuple[str, ...]:
    """JVM options by which a local session uses the archive; none where it was not written.

    A JVM that it does not fit (another Java, other jars) goes on without it, and without a word: it
    compares what it is with what the archive was written by.
    """
    archive = find_archive()
    if archive is None:
        return ()
    # Whatever else Java has to say does not belong to the results on stdout.
    quiet = ("-Xlog:disable", "-Xlog:all=warning,cds*=off,class*=off:stderr")
    return f'"-XX:SharedArchiveFile={archive}"', *quiet
