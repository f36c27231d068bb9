"""What is new in the files of an input since a run read them; free of Spark.

A file may grow at its end, and files may come. What was read must still be there, byte by byte.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from cutline.errors import ConfigurationError, RunFailed
from cutline.results import FileRead
from cutline.sources.changes.file_part import FilePart
from cutline.sources.files import open_file
from cutline.sources.needs_whole import NeedsWholeRun

_CHUNK_BYTES = 8 << 20
_EMPTY = hashlib.sha256().hexdigest()
_LONGEST_LINE = 64 << 20
CHANGES = "changes/"
"""What the names of change files begin with in an input."""


@dataclass(frozen=True)
class Growth:
    """What is new in the files of one input.

    `parts` are the new parts of its files, one per file that can grow, in their order; of a file
    that did not grow it is empty. `files` say how far all its files are read with them.
    """

    parts: tuple[FilePart, ...]
    files: tuple[FileRead, ...]

    @property
    def is_there(self) -> bool:
        """Whether anything is new."""
        return any(part.end > part.start for part in self.parts)

    def until(self, parts: Sequence[FilePart]) -> tuple[FileRead, ...]:
        """How far all files are read with these parts, none of which ends behind its own."""
        ends = {
            whole.path.name: part
            for whole, part in zip(self.parts, parts, strict=True)
            if part.end < whole.end
        }
        return tuple(
            file
            if (part := ends.get(file.name.rpartition("/")[-1])) is None
            else _read_until(file, part.path, part.end)
            for file in self.files
        )


def growth_of(
    label: str,
    paths: Mapping[str, Path],
    before: Sequence[FileRead],
    now: Sequence[FileRead],
    grows: str = "",
) -> Growth:
    """What is new in an input whose files are at `paths`, by their names in it.

    Files whose names begin with `grows` may grow; all others must be as they were. `before` says
    how far they were read, `now` how far they are looked at: what comes behind is left for another
    time. ConfigurationError, naming input and file, for one that was rewritten or is no longer
    there. NeedsWholeRun where a last line was read that was not whole.
    """
    read = {file.name: file for file in before}
    if len(read) < len(before):
        raise NeedsWholeRun(f"two files of {label} have one name")
    for name in read:
        if name not in {file.name for file in now}:
            raise changed_error(label, name, "is no longer there")
    parts, files = [], []
    for file in now:
        if file.name.startswith(grows):
            part, whole = _new_part(label, paths[file.name], read.get(file.name), file)
            parts.append(part)
            files.append(whole)
        elif read.get(file.name) != file:
            raise changed_error(label, file.name, "is another file, and no change file")
        else:
            files.append(file)
    return Growth(tuple(parts), tuple(files))


def all_of(
    label: str, paths: Mapping[str, Path], now: Sequence[FileRead], grows: str = ""
) -> Growth:
    """As `growth_of`, where nothing was read before: the whole files, as far as `now` has them."""
    return growth_of(label, paths, [f for f in now if not f.name.startswith(grows)], now, grows)


def refuse_rewritten(label: str, paths: Mapping[str, Path], now: Sequence[FileRead]) -> None:
    """RunFailed if a file no longer begins with what it held when it was looked at."""
    for file in now:
        path = paths.get(file.name)
        if path is None or _read_until(file, path) != file:
            raise RunFailed(
                f"{label}: {file.name} was rewritten while the run was reading",
                left_behind="The stage's tables are not valid.",
                next_step="Run again when the file only grows.",
            )


def _new_part(
    label: str, path: Path, before: FileRead | None, now: FileRead
) -> tuple[FilePart, FileRead]:
    """The lines behind what was read of a file, and how far it is read with them.

    A last line without its end is left out, unless it is a whole object.
    """
    before = before or FileRead(name=now.name, bytes=0, lines=0, sha256=_EMPTY)
    start, lines = before.bytes, before.lines
    if before.sha256 == now.sha256:
        return FilePart(path, start, start, lines), before
    content, last = hashlib.sha256(), b"\n"
    with open_file(path, label) as handle:
        for chunk in _chunks(handle, start):
            content.update(chunk)
            last = chunk[-1:]
        if content.hexdigest() != before.sha256:
            raise changed_error(
                label, now.name, f"was rewritten: its first {start:,} bytes are others now"
            )
        if last != b"\n":
            start += _skip_end_of_line(label, now, handle, content)
        at = end = start
        sha256 = content.hexdigest()
        for chunk in _chunks(handle, now.bytes - start):
            whole, newline, rest = chunk.rpartition(b"\n")
            content.update(whole + newline)
            if newline:
                end, sha256 = at + len(whole) + 1, content.hexdigest()
                lines += whole.count(b"\n") + 1
            content.update(rest)
            at += len(chunk)
        if end < now.bytes and _is_object(handle, end, now.bytes):
            end, sha256, lines = now.bytes, content.hexdigest(), lines + 1
    part = FilePart(path, start, end, before.lines)
    return part, FileRead(name=now.name, bytes=end, lines=lines, sha256=sha256)


def _skip_end_of_line(label: str, now: FileRead, handle: BinaryIO, content: Any) -> int:
    """The bytes of the line end that came behind a line which was read without one."""
    for line_end in (b"\n", b"\r\n"):
        place = handle.tell()
        if handle.read(len(line_end)) == line_end:
            content.update(line_end)
            return len(line_end)
        handle.seek(place)
    raise NeedsWholeRun(f"the last line of {now.name} in {label} was not whole when it was read")


def _is_object(handle: BinaryIO, start: int, end: int) -> bool:
    """Whether a line is one JSON object, perhaps behind its key: cut off anywhere, it is none."""
    if end - start > _LONGEST_LINE:
        return False
    handle.seek(start)
    line = handle.read(end - start)
    for text in (line, line.partition(b"^")[2]):
        try:
            if isinstance(json.loads(text), dict):
                return True
        except ValueError:
            continue
    return False


def _chunks(handle: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := handle.read(min(size, _CHUNK_BYTES))):
        size -= len(chunk)
        yield chunk


def _read_until(file: FileRead, path: Path, end: int | None = None) -> FileRead:
    """The file as its first bytes are now: as many as were read, or up to `end`."""
    content, lines, size, last = hashlib.sha256(), 0, 0, b"\n"
    with path.open("rb") as handle:
        for chunk in _chunks(handle, file.bytes if end is None else end):
            content.update(chunk)
            lines += chunk.count(b"\n")
            size, last = size + len(chunk), chunk[-1:]
    lines += last != b"\n"
    return FileRead(name=file.name, bytes=size, lines=lines, sha256=content.hexdigest())


def changed_error(label: str, name: str, how: str) -> ConfigurationError:
    """The error for an input of which something is not as a run read it."""
    return ConfigurationError(
        f"{label}: {name} {how}, so the slice cannot go on from its last run",
        left_behind="Nothing was started.",
        next_step="If that is right, `cutline run` reads everything anew, and `cutline advance` "
        "goes on from there.",
    )
