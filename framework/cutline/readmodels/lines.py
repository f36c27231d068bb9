r"""Rows as lines: the one exact text of a row, the same for Spark and for each database.

It is the text format of PostgreSQL's COPY: values with tabs between them, `\N` for null, and a
backslash before what would be mistaken. The last two values are those of the columns for live
events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cutline.identity.columns import json_value
from cutline.readmodels.columns import SUBJECT
from cutline.readmodels.model import ReadModelColumn
from cutline.sql.spark import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NULL = b"\\N"
NO_VALUE = b"\x00"
"""What stands in a line for a date or time that not every database has. No text may hold it."""

_ESCAPES = {
    b"\\": b"\\\\",
    b"\b": b"\\b",
    b"\t": b"\\t",
    b"\n": b"\\n",
    b"\v": b"\\v",
    b"\f": b"\\f",
    b"\r": b"\\r",
}
_UNESCAPES = {escape[1:]: plain for plain, escape in _ESCAPES.items()}
_SPECIAL = re.compile(rb"[\x08-\x0d\\]")
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_BUILT = "\\N\t0"
"""The columns for live events as they are built: no event, not ended."""
_PARTITION_ROWS = 20_000
"""How many rows are on their way from Spark at once."""


def escaped(value: bytes | None) -> bytes:
    """A value as it stands in a line."""
    if value is None:
        return NULL
    if _SPECIAL.search(value) is None:
        return value
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], value)


def unescaped(text: bytes) -> bytes | None:
    """The value that stands in a line so; None for null."""
    if b"\\" not in text:
        return text
    if text == NULL:
        return None
    return _ESCAPED.sub(lambda match: _UNESCAPES[match[1]], text)


def line_of(values: Sequence[bytes | None]) -> bytes:
    """The line of a row."""
    return b"\t".join(map(escaped, values))


def values_of(line: bytes) -> list[bytes | None]:
    """The values of a row's line."""
    return [unescaped(text) for text in line.split(b"\t")]


def subject_of(line: bytes) -> bytes:
    """The subject of a row: the first value of its line."""
    return unescaped(line[: line.index(b"\t")]) or b""


def split_line(line: bytes) -> tuple[bytes, bytes | None, bytes | None]:
    """The line of a row up to its columns for live events, and the values of these: the event that
    wrote it, and whether it ended its subject."""
    values, event_id, ended = line.rsplit(b"\t", 2)
    return values, unescaped(event_id), unescaped(ended)


def as_built(values: bytes) -> bytes:
    """The line of a row with these values that no live event wrote."""
    return values + b"\t" + _BUILT.encode()


def values_text(columns: Sequence[ReadModelColumn]) -> Column:
    """The line of a row of states up to its columns for live events; never null."""
    from pyspark.sql import functions as F

    return F.concat_ws("\t", *(_text(F.col(quoted(c.name)), c.type) for c in columns))


def fed_line(values: bytes, event_id: str | None) -> bytes:
    """The line of a row that a live event wrote, or nobody's if it is None, with these values."""
    return values + b"\t" + escaped(None if event_id is None else event_id.encode()) + b"\t0"


def lines_of(frame: DataFrame, columns: Sequence[ReadModelColumn], rows: int) -> Iterator[bytes]:
    """The lines of all rows, in the order of their subjects' bytes; of about `rows` rows.

    They come part by part, so that only a few thousand are in the memory of this process.
    """
    from pyspark.sql import functions as F

    line = F.concat_ws("\t", values_text(columns), F.lit(_BUILT))
    parts = max(1, -(-rows // _PARTITION_ROWS))
    # Texts are made behind the exchange, for which Spark looks at the rows once more.
    sorted_lines = (
        frame.repartitionByRange(parts, SUBJECT)
        .sortWithinPartitions(SUBJECT)
        .select(line.alias("line"))
    )
    for row in sorted_lines.toLocalIterator(prefetchPartitions=True):
        yield str(row[0]).encode()


def _text(column: Column, type: str) -> Column:
    """The text of a value as it stands in a line; never null."""
    from pyspark.sql import functions as F

    text = _plain_text(column, type)
    if type == "string" or type.startswith(("array", "struct")):
        long = text
        for plain, escape in _ESCAPES.items():
            long = F.replace(long, F.lit(plain.decode()), F.lit(escape.decode()))
        text = F.when(text.rlike(r"[\x08-\x0d\\]"), long).otherwise(text)
    return F.coalesce(text, F.lit(NULL.decode()))


def _plain_text(column: Column, type: str) -> Column:
    from pyspark.sql import functions as F

    if type.startswith(("array", "struct")):
        return F.when(column.isNotNull(), json_value(column, type))
    if type == "boolean":
        return F.when(column, "1").when(~column, "0")
    if type not in _MOMENTS:
        return column.cast("string")
    text = F.date_format(column, _MOMENTS[type])
    ordinary = F.year(column).between(1, 9999)
    return F.when(column.isNull() | ordinary, text).otherwise(NO_VALUE.decode())


_MOMENTS = {
    "date": "yyyy-MM-dd",
    "timestamp": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'",
    "timestamp_ntz": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
