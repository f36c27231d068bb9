"""What files hold by now that a state was not made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cutline.errors import RunFailed
from cutline.replay.archive_files import ArchiveFile, FrozenFiles, refuse_changed


@dataclass(frozen=True)
class FilesSince:
    """The files that came or grew since a state was made, of each how many of its first rows are in
    the state, and those that hold other bytes, by their places."""

    came: Sequence[tuple[ArchiveFile, int]]
    changed: Sequence[str]


def files_since(before: FrozenFiles, now: FrozenFiles, key: str) -> FilesSince:
    """What of files is not what a state was made of. One that is gone was removed by who keeps no
    more, and one that only has another name is the file that it was."""
    by_name = {_name(before, file): file for file in before.files}
    names = {_name(now, file) for file in now.files}
    elsewhere = Counter((f.size, f.digest) for name, f in by_name.items() if name not in names)
    came: list[tuple[ArchiveFile, int]] = []
    changed: list[str] = []
    for file in now.files:
        content = (file.size, file.digest)
        earlier = by_name.get(_name(now, file))
        if earlier is None:
            if elsewhere[content]:
                elsewhere[content] -= 1
            else:
                came.append((file, 0))
        elif (earlier.size, earlier.digest) != content:
            if _has_grown(before, earlier, file, key):
                came.append((file, earlier.rows))
            else:
                changed.append(file.place)
    return FilesSince(came, changed)


def _name(files: FrozenFiles, file: ArchiveFile) -> tuple[str, int]:
    """What names a file: a partition of a topic is the same wherever the topic lies."""
    return (file.topic if files.format == "topic" else file.place, file.partition)


def _has_grown(files: FrozenFiles, earlier: ArchiveFile, file: ArchiveFile, key: str) -> bool:
    """Whether a file begins with all that it had."""
    if file.size < earlier.size:
        return False
    try:
        refuse_changed(FrozenFiles(files.format, (replace(earlier, place=file.place),)), key)
    except RunFailed:
        return False
    return True
