"""Chunks that were read whole, kept until the tables are written: an interrupted read goes on.

A snapshot does not outlive its process, and a mix of two snapshots would be torn. So a chunk that
an interrupted read left is used only where the new snapshot shows the very same rows in it. Each
chunk therefore says what was visible when it was read (see `unchanged`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
from pyarrow import fs

from cutline.lake.file_system import file_system
from cutline.sources.scratch import parquet_writer

_MANIFEST = ".chunk.json"
"""The end of the name of what says that a chunk is whole; it stands beside the chunk's folder."""


@dataclass(frozen=True)
class StoredChunk:
    """A chunk in the store. `texts` are the columns that are texts in it instead of their own
    type; `visible` is the snapshot under which it was read.
    """

    folder: str
    rows: int
    texts: tuple[str, ...]
    visible: str


@dataclass(frozen=True)
class ChunkStore:
    """The folder of a source's chunks, on any file system that Python can write."""

    folder: str

    def path(self, identity: str) -> str:
        """The folder of a chunk. `identity` is all that the chunk's rows depend on beside the
        snapshot."""
        return f"{self.folder}/{hashlib.sha256(identity.encode()).hexdigest()[:32]}"

    def chunk(self, identity: str) -> StoredChunk | None:
        """The whole chunk that an earlier read left; null if there is none."""
        folder = self.path(identity)
        content = self._read(f"{folder}{_MANIFEST}")
        if content is None:
            return None
        return StoredChunk(folder, content["rows"], tuple(content["texts"]), content["visible"])

    @contextmanager
    def writing(self, identity: str, schema: pa.Schema) -> Iterator[Any]:
        """A function that appends a batch to the chunk, which is empty at first."""
        folder = self.path(identity)
        self._delete(folder)
        with parquet_writer(folder, schema) as write:
            yield write

    def complete(self, identity: str, rows: int, texts: Iterable[str], visible: str) -> StoredChunk:
        """Marks the chunk as whole."""
        chunk = StoredChunk(self.path(identity), rows, tuple(sorted(texts)), visible)
        content = {k: v for k, v in asdict(chunk).items() if k != "folder"}
        self._write(f"{chunk.folder}{_MANIFEST}", content)
        return chunk

    def bounds(self, identity: str) -> list[list[str]] | None:
        """The bounds of a table's ranges that an earlier read used; null if there are none."""
        content = self._read(f"{self.path(identity)}.json")
        return None if content is None else list(content)

    def remember_bounds(self, identity: str, bounds: Iterable[Iterable[str]]) -> None:
        """Keeps the bounds, so that an interrupted read has the same ranges again."""
        self._write(f"{self.path(identity)}.json", [list(bound) for bound in bounds])

    def remove(self, but: Iterable[str] = ()) -> None:
        """Removes everything but these folders."""
        system, place = file_system(self.folder)
        stay = {folder.rsplit("/", 1)[1] for folder in but}
        selector = fs.FileSelector(place, allow_not_found=True)
        for entry in system.get_file_info(selector):
            if entry.base_name.partition(".")[0] in stay:
                continue
            if entry.type == fs.FileType.Directory:
                system.delete_dir(entry.path)
            else:
                system.delete_file(entry.path)
        if not stay and system.get_file_info(place).type == fs.FileType.Directory:
            system.delete_dir(place)

    def _read(self, path: str) -> Any:
        system, place = file_system(path)
        try:
            with system.open_input_stream(place) as stream:
                return json.loads(stream.read())
        except (FileNotFoundError, ValueError):
            return None

    def _write(self, path: str, content: object) -> None:
        system, place = file_system(path)
        system.create_dir(place.rsplit("/", 1)[0], recursive=True)
        with system.open_output_stream(place) as stream:
            stream.write(json.dumps(content).encode())

    def _delete(self, folder: str) -> None:
        system, place = file_system(folder)
        if system.get_file_info(place + _MANIFEST).type == fs.FileType.File:
            system.delete_file(place + _MANIFEST)
        if system.get_file_info(place).type == fs.FileType.Directory:
            system.delete_dir(place)
