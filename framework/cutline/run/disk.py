"""Room on the disks of a run: told before it begins, and watched while a stage works.

Only folders of this machine are looked at; a lake on an object store has no end that could be seen.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.errors import RunFailed
from cutline.logs import logger
from cutline.project.spark import SparkSection
from cutline.spark.machine import amount, device_of, free_bytes, local_folders

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logger(__name__)

_TABLES = 3
"""Bytes of a run's tables for each byte of its inputs."""
_SORTING = 2
"""Bytes that Spark sorts and exchanges at once, for each byte of the inputs."""
FLOOR = 256 << 20
"""The bytes that are left free: a run stops before it takes the last of a disk that others use."""
_SECONDS = 2.0
"""Between two looks."""
_MEND = "Make room there, or set {key} in cutline.yaml to a folder on a larger disk"


@dataclass(frozen=True)
class DiskPlace:
    """A folder that a run writes to: what for, its key in cutline.yaml, and the bytes it takes."""

    folder: Path
    purpose: str
    key: str
    need: int


def disk_places(lake: str, spark: SparkSection, inputs: int) -> list[DiskPlace]:
    """Where a run of inputs of that many bytes writes on this machine, and how much."""
    folders = local_folders(spark.conf) if spark.is_local else ()
    places = [
        DiskPlace(
            folder,
            "what Spark sorts and exchanges",
            "spark.local.dir under spark.conf",
            _SORTING * inputs // len(folders),
        )
        for folder in folders
    ]
    if "://" not in lake:
        places.insert(0, DiskPlace(Path(lake), "the run's tables", "`lake`", _TABLES * inputs))
    return places


def refuse_small_disks(places: Sequence[DiskPlace]) -> None:
    """RunFailed, before anything was started, if a disk has not the room that a run needs.

    Folders on one disk need their room together.
    """
    by_disk: dict[int | None, list[DiskPlace]] = {}
    for place in places:
        by_disk.setdefault(device_of(place.folder), []).append(place)
    for disk, together in by_disk.items():
        free = free_bytes(together[0].folder)
        need = sum(place.need for place in together) + FLOOR
        if disk is None or free is None or free >= need:
            continue
        where = " and ".join(f"{place.folder} ({place.purpose})" for place in together)
        raise RunFailed(
            f"the disk of {where} has {amount(free)} free, and the run needs about {amount(need)}",
            left_behind="Nothing was started, and no run was recorded.",
            next_step=f"{_MEND.format(key=together[0].key)}; docs/sizing.md says how much. Then "
            "run the same command again.",
        )


class DiskWatch:
    """Looks every two seconds whether a disk runs full, and then stops the jobs of a session."""

    def __init__(self, places: Sequence[DiskPlace]) -> None:
        self._places = places
        self._full: tuple[DiskPlace, int] | None = None

    @contextlib.contextmanager
    def watching(self, spark: SparkSession, stage: str) -> Iterator[None]:
        """Watches meanwhile. What fails while a disk is full is raised as a RunFailed about it."""
        ended = threading.Event()
        thread = threading.Thread(
            target=self._watch, args=(spark, ended), name="cutline-disk", daemon=True
        )
        thread.start()
        try:
            yield
        except Exception as error:
            if self._full is None:
                raise
            raise self._error(stage, *self._full) from error
        finally:
            ended.set()
            thread.join()

    def _watch(self, spark: SparkSession, ended: threading.Event) -> None:
        while not ended.wait(_SECONDS):
            for place in self._places:
                free = free_bytes(place.folder)
                if free is not None and free < FLOOR:
                    if self._full is None:
                        _LOG.error(
                            "disk nearly full", extra={"folder": str(place.folder), "free": free}
                        )
                    self._full = place, free
                    # Again and again: a stage begins jobs side by side.
                    with contextlib.suppress(Exception):
                        spark.sparkContext.cancelAllJobs()

    @staticmethod
    def _error(stage: str, place: DiskPlace, free: int) -> RunFailed:
        return RunFailed(
            f"stage {stage} was stopped: the disk of {place.folder} ({place.purpose}) had "
            f"{amount(free)} free, and {amount(FLOOR)} are left to others",
            left_behind="The stages before it are kept; nothing of this one is visible.",
            next_step=f"{_MEND.format(key=place.key)}. Then run the same command again; it goes on "
            "with this stage.",
        )
