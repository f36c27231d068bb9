"""Files of sources: finding them, opening them, and writing their paths as Spark reads them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource, LogSource, Source, TableSource

_WILDCARDS = set("*?[")
_ESCAPED_FOR_SPARK = set("*?[]{}\\")


def local_path(project: LoadedProject, text: str, key: str) -> Path:
    """A path of the project on this machine.

    `key` is where cutline.yaml has it, for messages. ConfigurationError for a path on another
    machine.
    """
    path = project.path(text).removeprefix("file://")
    if "://" in path:
        raise ConfigurationError(
            f"{key}: {path} is not on this machine",
            next_step="Copy the extract to a local or mounted folder first.",
        )
    return Path(path)


def table_files(project: LoadedProject, source: str, name: str, section: Source) -> list[Path]:
    """The files of one table of a file source, sorted by path; at least one.

    A folder stands for all files in it. ConfigurationError, naming the key, if there is no file.
    """
    table: TableSource = section.tables[name]
    key = f"sources.{source}.tables.{name}.path"
    if isinstance(section, LogSource):
        raise ConfigurationError(
            f"sources.{source}: a source of kind log has no files of its tables",
            next_step="Look at its change file, or give an extract of the table.",
        )
    if isinstance(section, DatabaseSource):
        raise ConfigurationError(
            f"sources.{source}: a source of kind {section.kind} has no files of its tables",
            next_step="Look at its database, or give an extract of the table.",
        )
    if table.path is None:
        raise ConfigurationError(
            f"{key} is missing: a {section.kind} table needs its file",
            next_step="Give the file, or a glob, relative to the source's path.",
        )
    base = local_path(project, section.path, f"sources.{source}.path")
    return matching_files(base / without_file_scheme(table.path), key)


def without_file_scheme(text: str) -> str:
    """The path without `file://`, which means this machine."""
    return text.removeprefix("file://")


def matching_files(path: Path, key: str) -> list[Path]:
    """The files that a path, a folder or a glob names, sorted by path.

    ConfigurationError, naming the key, if there is none, and as of `files_at`.
    """
    files = files_at(path, key)
    if not files:
        raise ConfigurationError(
            f"{key}: there is no file {path}",
            next_step="Put the extract there, or correct the path.",
        )
    return files


def files_at(path: Path, key: str) -> list[Path]:
    """As `matching_files`, and empty if there is none.

    ConfigurationError, naming the key, for a link in a folder that leads to nothing or to another
    folder: what is behind it would be missing.
    """
    if path.is_dir():
        within = [p for p in sorted(path.rglob("*")) if not _hidden(p, path)]
        _refuse_lost_links(within, key)
        return [p for p in within if p.is_file()]
    if path.is_file():
        return [path]
    if not _WILDCARDS & set(str(path)):
        return []
    matches = _matches(path, key)
    _refuse_lost_links((p for p in matches if not p.exists()), key)
    return [p for p in matches if p.is_file()]


def _matches(path: Path, key: str) -> list[Path]:
    """What a glob matches, sorted, but for files and folders that begin with a dot: as in a shell,
    the glob must have the dot. So must it have a `_`, with which names begin that a folder passes
    over: ConfigurationError, naming the first such match.
    """
    root, named = Path(path.anchor or "."), glob_root(path)
    pattern = path.relative_to(root)
    openings = {part[0] for part in path.relative_to(named).parts}
    matches = []
    for match in sorted(root.glob(str(pattern))):
        below = match.relative_to(named).parts
        if "." not in openings and any(part.startswith(".") for part in below):
            continue
        if "_" not in openings and any(p.startswith("_") and "=" not in p for p in below):
            raise ConfigurationError(
                f"{key}: {match} begins with '_', as what a folder passes over",
                next_step="Rename it, or give a path that leaves it out, or one that has the _.",
            )
        matches.append(match)
    return matches


def _refuse_lost_links(paths: Iterable[Path], key: str) -> None:
    for path in paths:
        if path.is_symlink() and not path.is_file():
            leads = (
                "another folder, which is not read" if path.is_dir() else "nothing that is there"
            )
            raise ConfigurationError(
                f"{key}: {path} is a link to {leads}",
                next_step="Put the files themselves there, or take the link away.",
            )


def glob_root(path: Path) -> Path:
    """The deepest folder that holds every match of a glob, and no folder called `column=value`."""
    parts = path.parts
    mixed = (i for i, part in enumerate(parts) if _WILDCARDS & set(part) or "=" in part)
    return Path(*parts[: next(mixed, len(parts))])


def spark_path(path: Path | str) -> str:
    """A path of this machine as text for Spark, with the characters escaped that Spark takes for a
    glob.
    """
    whole = str(Path(path).absolute())
    return "file://" + "".join(f"\\{c}" if c in _ESCAPED_FOR_SPARK else c for c in whole)


@contextlib.contextmanager
def open_file(path: Path, key: str) -> Iterator[BinaryIO]:
    """The file, opened for reading bytes.

    ConfigurationError, naming the file and the key, if it cannot be opened.
    """
    try:
        handle = path.open("rb")
    except OSError as error:
        raise ConfigurationError(
            f"{key}: {path} cannot be read: {error.strerror}",
            next_step="Correct the path, or the permissions of the file.",
        ) from error
    with handle:
        yield handle


_PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh91AY&SY": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
}
"""The first bytes of packed files."""


@contextlib.contextmanager
def open_text_file(path: Path, key: str) -> Iterator[BinaryIO]:
    """The text file, opened for reading bytes.

    ConfigurationError, naming the file and the key, if it cannot be opened or is packed.
    """
    with open_file(path, key) as handle:
        begin = handle.read(max(map(len, _PACKED)))
        handle.seek(0)
        for magic, packer in _PACKED.items():
            if begin.startswith(magic):
                raise ConfigurationError(
                    f"{key}: {path} is packed by {packer}",
                    left_behind="Nothing was written.",
                    next_step="Unpack it, and name the unpacked file.",
                )
        yield handle


def _hidden(path: Path, base: Path) -> bool:
    """Whether Spark passes over the file: a folder or the file itself begins with "." or "_".

    A folder such as `_day=2` holds the rows of a partition, and Spark reads it.
    """
    parts = path.relative_to(base).parts
    return any(p.startswith(".") or (p.startswith("_") and "=" not in p) for p in parts)
