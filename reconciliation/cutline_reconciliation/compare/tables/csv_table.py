"""CSV by RFC 4180, as texts: an empty value in quotes is no null."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.sources import (
    MISENCODED,
    UNREADABLE,
    csv_column_names,
    csv_text_format,
    parse_csv_records,
    split_records,
)
from cutline.sql.spark import quoted
from cutline_reconciliation.compare.tables.column_readings import SourceColumn
from cutline_reconciliation.compare.tables.fetched_table import FetchedTable, TableRows, check_names
from cutline_reconciliation.compare.tables.place import TablePlace
from cutline_reconciliation.compare.tables.records import broken_record, read_records


def fetch(place: TablePlace, scratch: str) -> FetchedTable:
    """The records of the files, split into `scratch`.

    A pair of quotes is an empty text, nothing at all is null. ConfigurationError if a file is
    empty, or if headers differ or name a column twice.
    """
    assert place.text is not None
    names = csv_column_names(list(place.files), place.side, place.text)
    check_names(place, list(names))
    split_records(place.files, scratch, place.side, csv_text_format(place.text, header=True))
    size = sum(file.stat().st_size for file in place.files)
    return FetchedTable(place, size, lambda spark: _rows(spark, place, names, scratch))


def _rows(
    spark: SparkSession, place: TablePlace, names: tuple[str, ...], scratch: str
) -> TableRows:
    assert place.text is not None
    read = parse_csv_records(read_records(spark, scratch), place.text, names, quoted_empty=True)
    encoding = F.lit(f"is not in the encoding {place.text.encoding}")
    reason = F.when(F.col(UNREADABLE).isNotNull(), F.lit("is malformed")).when(
        F.size(MISENCODED) > 0, encoding
    )
    frame = read.select(*map(quoted, names), broken_record(reason))
    return TableRows(frame, {n: SourceColumn(n, "text", None) for n in names}, texts=True)
