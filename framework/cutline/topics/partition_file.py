"""One partition of a `files` topic: a JSON-lines file that is only ever replaced whole."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from cutline.identity.canonical import canonical_json, quoted
from cutline.topics.record import ID_HEADER, RUN_HEADER

PLACE = ("slot", "is_new")
"""Where Spark puts a line for the driver: topic and partition as one number, counting through the
partitions of one topic after the other, and whether it is a body or whole."""

_HEAD = re.compile(rb'\{"partition":\d+,"offset":(\d+),')
_TIMED = rb'\{"partition":\d+,"offset":\d+,"timestamp":(?:null|"[^"\\]*"),'
_KEY = re.compile(_TIMED + rb'"key":"([^"\\]*)","headers":')
_ID = re.compile(
    _TIMED + rb'"key":(?:null|"[^"\\]*"),"headers":\{(?:"[^"\\]*":"[^"\\]*",)*?'
    rb'"%b":"([^"\\]*)"' % ID_HEADER.encode()
)
_NAME = re.compile(r"\d{5}\.jsonl")
_PIECE = 1 << 20


class PartitionFile:
    """The file of one partition. Whoever is killed leaves either the old file or the new one.

    A body is a record as it stands on its line from behind the offset, which is given here.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self.number = number
        self.path = folder / f"{number:05d}.jsonl"

    def lines(self) -> Iterator[bytes]:
        """Its lines, readable or not, without line ends."""
        with self.path.open("rb") as file:
            for line in file:
                yield line.removesuffix(b"\n")

    def end(self) -> int:
        """The offset behind its last record: more than its lines where some were replaced."""
        return max((_offset(line) for line in self.lines()), default=-1) + 1

    def extent(self) -> int:
        """The offset behind its last record, or how many lines it has where these are more: whoever
        writes them need not number them."""
        end = 0
        for count, line in enumerate(self.lines(), 1):
            end = max(end, count, _offset(line) + 1)
        return end

    def offset_at(self, position: int) -> int | None:
        """The offset of the record whose line begins at a byte; None where none begins there."""
        if not self.path.exists() or position >= self.path.stat().st_size:
            return None
        with self.path.open("rb") as file:
            file.seek(position)
            offset = _offset(file.readline())
        return None if offset < 0 else offset

    def headers_of_run(self, run_id: str) -> Iterator[dict[str, Any]]:
        """The headers of the records that a run wrote."""
        return (headers for _, headers in self.records_with(RUN_HEADER, run_id))

    def records_with(self, header: str, value: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Offset and headers of the records that have a header of this value; the offset is -1
        where none can be told."""
        wanted = _MarkedRecords(header, value)
        for line in self.lines():
            if (headers := wanted.headers(line)) is not None:
                yield _offset(line), headers

    def lines_without(self, run_id: str, keys: Collection[str]) -> Iterator[bytes]:
        """Its lines, but for those that the run wrote, and those of some keys."""
        wanted = _MarkedRecords(RUN_HEADER, run_id)
        for line in self.lines():
            if wanted.headers(line) is None and not _has_key(line, keys):
                yield line

    def lines_of_keys(self, keys: Collection[str]) -> Iterator[bytes]:
        """Its lines that are records with one of the keys, and those of which that cannot be told
        by their beginning. Of a line that has the name `key` twice, the first counts."""
        return (line for line in self.lines() if _may_have_key(line, keys))

    def lines_of_ids(self, ids: Collection[bytes]) -> Iterator[bytes]:
        """As `lines_of_keys`, by the ids in the header `ce_id`."""
        return (line for line in self.lines() if _may_have_id(line, ids))

    def append(self, run_id: str, bodies: Iterable[bytes]) -> None:
        """Put records in place of those that the run wrote before, behind those of others."""
        wanted = _MarkedRecords(RUN_HEADER, run_id)
        bodies = iter(bodies)
        first = list(islice(bodies, 1))
        if not wanted.may_be_in(self.path) or next(self.headers_of_run(run_id), None) is None:
            if first:
                self.add(chain(first, bodies))
            return
        own_lines = (line for line in self.lines() if wanted.headers(line) is None)
        self.replace(self._followed(own_lines, chain(first, bodies)))

    def add(self, bodies: Iterable[bytes]) -> None:
        """Put records behind what is there."""
        with self._replacement() as beside:
            shutil.copyfile(self.path, beside)
            with beside.open("r+b") as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        # The last line of another writer has no end yet.
                        file.write(b"\n")
                _write_lines(file, self._numbered(self.end(), bodies))

    def compact(self, kept_lines: Iterable[bytes], bodies: Iterable[bytes]) -> None:
        """Keep these lines of what is there, and put records behind them."""
        self.replace(chain(kept_lines, self._numbered(self.end(), bodies)))

    def replace(self, lines: Iterable[bytes]) -> None:
        """Write the file anew, and put it in the old one's place when it is safe on the disk."""
        with self._replacement() as beside, beside.open("wb") as file:
            _write_lines(file, lines)

    @contextlib.contextmanager
    def _replacement(self) -> Iterator[Path]:
        """The path of what takes the file's place, when it is whole."""
        beside = self.path.with_name(f".{self.path.name}.unfinished")
        yield beside
        beside.replace(self.path)
        sync_folder(self.path.parent)

    def _followed(self, kept_lines: Iterable[bytes], bodies: Iterable[bytes]) -> Iterator[bytes]:
        following = 0
        for line in kept_lines:
            following = max(following, _offset(line) + 1)
            yield line
        yield from self._numbered(following, bodies)

    def _numbered(self, following: int, bodies: Iterable[bytes]) -> Iterator[bytes]:
        for offset, body in enumerate(bodies, following):
            yield b'{"partition":%d,"offset":%d,%b' % (self.number, offset, body)


def partition_files(folder: Path) -> list[PartitionFile]:
    """The partitions of a topic, in order; none for a topic that is not there."""
    entries = folder.iterdir() if folder.is_dir() else ()
    numbers = [int(path.stem) for path in entries if _NAME.fullmatch(path.name)]
    return [PartitionFile(folder, number) for number in sorted(numbers)]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder as safe as what stands in its files."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_lines(file: BinaryIO, lines: Iterable[bytes]) -> None:
    """Write lines, until they are safe on the disk."""
    file.writelines(line + b"\n" for line in lines)
    file.flush()
    os.fsync(file.fileno())


class _MarkedRecords:
    """Tells the lines whose header has a value; only a line that looks like one is parsed."""

    def __init__(self, header: str, value: str) -> None:
        self._header, self._value = header, value
        self._mark = quoted(value).encode()

    def may_be_in(self, path: Path) -> bool:
        """Whether any line of a file looks like one of them."""
        before = b""
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                if self._mark in before + piece:
                    return True
                before = piece[-len(self._mark) :]
        return False

    def headers(self, line: bytes) -> dict[str, Any] | None:
        """The headers of a line that has it, null for any other line."""
        if self._mark not in line:
            return None
        headers = parsed_record(line).get("headers")
        is_one = isinstance(headers, dict) and headers.get(self._header) == self._value
        return headers if is_one else None


def key_of(record: dict[str, Any]) -> str | None:
    """The key of a record that was parsed; of one that is no text its JSON, null where none is."""
    key = record.get("key")
    return key if key is None or isinstance(key, str) else canonical_json(key)


def parsed_record(line: bytes) -> dict[str, Any]:
    """The record on a line; without anything where it is no JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _has_key(line: bytes, keys: Collection[str]) -> bool:
    """Whether a line is a whole record with one of the keys; only one that looks like it is
    parsed."""
    if not _may_have_key(line, keys):
        return False
    record = parsed_record(line)
    return "key" in record and key_of(record) in keys


def _may_have_key(line: bytes, keys: Collection[str]) -> bool:
    """Whether a line is a record with one of the keys: false only where it is one as Cutline writes
    it, up to its key, which is another."""
    head = _KEY.match(line)
    return head is None or head[1].decode(errors="replace") in keys


def _may_have_id(line: bytes, ids: Collection[bytes]) -> bool:
    """Whether a line is a record with one of the ids: false only where it is one as Cutline writes
    it, up to its id, which is another."""
    head = _ID.match(line)
    return head is None or head[1] in ids


def _offset(line: bytes) -> int:
    """The offset of a line, also of one that was cut off behind it; -1 where none can be told."""
    head = _HEAD.match(line)
    if head:
        return int(head[1])
    try:
        return int(parsed_record(line)["offset"])
    except (ValueError, LookupError, TypeError):
        return -1
