"""Folders of the lake as Hadoop sees them: there or not, moved, removed; and what it refuses."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline.errors import RunFailed
from cutline.logs import logger

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logger(__name__)


@dataclass(frozen=True)
class Place:
    """One path on any file system that Hadoop knows."""

    system: Any
    path: Any

    def exists(self) -> bool:
        return bool(self.system.exists(self.path))

    def make(self) -> None:
        self.system.mkdirs(self.path)

    def delete(self) -> None:
        self.system.delete(self.path, True)

    def delete_empty(self) -> None:
        """Nothing happens where it is not there, or holds anything."""
        from py4j.protocol import Py4JJavaError

        with contextlib.suppress(Py4JJavaError):
            self.system.delete(self.path, False)


def place_of(spark: SparkSession, path: str) -> Place:
    jvm: Any = spark._jvm
    place = jvm.org.apache.hadoop.fs.Path(path)
    return Place(place.getFileSystem(spark._jsc.hadoopConfiguration()), place)


def move(spark: SparkSession, attempt: str, target: str) -> None:
    source, place = place_of(spark, attempt), place_of(spark, target)
    place.delete()
    if not place.system.rename(source.path, place.path):
        raise RunFailed(f"cannot move {attempt} to {target}")
    _LOG.debug("moved into place", extra={"place": target})


@contextlib.contextmanager
def explained_refusals(table: str, root: str) -> Iterator[None]:
    """Turn what the file system refuses into one sentence that names the table and the lake."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from cutline.spark.causes import is_of_sorting, texts_of

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        text = texts_of(error)
        if is_of_sorting(text):
            # Another disk than the lake's: the run tells which.
            raise
        for sign, explanation in _REFUSALS.items():
            if sign in text:
                raise RunFailed(
                    f"table {table} cannot be written to {root}: {explanation}",
                    left_behind="Nothing of the table is visible; earlier stages are kept.",
                    next_step="Make room or mend the permissions, then run the same command again.",
                ) from error
        raise


_REFUSALS = {
    "No space left on device": "no space left on the device",
    "Disk quota exceeded": "the disk quota is exceeded",
    "Permission denied": "permission denied",
    "Read-only file system": "the file system is read-only",
    "Mkdirs failed": "the folder cannot be made",
    "Not a directory": "a part of the path is a file",
    "ParentNotDirectoryException": "a part of the path is a file",
}
