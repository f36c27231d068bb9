"""Topics that are folders."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cutline.errors import RunFailed
from cutline.topics.catalog.interface import Ends
from cutline.topics.partition_file import partition_files


class FileCatalog:
    """The folders of topics under `root`."""

    def __init__(self, root: str) -> None:
        self._root = Path(root)

    def topics(self) -> list[str]:
        """The names of all of them, sorted; also of one that is only left in part."""
        with self._reached():
            entries = self._root.iterdir() if self._root.is_dir() else ()
            # No name of a topic begins with _, as the folders of writers do.
            return sorted(e.name for e in entries if e.is_dir() and not e.name.startswith("_"))

    def ends(self, topics: Sequence[str]) -> Ends:
        """Where topics end; one that is not there is left out."""
        with self._reached():
            ends = {
                topic: {
                    str(part.number): part.end() for part in partition_files(self._root / topic)
                }
                for topic in topics
            }
            return {topic: partitions for topic, partitions in ends.items() if partitions}

    def remove(self, topics: Sequence[str]) -> None:
        """Remove the folders of topics."""
        with self._reached():
            for topic in topics:
                if (folder := self._root / topic).is_dir():
                    shutil.rmtree(folder)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunFailed(
                f"the topics in {self._root} cannot be read or removed: {error}",
                left_behind="Topics that were to be removed may be there still.",
                next_step="Run the same command again when that is mended.",
            ) from error
