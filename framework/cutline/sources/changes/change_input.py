"""The change file that a scan reads, as the project declares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from pyspark.sql import Row

from cutline.errors import RunFailed
from cutline.kafka.parts import TopicPart
from cutline.project.changes import Changes
from cutline.sources.changes.file_part import FilePart
from cutline.sources.kafka import TopicInput


@dataclass(frozen=True)
class ChangeInput:
    """A change file as the project declares it.

    `key` is its key in cutline.yaml. `files` are the files of changes, `change_file_count` of them,
    and then those of transaction boundaries; of `topics` these are the partitions. `tables` has the
    names in the file of the tables that are read, by their own names. `points` are commits whose
    predecessors are wanted, as text of a position's first digits. `columns` has the columns that
    are read of each table, by its name in the file.

    With `parts` only these parts of the files are read, one for each of `files`; `places_before`
    lines were read of all of them before. `ends_told` says that these told where transactions end:
    one that has no end in the parts is left for another time, and so is one on topics if the read
    `waits`. `is_tail` says that something stands before what is read.
    """

    key: str
    section: Changes
    files: Sequence[Path | TopicPart]
    change_file_count: int
    tables: Mapping[str, str]
    points: tuple[str, ...] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    topics: TopicInput | None = None
    parts: tuple[FilePart, ...] = ()
    places_before: int = 0
    ends_told: bool = False
    waits: bool = False
    is_tail: bool = False

    @property
    def place(self) -> str:
        """The key and the first file, for messages."""
        others = " and others" if len(self.files) > 1 else ""
        return f"{self.key}: {self.files[0]}{others}"

    def stop_at(self, place: Row, message: str, next_step: str) -> NoReturn:
        """RunFailed for the line at a place."""
        unit = "line" if self.topics is None else "offset"
        raise RunFailed(
            f"{self.files[place.file]}, {unit} {place.number}: {message}",
            left_behind="Nothing was written.",
            next_step=next_step,
        )
