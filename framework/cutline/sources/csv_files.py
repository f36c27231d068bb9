"""CSV files with a header, by RFC 4180 and strictly: a line that breaks the rules has a defect.

An empty value is null, quoted or not, unless `parse_records` is asked to keep the difference. A
line without any character is no row; a line of delimiters alone is a row of nulls, and a line of
white space is a row with that as its first value. A line is malformed if it has a quote inside a
value that is not quoted, characters after a closing quote, or a carriage return; it is not
repaired.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.project.source import CsvSource
from cutline.sources.layouts import Layout
from cutline.sources.rows import LINE, MALFORMED, MISENCODED, RESERVED, UNREADABLE
from cutline.sources.text_records import (
    RECORD_DDL,
    LineAccounts,
    TextFormat,
    first_record,
    split_records,
)
from cutline.sql.spark import quoted

_REPLACEMENT = "\ufffd"
_NEVER_NULL = "\ufdd1"
"""The null text of a parser that must read no value as null: a noncharacter, absent from all texts.
"""


def column_names(files: list[Path], key: str, section: CsvSource) -> tuple[str, ...]:
    """The names of the columns, from the header, which is the same in every file.

    ConfigurationError as for `layouts`, and for a file whose header differs from the first.
    """
    first, *others = layouts(files, key, section)
    if others:
        names, path = others[0].columns, others[0].files[0]
        raise ConfigurationError(
            f"{key}: the header of {path} is not that of {files[0]}: "
            f"{', '.join(names)} instead of {', '.join(first.columns)}"
        )
    return first.columns


def layouts(files: list[Path], key: str, section: CsvSource) -> list[Layout]:
    """The files grouped by their column names, in the order of the first file of each group.

    ConfigurationError for a file without a header, for a name that occurs twice, whatever its case,
    and for one that Cutline uses itself.
    """
    if not section.delimiter.isascii() or section.delimiter in '"\r\n':
        raise ConfigurationError(
            f"{key}: the source's delimiter {section.delimiter!r} cannot be told from a value",
            next_step="Use an ASCII character such as , ; | or a tab.",
        )
    paths_by_names: dict[tuple[str, ...], list[Path]] = {}
    for path in files:
        paths_by_names.setdefault(_header_names(path, key, section), []).append(path)
    return [Layout(paths, names) for names, paths in paths_by_names.items()]


def read_rows(
    spark: SparkSession,
    files: list[Path],
    key: str,
    section: CsvSource,
    names: tuple[str, ...],
    scratch: str,
) -> tuple[DataFrame, LineAccounts]:
    """One row per record that is not blank, and an account of every line.

    Each column is text; LINE, UNREADABLE and MISENCODED follow.
    """
    accounts = split_records(files, scratch, key, text_format(section, header=True))
    lines = spark.read.schema(RECORD_DDL).parquet(scratch).select(F.col("line").alias(LINE))
    return parse_records(lines, section, names), accounts


def parse_records(
    lines: DataFrame, section: CsvSource, names: tuple[str, ...], *, quoted_empty: bool = False
) -> DataFrame:
    """The values of the records in LINE, then the frame's own columns, UNREADABLE and MISENCODED.

    With `quoted_empty`, a value of two quotes is an empty text, and only a value without quotes is
    null.
    """
    ddl = ", ".join(f"{quoted(n)} string" for n in (*names, UNREADABLE))
    values = F.from_csv(
        F.col(LINE),
        F.lit(ddl),
        {
            "sep": section.delimiter,
            "quote": '"',
            "escape": '"',
            # By default it is NUL, which Spark's parser would leave out of values in quotes.
            "charToEscapeQuoteEscaping": '"',
            "multiLine": "true",
            "columnNameOfCorruptRecord": UNREADABLE,
            "nullValue": _NEVER_NULL if quoted_empty else "",
        },
    )
    record_pattern = rf"\A(?:{_record_pattern(section.delimiter)})\z"
    plain = ~F.contains(F.col(LINE), F.lit('"')) & ~F.contains(F.col(LINE), F.lit("\r"))
    well_formed = plain | F.col(LINE).rlike(record_pattern)
    parsed = lines.select(
        "*",
        values.alias("_csv"),
        well_formed.alias("_shape"),
        (~F.is_valid_utf8(LINE)).alias("_broken"),
    )
    fields = {n: F.col("_csv").getField(n) for n in names}
    misencoded = {
        n: F.col("_broken") & F.contains(v, F.lit(_REPLACEMENT)) for n, v in fields.items()
    }
    malformed = ~F.col("_shape") | F.col("_csv").getField(UNREADABLE).isNotNull()
    return parsed.select(
        *(F.when(~(misencoded[n] | malformed), fields[n]).alias(n) for n in names),
        *lines.columns,
        F.when(malformed, F.lit(MALFORMED)).alias(UNREADABLE),
        F.when(F.col("_broken"), _names_where(misencoded)).otherwise(_no_names()).alias(MISENCODED),
    )


def _names_where(misencoded: dict[str, Column]) -> Column:
    return F.array_compact(F.array(*(F.when(d, F.lit(n)) for n, d in misencoded.items())))


def _no_names() -> Column:
    return F.array().cast("array<string>")


def _header_names(path: Path, key: str, section: CsvSource) -> tuple[str, ...]:
    record = first_record(path, key, text_format(section, header=False))
    if record is None:
        raise ConfigurationError(
            f"{key}: {path} is empty: not even a header line is there",
            next_step="Export it again; an extract without rows has its header.",
        )
    try:
        first_row, *more_rows = csv.reader(
            io.StringIO(record.decode(), newline=""), delimiter=section.delimiter, strict=True
        )
    except (csv.Error, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{key}: the header of {path} cannot be read: {error}",
            next_step="Check the source's delimiter and encoding.",
        ) from error
    if more_rows:
        raise ConfigurationError(
            f"{key}: {path} has carriage returns where lines end, and no line feeds",
            next_step="Write its lines with a line feed at their ends, as `tr '\\r' '\\n'` does.",
        )
    names = tuple(n or f"_unnamed_{i}" for i, n in enumerate(first_row, 1))
    lower_names: set[str] = set()
    for name in names:
        if name.lower().startswith(RESERVED):
            raise ConfigurationError(
                f"{key}: the header of {path} has the column {name!r}, and names that begin with "
                f"{RESERVED} are Cutline's own",
                next_step="Rename it where the file is made.",
            )
        if name.lower() in lower_names:
            raise ConfigurationError(
                f"{key}: the header of {path} has the column {name!r} twice",
                next_step="Rename one of them where the file is made.",
            )
        lower_names.add(name.lower())
    return names


def text_format(section: CsvSource, *, header: bool) -> TextFormat:
    """How the source's files are split into records, with a header record or without."""
    shape = re.compile(_record_pattern(section.delimiter).encode()) if section.multiline else None
    return TextFormat(section.encoding, header, shape, delimited=True)


def _record_pattern(delimiter: str) -> str:
    """The pattern of a whole record, valid in Java's and Python's regular expressions."""
    sep = re.escape(delimiter)
    value = rf'(?:"[^"]*+(?:""[^"]*+)*+"|[^"{sep}\r\n]*+)'
    return rf"{value}(?:{sep}{value})*+"
