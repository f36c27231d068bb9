"""Whether what a run finds in the lake is what was written there, before anything is made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from cutline.errors import RunFailed
from cutline.lake.lake import Lake
from cutline.lake.manifest import Folder, Standing, difference
from cutline.lake.written import TableWritten

_AT_ONCE = 4


class LakeCheck:
    """Holds tables and files of runs against what their stages recorded.

    Every byte is read once in a process. From then on the names, sizes and times of a table's files
    are enough; where they have moved, its bytes are read again. A table that was written before
    there were manifests has nothing to be held against.
    """

    def __init__(self) -> None:
        self._standings: dict[str, Standing] = {}

    def written(self, lake: Lake, tables: Iterable[TableWritten]) -> None:
        """Take the tables that this process has just written, and read for their manifests."""
        for table in tables:
            path = lake.path(table.name)
            self._standings[path] = Folder.of(path).files()

    def check_tables(
        self, lake: Lake, run_id: str, stage: str, tables: Iterable[TableWritten]
    ) -> None:
        """RunFailed for the first table of a stage that is not what the stage wrote.

        The error names it, says how it differs and how it is made again.
        """
        recorded = [table for table in tables if table.manifest]
        with ThreadPoolExecutor(_AT_ONCE, "cutline-lake") as pool:
            differences = pool.map(partial(self._difference, lake), recorded)
            for table, says in zip(recorded, differences, strict=True):
                if says is not None:
                    raise changed_error("table", table.name, lake, run_id, stage, says)

    def check_files(self, lake: Lake, run_id: str, stage: str, files: Mapping[str, str]) -> None:
        """As `check_tables`, for files beside them: their SHA-256 by name in the run's folder."""
        for name, says in _files(lake, files):
            raise changed_error("file", name, lake, run_id, stage, says)

    def _difference(self, lake: Lake, table: TableWritten) -> str | None:
        path = lake.path(table.name)
        standing = Folder.of(path).files()
        if self._standings.get(path) == standing:
            return None
        says = difference(path, table.manifest)
        if says is None:
            self._standings[path] = standing
        return says


def _files(lake: Lake, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each file that is not what was written, with how it differs."""
    for name, recorded in files.items():
        folder, _, last = lake.path(name).rpartition("/")
        try:
            now = Folder.of(folder).digest(last)
        except FileNotFoundError:
            yield name, "it is missing"
            continue
        if now != recorded:
            yield name, "it holds other bytes than were written"


def sha256(text: str) -> str:
    """The digest of a text as a file of it is checked by."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def changed_error(
    kind: str, name: str, lake: Lake, run_id: str, stage: str, says: str
) -> RunFailed:
    """The error for a `table` or `file` of a run that is not what its stage wrote."""
    path = lake.path(name if kind == "table" else name.rpartition("/")[0] or name)
    return RunFailed(
        f"{kind} {name} of run {run_id} is not what stage {stage} wrote: {says}",
        left_behind="Nothing was made of it, and nothing was published.",
        next_step=f"Find out what changed it. To have it made again, remove {path} and run "
        "the run's own command again.",
    )
