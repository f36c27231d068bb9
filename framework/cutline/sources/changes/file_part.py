"""Parts of change files: whole lines, from one byte to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

_COPIED_BYTES = 8 << 20


@dataclass(frozen=True)
class FilePart:
    """The lines of a file from the byte `start` to the byte `end`; `lines_before` precede them."""

    path: Path
    start: int
    end: int
    lines_before: int = 0

    def until(self, line: int) -> FilePart:
        """The part before a line, by its number in the file."""
        with self.path.open("rb") as handle:
            handle.seek(self.start)
            for _ in range(self.lines_before + 1, line):
                handle.readline()
            return replace(self, end=handle.tell())


def copy_part(part: FilePart, copy: Path) -> None:
    """Make a file of the lines of a part alone."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with part.path.open("rb") as source, copy.open("wb") as target:
        source.seek(part.start)
        left = part.end - part.start
        while left and (chunk := source.read(min(left, _COPIED_BYTES))):
            target.write(chunk)
            left -= len(chunk)


def copy_parts(parts: Sequence[FilePart], folder: str) -> list[Path]:
    """A file of this machine for each part, in their order, with its lines alone."""
    copies = [Path(folder, str(i), part.path.name) for i, part in enumerate(parts)]
    for part, copy in zip(parts, copies, strict=True):
        copy_part(part, copy)
    return copies


def parts_until(parts: Sequence[FilePart], lines: Mapping[int, int]) -> tuple[FilePart, ...]:
    """The parts, each before the line that `lines` has for it by its place among them, if any."""
    return tuple(part.until(lines[i]) if i in lines else part for i, part in enumerate(parts))
