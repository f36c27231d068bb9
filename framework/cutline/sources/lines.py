"""Text files cut into numbered records, so that every line can be told by file and number.

Spark's own readers do not keep line numbers, and drop or mend what they cannot parse.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from cutline.sources.files import opened
from cutline.sources.scratch import parquet_writer

SCHEMA = pa.schema(
    [("file", pa.int32()), ("number", pa.int64()), ("place", pa.int64()), ("line", pa.string())]
)
DDL = "file int, number bigint, place bigint, line string"
_CHUNK = 8 << 20
_LONGEST = 10_000


@dataclass(frozen=True)
class Text:
    """How a text file is to be read.

    With `quoted`, the shape of a whole record, a record goes on while a quote is open. With
    `licence`, a comment `/* … */` at the beginning, and the blank lines around it, are no records.
    """

    encoding: str = "utf-8"
    header: bool = False
    quoted: re.Pattern[bytes] | None = None
    licence: bool = False


@dataclass(frozen=True)
class Cut:
    """What was written: records; and what was passed over: blank lines, those of a licence."""

    records: int
    blanks: int
    licence: int = 0


def cut_lines(paths: Sequence[Path], folder: str, key: str, text: Text) -> Cut:
    """Write every record of the files to `folder`, one row per record: file, number, place, line.

    `file` is the index of its file in `paths`, `number` counts its first line from 1, `place`
    counts lines from 1 over all files. `line` is
    UTF-8, and deliberately not valid UTF-8 where the bytes were not in the file's encoding. The
    first record of each file is left out where it is the header.
    """
    records = blanks = licence = before = 0
    with parquet_writer(folder, SCHEMA) as write:
        for index, path in enumerate(paths):
            last = 0
            with opened(path, key) as handle:
                batches = _without_header(_batches(handle, text), text.header)
                for number, lines in batches:
                    if text.licence and not last:
                        end = licence_lines(lines)
                        licence += end
                        number, lines = number.slice(end), lines.slice(end)
                    kept = pc.greater(pc.binary_length(pc.ascii_trim_whitespace(lines)), 0)
                    file = pa.array([index] * len(lines), pa.int32())
                    place = pc.add(number, before)
                    batch = pa.record_batch([file, number, place, lines], SCHEMA).filter(kept)
                    records += batch.num_rows
                    blanks += len(lines) - batch.num_rows
                    write(batch)
                    last = number[-1].as_py() if len(number) else last
            before += last
    return Cut(records, blanks, licence)


def licence_lines(lines: pa.Array) -> int:
    """How many lines a comment at the beginning takes, with the blank lines around it; else 0."""
    state = "before"
    for at, line in enumerate(lines):
        text = bytes(line.as_buffer()).strip()
        if state == "before" and text.startswith(b"/*"):
            state = "within"
        elif state != "within" and text:
            return at if state == "behind" else 0
        if state == "within" and text.endswith(b"*/"):
            state = "behind"
    return len(lines) if state == "behind" else 0


def first_record(path: Path, key: str, text: Text) -> bytes | None:
    """The first record that is not blank, as UTF-8; null for a file without one."""
    with opened(path, key) as handle:
        for _, lines in _batches(handle, text):
            for line in lines:
                content = bytes(line.as_buffer())
                if content.strip():
                    return content
    return None


_Batch = tuple[pa.Array, pa.Array]


def _batches(handle: BinaryIO, text: Text) -> Iterator[_Batch]:
    chunks = _whole_lines(_utf8(handle, text.encoding))
    yield from (_quoted_records(chunks, text.quoted) if text.quoted else _physical_lines(chunks))


def _without_header(batches: Iterator[_Batch], header: bool) -> Iterator[_Batch]:
    waiting = header
    for number, lines in batches:
        if waiting:
            filled = pc.greater(pc.binary_length(pc.ascii_trim_whitespace(lines)), 0)
            first = pc.index(filled, True).as_py()
            waiting = first < 0
            yield (
                (number.slice(first + 1), lines.slice(first + 1))
                if not waiting
                else (
                    number,
                    lines,
                )
            )
        else:
            yield number, lines


def _physical_lines(chunks: Iterator[bytes]) -> Iterator[_Batch]:
    start = 1
    for chunk in chunks:
        lines = _as_text(
            pc.split_pattern(
                pa.array([chunk.replace(b"\r\n", b"\n")], pa.binary()), b"\n"
            ).flatten()
        )
        yield pa.array(range(start, start + len(lines)), pa.int64()), lines
        start += len(lines)


def _quoted_records(chunks: Iterator[bytes], shape: re.Pattern[bytes]) -> Iterator[_Batch]:
    """Records that go on while a quote is open.

    Where that gives no record of the right shape, the first line stands alone and reading goes on
    at the line after it: one broken quote must not swallow the rest of the file.
    """
    numbered = zip(
        count(1), (line for chunk in chunks for line in chunk.split(b"\n")), strict=False
    )
    pending: list[tuple[int, bytes]] = []
    numbers: list[int] = []
    records: list[bytes] = []
    while True:
        record = _next_record(numbered, pending, shape)
        if record is None:
            break
        numbers.append(record[0])
        records.append(record[1])
        if len(records) == 100_000:
            yield pa.array(numbers, pa.int64()), _as_text(pa.array(records, pa.binary()))
            numbers, records = [], []
    if records:
        yield pa.array(numbers, pa.int64()), _as_text(pa.array(records, pa.binary()))


def _next_record(
    numbered: Iterator[tuple[int, bytes]],
    pending: list[tuple[int, bytes]],
    shape: re.Pattern[bytes],
) -> tuple[int, bytes] | None:
    taken = quotes = 0
    while taken < _LONGEST:
        if taken == len(pending):
            following = next(numbered, None)
            if following is None:
                break
            pending.append(following)
        quotes += pending[taken][1].count(b'"')
        taken += 1
        if quotes % 2 == 0:
            break
    if not taken:
        return None
    record = _joined(pending[:taken])
    if taken > 1 and not shape.fullmatch(record):
        taken, record = 1, _joined(pending[:1])
    number = pending[0][0]
    del pending[:taken]
    return number, record


def _joined(lines: list[tuple[int, bytes]]) -> bytes:
    return b"\n".join(line for _, line in lines).removesuffix(b"\r")


def _whole_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut behind line ends only, without the last line end of each piece."""
    rest = b""
    for chunk in chunks:
        head, end, tail = chunk.rpartition(b"\n")
        if end:
            yield rest + head
            rest = tail
        else:
            rest += chunk
    if rest:
        yield rest


def _utf8(handle: BinaryIO, encoding: str) -> Iterator[bytes]:
    """The file as UTF-8 without a byte order mark; bytes that are no character stay broken."""
    if encoding == "utf-8":
        first = handle.read(_CHUNK).removeprefix(codecs.BOM_UTF8)
        while first:
            yield first
            first = handle.read(_CHUNK)
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors=_BROKEN)
    while chunk := handle.read(_CHUNK):
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


_BROKEN = "cutline-broken"


def _broken(error: UnicodeError) -> tuple[str, int]:
    """A lone surrogate in place of what could not be decoded: UTF-8 that is never valid."""
    return "\udcff", error.end if isinstance(error, UnicodeDecodeError) else 0


codecs.register_error(_BROKEN, _broken)


def _as_text(lines: pa.Array) -> pa.Array:
    """Bytes as an Arrow text column without a look at their validity: Spark looks at each line."""
    return pa.Array.from_buffers(
        pa.string(), len(lines), lines.buffers(), lines.null_count, lines.offset
    )
