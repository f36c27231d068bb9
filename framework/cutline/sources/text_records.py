"""Text files split into numbered records, so that messages can name file and line.

Spark's own readers do not keep line numbers, and drop or mend the lines that they cannot parse.
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

from cutline.errors import ConfigurationError
from cutline.sources.files import open_text_file
from cutline.sources.line_account import LineAccount, verify_account
from cutline.sources.scratch import parquet_writer

RECORD_SCHEMA = pa.schema(
    [("file", pa.int32()), ("number", pa.int64()), ("place", pa.int64()), ("line", pa.string())]
)
RECORD_DDL = "file int, number bigint, place bigint, line string"
_CHUNK_BYTES = 8 << 20
_MOST_LINES = 10_000


@dataclass(frozen=True)
class TextFormat:
    """How a text file is split into records.

    `encoding` is the file's encoding. With `header`, the first record holds the column names and is
    not written. With `record_pattern`, the pattern of a whole record, a record continues on the
    next line while a quote is open. With `licence`, a comment `/* … */` at the beginning, and the
    blank lines around it, are not records.

    A blank line is not a record. It is a line of white space alone; with `delimited`, only a line
    without any character, because there white space may be a value or a delimiter.
    """

    encoding: str = "utf-8"
    header: bool = False
    record_pattern: re.Pattern[bytes] | None = None
    licence: bool = False
    delimited: bool = False


@dataclass(frozen=True)
class LineAccounts:
    """What became of the lines of some files: one `LineAccount` per file, in the order of the
    files.
    """

    files: tuple[LineAccount, ...]

    @property
    def records(self) -> int:
        """The number of records written."""
        return sum(file.records for file in self.files)

    @property
    def blanks(self) -> int:
        """The number of blank lines outside records and licences."""
        return sum(file.blanks for file in self.files)

    @property
    def licence(self) -> int:
        """The number of lines of licences, with the blank lines around them."""
        return sum(file.licence for file in self.files)


def split_records(
    paths: Sequence[Path], folder: str, key: str, text_format: TextFormat
) -> LineAccounts:
    """Write the records of the files to Parquet files in `folder`: one row per record, by
    RECORD_SCHEMA.

    `file` is the index of the record's file in `paths`, `number` the number of its first line in
    that file, from 1, and `place` the number of that line over all files, from 1. `line` is the
    record as UTF-8; where its bytes are not in the file's encoding, it is deliberately invalid
    UTF-8. ConservationError, naming the file, if a line is neither part of a record nor one that
    may be skipped.
    """
    lines_before = 0
    accounts = []
    with parquet_writer(folder, RECORD_SCHEMA) as write:
        for index, path in enumerate(paths):
            account, last_number, header_expected = LineAccount(), 0, text_format.header
            with open_text_file(path, key) as handle:
                for numbers, lines in _record_batches(handle, text_format):
                    licence_end = (
                        licence_lines(lines) if text_format.licence and not last_number else 0
                    )
                    account.add_licence(lines.slice(0, licence_end))
                    last_number = numbers[-1].as_py()
                    numbers, lines = numbers.slice(licence_end), lines.slice(licence_end)
                    has_content = _has_content(lines, text_format)
                    line_count = len(lines)
                    numbers, lines = numbers.filter(has_content), lines.filter(has_content)
                    account.blanks += line_count - len(lines)
                    header = int(header_expected and len(lines) > 0)
                    header_expected = header_expected and not header
                    account.add_header(lines.slice(0, header))
                    numbers, lines = numbers.slice(header), lines.slice(header)
                    account.add_records(lines)
                    file = pa.array([index] * len(lines), pa.int32())
                    place = pc.add(numbers, lines_before)
                    write(pa.record_batch([file, numbers, place, lines], RECORD_SCHEMA))
            verify_account(
                path, key, account, text_format.encoding, delimited=text_format.delimited
            )
            accounts.append(account)
            lines_before += last_number
    return LineAccounts(tuple(accounts))


def _has_content(lines: pa.Array, text_format: TextFormat) -> pa.Array:
    """Whether each line is not blank; the lines come without their ends."""
    content = lines if text_format.delimited else pc.ascii_trim_whitespace(lines)
    return pc.greater(pc.binary_length(content), 0)


def licence_lines(lines: pa.Array) -> int:
    """The number of lines that a comment at the beginning takes, with the blank lines around it;
    else 0.
    """
    state = "before"
    for index, line in enumerate(lines):
        text = bytes(line.as_buffer()).strip()
        if state == "before" and text.startswith(b"/*"):
            state = "within"
        elif state != "within" and text:
            return index if state == "behind" else 0
        if state == "within" and text.endswith(b"*/"):
            state = "behind"
    return len(lines) if state == "behind" else 0


def first_record(path: Path, key: str, text_format: TextFormat) -> bytes | None:
    """The first record that is not blank, as UTF-8; null for a file without one."""
    with open_text_file(path, key) as handle:
        for _, lines in _record_batches(handle, text_format):
            for line in lines:
                content = bytes(line.as_buffer())
                if content if text_format.delimited else content.strip():
                    return content
    return None


_NumberedLines = tuple[pa.Array, pa.Array]


def _record_batches(handle: BinaryIO, text_format: TextFormat) -> Iterator[_NumberedLines]:
    chunks = _whole_lines(_decode_to_utf8(handle, text_format.encoding))
    if text_format.record_pattern:
        yield from _quoted_records(chunks, text_format.record_pattern)
    else:
        yield from _physical_lines(chunks)


def _physical_lines(chunks: Iterator[bytes]) -> Iterator[_NumberedLines]:
    start = 1
    for chunk in chunks:
        lines = as_arrow_text(
            pc.split_pattern(
                pa.array([chunk.replace(b"\r\n", b"\n").removesuffix(b"\r")], pa.binary()), b"\n"
            ).flatten()
        )
        yield pa.array(range(start, start + len(lines)), pa.int64()), lines
        start += len(lines)


def _quoted_records(
    chunks: Iterator[bytes], record_pattern: re.Pattern[bytes]
) -> Iterator[_NumberedLines]:
    """Records that continue on the next line while a quote is open.

    Where that gives no record of the expected pattern, the first line is a record of its own, and
    reading continues at the second: one broken quote must not swallow the rest of the file.
    """
    numbered = zip(
        count(1), (line for chunk in chunks for line in chunk.split(b"\n")), strict=False
    )
    pending: list[tuple[int, bytes]] = []
    numbers: list[int] = []
    records: list[bytes] = []
    while True:
        record = _next_record(numbered, pending, record_pattern)
        if record is None:
            break
        numbers.append(record[0])
        records.append(record[1])
        if len(records) == 100_000:
            yield pa.array(numbers, pa.int64()), as_arrow_text(pa.array(records, pa.binary()))
            numbers, records = [], []
    if records:
        yield pa.array(numbers, pa.int64()), as_arrow_text(pa.array(records, pa.binary()))


def _next_record(
    numbered: Iterator[tuple[int, bytes]],
    pending: list[tuple[int, bytes]],
    record_pattern: re.Pattern[bytes],
) -> tuple[int, bytes] | None:
    line_count = quotes = 0
    while line_count < _MOST_LINES:
        if line_count == len(pending):
            next_line = next(numbered, None)
            if next_line is None:
                break
            pending.append(next_line)
        quotes += pending[line_count][1].count(b'"')
        line_count += 1
        if quotes % 2 == 0:
            break
    if not line_count:
        return None
    record = _join_lines(pending[:line_count])
    if line_count > 1 and not record_pattern.fullmatch(record):
        line_count, record = 1, _join_lines(pending[:1])
    number = pending[0][0]
    del pending[:line_count]
    return number, record


def _join_lines(lines: list[tuple[int, bytes]]) -> bytes:
    return b"\n".join(line for _, line in lines).removesuffix(b"\r")


def _whole_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut at line ends only; each piece lacks its last line end."""
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


def _decode_to_utf8(handle: BinaryIO, encoding: str) -> Iterator[bytes]:
    """The file as UTF-8 without a byte order mark; bytes that cannot be decoded stay invalid.

    ConfigurationError for a file of UTF-16 that has no byte order mark.
    """
    if encoding == "utf-8":
        first = handle.read(_CHUNK_BYTES).removeprefix(codecs.BOM_UTF8)
        while first:
            yield first
            first = handle.read(_CHUNK_BYTES)
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors=_MARK_UNDECODABLE)
    try:
        while chunk := handle.read(_CHUNK_BYTES):
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeError as error:
        # What is undecodable is marked: this is a beginning that does not say the order of bytes.
        raise ConfigurationError(
            f"{handle.name} cannot be read as {encoding}: {error}",
            next_step="Name the encoding that it has, or write it as UTF-8.",
        ) from None


_MARK_UNDECODABLE = "cutline-broken"


def _lone_surrogate(error: UnicodeError) -> tuple[str, int]:
    """A lone surrogate for bytes that cannot be decoded: as UTF-8 it is never valid."""
    return "\udcff", error.end if isinstance(error, UnicodeDecodeError) else 0


codecs.register_error(_MARK_UNDECODABLE, _lone_surrogate)


def as_arrow_text(lines: pa.Array) -> pa.Array:
    """Bytes as an Arrow text column, without validation: Spark validates each line."""
    return pa.Array.from_buffers(
        pa.string(), len(lines), lines.buffers(), lines.null_count, lines.offset
    )
