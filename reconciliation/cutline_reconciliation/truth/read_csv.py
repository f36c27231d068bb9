"""A reader of CSV by the standard library."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from cutline_reconciliation.truth.lines import MALFORMED, Malformed, Row

_LARGEST = 2**31 - 1
_UNDECODED = range(0xDC80, 0xDD00)


def csv_rows(
    file: str, delimiter: str, encoding: str, multiline: bool
) -> Iterator[Row | Malformed]:
    """The rows below the header line; an empty value is null, for CSV has no nulls.

    Malformed is a line with a broken quote, with more or fewer values than the header, or with
    bytes outside the encoding. UnicodeError for such bytes in the header.
    """
    # The library's limit of 128 KiB a value is meant for untrusted input, and would lose rows.
    csv.field_size_limit(_LARGEST)
    codec, errors = _codec(encoding)
    with Path(file).open(encoding=codec, errors=errors, newline="") as lines:
        values = _values(lines, delimiter, multiline)
        header = next((v for v in values if v != []), None)
        if header is None:
            return
        if isinstance(header, Malformed) or _undecoded(header):
            raise UnicodeError(f"the header line is not readable as {encoding}")
        if len({column.lower() for column in header}) < len(header):
            raise UnicodeError("the header line names a column twice")
        for row in values:
            if isinstance(row, Malformed):
                yield row
            elif row and (len(row) != len(header) or _undecoded(row)):
                yield MALFORMED
            elif row:
                yield {c: v or None for c, v in zip(header, row, strict=True)}


def _codec(encoding: str) -> tuple[str, str]:
    # A byte order mark is no part of the first column's name.
    if encoding == "utf-8":
        return "utf-8-sig", "surrogateescape"
    # Bytes of UTF-16 come in pairs, which cannot be escaped one by one.
    return encoding, "strict" if encoding == "utf-16" else "surrogateescape"


def _values(
    lines: Iterable[str], delimiter: str, multiline: bool
) -> Iterator[list[str] | Malformed]:
    """The values of each record, read line by line: a broken quote costs one line only."""
    if not multiline:
        for line in lines:
            yield from _records(csv.reader([line], delimiter=delimiter, strict=True))
        return
    yield from _records(csv.reader(lines, delimiter=delimiter, strict=True))


def _records(reader: Iterator[list[str]]) -> Iterator[list[str] | Malformed]:
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield MALFORMED


def _undecoded(row: list[str]) -> bool:
    return any(ord(character) in _UNDECODED for v in row if not v.isascii() for character in v)
