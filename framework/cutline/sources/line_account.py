"""Lines of files counted twice: by what became of each, and by a look that knows no format.

The second look only tells lines, and which of them hold nothing. So a reader that passes over a
line, for whatever reason, is found out unless it says so and the line is really blank.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from cutline.errors import ConservationError
from cutline.sources.files import opened

_WHITE = " \t\n\v\f\r"


@dataclass
class Account:
    """What a reader says became of the lines of one file.

    `inner` are the lines of a record, or of a header, behind its first; `empty` those lines without
    a character that are not `blanks`, because they stand within a value or a licence.
    """

    records: int = 0
    blanks: int = 0
    headers: int = 0
    licence: int = 0
    inner: int = 0
    empty: int = 0

    @property
    def lines(self) -> int:
        """All lines that the reader gives account of."""
        return self.records + self.blanks + self.headers + self.licence + self.inner

    def take_records(self, records: pa.Array) -> None:
        """Each of these is a record, perhaps of several lines."""
        self.records += len(records)
        self._take_inner(records)

    def take_header(self, header: pa.Array) -> None:
        """This is the header, perhaps of several lines."""
        self.headers += len(header)
        self._take_inner(header)

    def take_licence(self, lines: pa.Array) -> None:
        """Each of these is a line of a licence, or a blank one around it."""
        self.licence += len(lines)
        self.empty += sum(not bytes(line.as_buffer()).strip() for line in lines)

    def _take_inner(self, records: pa.Array) -> None:
        ends = pc.count_substring(records, "\n")
        self.inner += pc.sum(ends).as_py() or 0
        for record in records.filter(pc.greater(ends, 0)):
            _, *inner = bytes(record.as_buffer()).split(b"\n")
            self.empty += sum(not line.removesuffix(b"\r") for line in inner)


def refuse_uncounted(
    path: Path, key: str, account: Account, encoding: str, *, delimited: bool
) -> None:
    """ConservationError, naming the file, unless its lines are those of the account.

    `delimited`: white space may be a value, so that only a line without any character is blank.
    """
    lines = blanks = 0
    for line in _lines(path, key, encoding):
        lines += 1
        content = line.removesuffix("\n").removesuffix("\r")
        blanks += not (content if delimited else content.strip(_WHITE))
    if (lines, blanks) == (account.lines, account.blanks + account.empty):
        return
    raise ConservationError(
        f"{key}: {path} has {lines:,} lines, of which {blanks:,} are blank, and reading it gives "
        f"account of {account.lines:,}: {account.records:,} records, {account.inner:,} further "
        f"lines of these, {account.headers:,} headers, {account.blanks:,} blank lines, "
        f"{account.licence:,} of a licence",
        left_behind="Nothing was written.",
        next_step="If the file changed while it was read, run the same command again; otherwise "
        "this is a defect of Cutline: please report it with the file.",
    )


def _lines(path: Path, key: str, encoding: str) -> Iterator[str]:
    """The file's lines with their ends; only a line feed, alone or behind a return, ends one."""
    # Every byte is one character of Latin-1, and of all encodings but UTF-16 a line feed is one.
    wide = encoding == "utf-16"
    codec = encoding if wide else "iso-8859-1"
    with opened(path, key) as handle, io.TextIOWrapper(handle, codec, "replace", "\n") as text:
        first = text.readline()
        yield from filter(None, [first if wide else first.removeprefix("\xef\xbb\xbf") or first])
        yield from text
