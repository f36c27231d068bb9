"""A file with one event a line, to which several processes append."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from cutline.lineage.facets import Json


class EventFile:
    """Events as lines of JSON. A file `<name>.lock` beside it keeps processes apart."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, event: Json) -> None:
        """One more event; OSError where it cannot be written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked(), self.path.open("a", encoding="utf-8") as file:
            file.write(_line(event))

    def lines(self) -> Iterator[str]:
        """The events as they are written, oldest first; none where there is no file."""
        if self.path.is_file():
            with self.path.open(encoding="utf-8") as file:
                for line in file:
                    yield line.rstrip("\n")

    def remove_first(self, count: int) -> None:
        """Without its first events; the file goes with the last one."""
        with self._locked():
            part = self.path.with_name(f"{self.path.name}.part")
            with self.path.open("rb") as file, part.open("wb") as rest:
                for _ in range(count):
                    file.readline()
                shutil.copyfileobj(file, rest)
            part.replace(self.path)
            if not self.path.stat().st_size:
                self.path.unlink()

    @contextlib.contextmanager
    def emptying(self) -> Iterator[bool]:
        """Whether nobody else empties the file; within it nobody else does."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_name(f"{self.path.name}.sending").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self.path.with_name(f"{self.path.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _line(event: Json) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n"
