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
from cutline.sources.line_account import Account, refuse_uncounted
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
    A blank line is no record either: one of white space alone, or, with `delimited`, only one
    without any character, for there white space may be a value, or what parts two.
    """

    encoding: str = "utf-8"
    header: bool = False
    quoted: re.Pattern[bytes] | None = None
    licence: bool = False
    delimited: bool = False


@dataclass(frozen=True)
class Cut:
    """What became of every line of some files, one `Account` per file in their order."""

    files: tuple[Account, ...]

    @property
    def records(self) -> int:
        """How many records were written."""
        return sum(file.records for file in self.files)

    @property
    def blanks(self) -> int:
        """How many lines were passed over because they are blank."""
        return sum(file.blanks for file in self.files)

    @property
    def licence(self) -> int:
        """How many lines were passed over as those of a licence, the blank ones around it too."""
        return sum(file.licence for file in self.files)


def cut_lines(paths: Sequence[Path], folder: str, key: str, text: Text) -> Cut:
    """Write every record of the files to `folder`, one row per record: file, number, place, line.

    `file` is the index of its file in `paths`, `number` counts its first line from 1, `place`
    counts lines from 1 over all files. `line` is
    UTF-8, and deliberately not valid UTF-8 where the bytes were not in the file's encoding. The
    first record of each file is left out where it is the header. ConservationError, naming the
    file, if a line is in no record and is none that may be passed over.
    """
    before = 0
    accounts = []
    with parquet_writer(folder, SCHEMA) as write:
        for index, path in enumerate(paths):
            account, last, waiting = Account(), 0, text.header
            with opened(path, key) as handle:
                for number, lines in _batches(handle, text):
                    end = licence_lines(lines) if text.licence and not last else 0
                    account.take_licence(lines.slice(0, end))
                    last = number[-1].as_py()
                    number, lines = number.slice(end), lines.slice(end)
                    kept = _filled(lines, text)
                    number, lines, there = number.filter(kept), lines.filter(kept), len(lines)
                    account.blanks += there - len(lines)
                    header = int(waiting and len(lines) > 0)
                    waiting = waiting and not header
                    account.take_header(lines.slice(0, header))
                    number, lines = number.slice(header), lines.slice(header)
                    account.take_records(lines)
                    file = pa.array([index] * len(lines), pa.int32())
                    place = pc.add(number, before)
                    write(pa.record_batch([file, number, place, lines], SCHEMA))
            refuse_uncounted(path, key, account, text.encoding, delimited=text.delimited)
            accounts.append(account)
            before += last
    return Cut(tuple(accounts))


def _filled(lines: pa.Array, text: Text) -> pa.Array:
    """Which of the lines, without their ends, are not blank."""
    content = lines if text.delimited else pc.ascii_trim_whitespace(lines)
    return pc.greater(pc.binary_length(content), 0)


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
                if content if text.delimited else content.strip():
                    return content
    return None


_Batch = tuple[pa.Array, pa.Array]


def _batches(handle: BinaryIO, text: Text) -> Iterator[_Batch]:
    chunks = _whole_lines(_utf8(handle, text.encoding))
    yield from (_quoted_records(chunks, text.quoted) if text.quoted else _physical_lines(chunks))


def _physical_lines(chunks: Iterator[bytes]) -> Iterator[_Batch]:
    start = 1
    for chunk in chunks:
        lines = _as_text(
            pc.split_pattern(
                pa.array([chunk.replace(b"\r\n", b"\n").removesuffix(b"\r")], pa.binary()), b"\n"
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
