"""Lines of files, counted twice: by the reader, and by a scan that knows no format.

The scan only finds line ends and blank lines. A reader that skips a line, for whatever reason, is
found out, unless it reports the line as blank and it really is.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from cutline.errors import ConservationError
from cutline.sources.files import open_file

_WHITE_SPACE = " \t\n\v\f\r"


@dataclass
class LineAccount:
    """What a reader reports of the lines of one file, in numbers of lines.

    `records` and `headers` count the first line of each; `continuation_lines` counts the further
    lines of records and headers. `licence` counts the lines of a licence. `blanks` are blank lines
    outside all of these; `empty_within` are lines without a character inside a value or a licence.
    """

    records: int = 0
    blanks: int = 0
    headers: int = 0
    licence: int = 0
    continuation_lines: int = 0
    empty_within: int = 0

    @property
    def lines(self) -> int:
        """All lines that the reader reports."""
        return self.records + self.blanks + self.headers + self.licence + self.continuation_lines

    def add_records(self, records: pa.Array) -> None:
        """Count records, each of one line or several."""
        self.records += len(records)
        self._add_continuations(records)

    def add_header(self, header: pa.Array) -> None:
        """Count a header, of one line or several."""
        self.headers += len(header)
        self._add_continuations(header)

    def add_licence(self, lines: pa.Array) -> None:
        """Count lines of a licence, and the blank lines around it."""
        self.licence += len(lines)
        self.empty_within += sum(not bytes(line.as_buffer()).strip() for line in lines)

    def _add_continuations(self, records: pa.Array) -> None:
        ends = pc.count_substring(records, "\n")
        self.continuation_lines += pc.sum(ends).as_py() or 0
        for record in records.filter(pc.greater(ends, 0)):
            _, *inner = bytes(record.as_buffer()).split(b"\n")
            self.empty_within += sum(not line.removesuffix(b"\r") for line in inner)


def verify_account(
    path: Path, key: str, account: LineAccount, encoding: str, *, delimited: bool
) -> None:
    """ConservationError, naming the file, unless a scan of the file agrees with the account.

    With `delimited`, white space may be a value, so that only a line without any character is
    blank.
    """
    lines = blanks = 0
    for line in _lines(path, key, encoding):
        lines += 1
        content = line.removesuffix("\n").removesuffix("\r")
        blanks += not (content if delimited else content.strip(_WHITE_SPACE))
    if (lines, blanks) == (account.lines, account.blanks + account.empty_within):
        return
    raise ConservationError(
        f"{key}: {path} has {lines:,} lines, of which {blanks:,} are blank, and reading it gives "
        f"account of {account.lines:,}: {account.records:,} records, "
        f"{account.continuation_lines:,} further lines of these, {account.headers:,} headers, "
        f"{account.blanks:,} blank lines, {account.licence:,} of a licence",
        left_behind="Nothing was written.",
        next_step="If the file changed while it was read, run the same command again; otherwise "
        "this is a defect of Cutline: please report it with the file.",
    )


def _lines(path: Path, key: str, encoding: str) -> Iterator[str]:
    """The file's lines with their ends; only a line feed ends one, alone or after a carriage
    return.
    """
    # Every byte is one character of Latin-1, and of all encodings but UTF-16 a line feed is one.
    is_utf16 = encoding == "utf-16"
    codec = encoding if is_utf16 else "iso-8859-1"
    with open_file(path, key) as handle, io.TextIOWrapper(handle, codec, "replace", "\n") as text:
        first = text.readline()
        if not is_utf16:
            first = first.removeprefix("\xef\xbb\xbf") or first
        if first:
            yield first
        yield from text
