"""The files of a source of replays: which they are, and that they are still the same."""

from __future__ import annotations

import fnmatch
import hashlib
import io
import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Literal

import pyarrow as pa

from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka.registry import not_installed
from cutline.lake.file_system import file_system
from cutline.replay.request import NOTHING_SENT
from cutline.topics.partition_file import PartitionFile, partition_files

FileFormat = Literal["json", "avro", "parquet", "topic"]
"""How a file is written; `topic` is a partition of a topic of files."""
PREFIX = "files:"
_CHUNK = 1 << 20
_AT_ONCE = 8
_CODECS = {".bz2": "bz2", ".gz": "gzip", ".lz4": "lz4", ".zst": "zstd"}
"""How a file is packed, by the end of its name."""
_WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class ArchiveFile:
    """A file as it was when the replay was planned: its first `size` bytes, their SHA-256, and how
    many rows they hold. `partition` is that of a topic of files, else 0."""

    place: str
    topic: str
    partition: int
    size: int
    rows: int
    digest: str


@dataclass(frozen=True)
class FrozenFiles:
    """The files of a replay, in the order in which they are read."""

    format: FileFormat
    files: tuple[ArchiveFile, ...]

    def text(self) -> str:
        """Canonical text: equal files have equal texts."""
        document = {"format": self.format, "files": [asdict(file) for file in self.files]}
        return PREFIX + json.dumps(document, sort_keys=True, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> FrozenFiles:
        """What `text` gave."""
        document = json.loads(text.removeprefix(PREFIX))
        files = (ArchiveFile(**file) for file in document["files"])
        return cls(document["format"], tuple(files))


def freeze_archive(place: str, kind: FileFormat, key: str) -> FrozenFiles:
    """The files of an archive, as they are now.

    `place` is a file, a folder or a glob, of this machine or a URL. ConfigurationError, naming the
    file, where there is none, or where one is torn: shorter than it was written.
    """
    if kind == "avro":
        require_avro(key)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        frozen = list(pool.map(lambda p: _frozen(p, kind, key), _places(place, key)))
    return FrozenFiles(kind, tuple(frozen))


def archive_size(place: str, key: str) -> int:
    """The bytes of the files of an archive, packed as they are; none of them is opened.

    ConfigurationError where there is none, or where they cannot be listed.
    """
    sizes = []
    for path in _places(place, key):
        try:
            system, local = file_system(path)
            sizes.append(int(system.get_file_info(local).size or 0))
        except (OSError, ValueError) as error:
            raise _unreachable(path, key, error) from error
    return sum(sizes)


def topic_files(root: str, topic: str, key: str) -> list[PartitionFile]:
    """The partitions of a topic of files. ConfigurationError, naming it, if it is not there."""
    parts = partition_files(Path(root) / topic)
    if not parts:
        raise ConfigurationError(
            f"{key}: topic {topic} is not there, in {root}",
            left_behind=NOTHING_SENT,
            next_step="Mend its name in cutline.yaml.",
        )
    return parts


def freeze_topic_files(root: str, topics: Sequence[str], key: str) -> FrozenFiles:
    """The partitions of topics of files, as far as they are written now.

    ConfigurationError, naming the topic, for one that is not there.
    """
    frozen = []
    for topic in topics:
        for part in topic_files(root, topic, key):
            file = _frozen(str(part.path), "topic", key)
            frozen.append(
                ArchiveFile(file.place, topic, part.number, file.size, file.rows, file.digest)
            )
    return FrozenFiles("topic", tuple(frozen))


def refuse_changed(frozen: FrozenFiles, key: str) -> None:
    """RunFailed, naming the file, unless each holds what it held when it was frozen, or begins so
    where it has lines."""
    has_lines = frozen.format in ("json", "topic")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda f: _refuse_changed(f, key, may_grow=has_lines), frozen.files))


def opened_lines(file: ArchiveFile) -> IO[bytes]:
    """The lines of a file as they were frozen, unpacked where its name says that it is packed: it
    may have grown since."""
    if not file.size:
        return io.BytesIO(b"")
    system, path = file_system(file.place)
    beginning = _Beginning(system.open_input_stream(path, compression=None), file.size)
    codec = _CODECS.get(posixpath.splitext(path)[1])
    unpacked = beginning if codec is None else pa.CompressedInputStream(beginning, codec)
    return io.BufferedReader(unpacked, _CHUNK)


def opened_whole(file: ArchiveFile) -> IO[bytes]:
    """The bytes of a file, any of which can be asked for."""
    system, path = file_system(file.place)
    return io.BufferedReader(system.open_input_file(path))


class _Beginning(io.RawIOBase):
    """The first bytes of a file."""

    def __init__(self, file: pa.NativeFile, size: int) -> None:
        self._file, self._left = file, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = memoryview(buffer)[: self._left]
        size = self._file.readinto(wanted) or 0
        self._left -= size
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def require_avro(key: str) -> None:
    """ConfigurationError where the package for Avro is not installed."""
    if find_spec("fastavro") is None:
        raise not_installed(key)


def _places(place: str, key: str) -> list[str]:
    """The files of a place, in the order of their names; hidden ones are left out."""
    from pyarrow import fs

    is_url = "://" in place
    # What stands behind the path of a URL says how it is reached.
    plain, mark, options = place.partition("?") if is_url else (place, "", "")
    wild = _WILDCARD.search(plain)
    whole = posixpath.dirname(plain[: wild.start()]) if wild else plain
    try:
        system, base = file_system(f"{whole}{mark}{options}")
        if not wild and system.get_file_info(base).type == fs.FileType.File:
            return [place]
        selector = fs.FileSelector(base, recursive=True, allow_not_found=True)
        paths = sorted(i.path for i in system.get_file_info(selector) if i.is_file)
    except (OSError, ValueError) as error:
        raise _unreachable(place, key, error) from error
    below = [path.removeprefix(base) for path in paths]
    wanted = plain.removeprefix(whole) if wild else None
    below = [b for b in below if not _is_hidden(b) and (wanted is None or _matches(b, wanted))]
    if not below:
        raise ConfigurationError(
            f"{key}: there is no file at {place}",
            left_behind=NOTHING_SENT,
            next_step="Mend the path in cutline.yaml.",
        )
    return [f"{whole.rstrip('/')}{b}{mark}{options}" for b in below]


def _matches(path: str, pattern: str) -> bool:
    """Whether a path matches part by part: a wildcard does not go beyond a folder."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def _is_hidden(below: str) -> bool:
    return any(part.startswith(("_", ".")) for part in below.split("/") if part)


def _frozen(place: str, kind: FileFormat, key: str) -> ArchiveFile:
    size, digest = _size_and_digest(place, None, key)
    file = ArchiveFile(place, place.rpartition("/")[2], 0, size, 0, digest)
    try:
        rows = _COUNTS[kind](file)
    except Exception as error:
        # Each of the readers has errors of its own for a file that ends too early.
        raise ConfigurationError(
            f"{key}: {place} is torn, or not {_WORDS[kind]}: {error or type(error).__name__}",
            left_behind=NOTHING_SENT,
            next_step="Bring the whole file there again, or give a path that leaves it out.",
        ) from error
    return ArchiveFile(place, file.topic, 0, size, rows, digest)


def _size_and_digest(place: str, most: int | None, key: str) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    try:
        system, path = file_system(place)
        with system.open_input_stream(path, compression=None) as file:
            while most is None or size < most:
                content = file.read(_CHUNK if most is None else min(_CHUNK, most - size))
                if not content:
                    break
                digest.update(content)
                size += len(content)
    except (OSError, ValueError) as error:
        raise _unreachable(place, key, error) from error
    return size, digest.hexdigest()


def _refuse_changed(file: ArchiveFile, key: str, *, may_grow: bool) -> None:
    try:
        size, digest = _size_and_digest(file.place, file.size if may_grow else None, key)
    except ConfigurationError as error:
        raise RunFailed(error.what, left_behind=NOTHING_SENT, next_step=_PLAN_ANEW) from error
    if (size, digest) != (file.size, file.digest):
        change = "it shrank" if size < file.size else "it grew"
        raise RunFailed(
            f"{key}: {file.place} "
            + (
                "holds other bytes"
                if size == file.size
                else f"has {size:,} bytes, and had {file.size:,}: {change}"
            )
            + " since the replay was planned",
            left_behind=NOTHING_SENT,
            next_step=_PLAN_ANEW,
        )


_PLAN_ANEW = (
    "Bring back what was there, and run the same command again; or plan anew over what is there: "
    "cutline replay … --plan-anew"
)


def _unreachable(place: str, key: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{key}: {place} cannot be read: {error}",
        left_behind=NOTHING_SENT,
        next_step="Mend the path in cutline.yaml, or the rights to read it.",
    )


def _lines(file: ArchiveFile) -> int:
    """The number of lines, of which the last must end, or be whole all the same."""
    count, last = 0, b"\n"
    with opened_lines(file) as lines:
        for line in lines:
            count, last = count + 1, line
    if not last.endswith(b"\n"):
        json.loads(last)
    return count


def _avro_rows(file: ArchiveFile) -> int:
    import fastavro

    with opened_whole(file) as content:
        return sum(int(block.num_records) for block in fastavro.block_reader(content))


def _parquet_rows(file: ArchiveFile) -> int:
    import pyarrow.parquet as pq

    with opened_whole(file) as content:
        return int(pq.ParquetFile(content).metadata.num_rows)


_COUNTS = {"json": _lines, "topic": _lines, "avro": _avro_rows, "parquet": _parquet_rows}
_WORDS = {
    "json": "JSON lines",
    "topic": "the lines of a topic",
    "avro": "a container file of Avro",
    "parquet": "Parquet",
}


def parquet_batches(file: ArchiveFile, size: int) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, so many at once."""
    import pyarrow.parquet as pq

    with opened_whole(file) as content:
        yield from pq.ParquetFile(content).iter_batches(size)
