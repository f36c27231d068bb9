"""Tables that were read of a MariaDB or MySQL database, as rows for Spark."""

from __future__ import annotations

from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql import types as T

from cutline.sources.inputs import TableInput
from cutline.sources.layouts import union_layouts
from cutline.sources.mysql.column_sql import SAME_KEYS, mysql_spark_type
from cutline.sources.mysql.table_reads import MysqlTableRead
from cutline.sources.rows import RawRows, TableChunk
from cutline.sources.shapes import COLUMN_NAMES, column_names_sql


def mysql_raw_rows(
    spark: SparkSession, table_read: MysqlTableRead, place: str, visible: str
) -> RawRows:
    """The slice's rows of a table; its files must stay until they were written.

    Columns are texts, or bytes. Of a table with older shapes, the columns of every shape and
    COLUMN_NAMES. Repeated keys are not searched where the database keeps them unique, also in the
    contract's types.
    """
    table, catalog = table_read.table, table_read.catalog
    schema = T.StructType()
    for column in table_read.columns:
        schema.add(column.name, mysql_spark_type(column))
    folders = [table_read.folder_of(i) for i in range(len(table_read.conditions))]
    frame = spark.read.schema(schema).parquet(*folders)
    if table.has_older:
        frame = union_layouts([frame], table.read_columns, table.config_key)
        present = tuple(c.name for c in catalog.columns)
        frame = frame.selectExpr("*", f"{column_names_sql(present)} AS {COLUMN_NAMES}")
    rows = sum(table_read.rows.values())
    others = partial(int, table_read.rows_of_others) if table_read.predicate else None
    table_input = TableInput(place, table_read.total_rows, partial(int, rows), others)
    chunks = tuple(
        TableChunk(_shown(table_read, i), table_read.rows[i], visible)
        for i in range(len(table_read.conditions))
    )
    # A lift may bring two keys together, whatever the database keeps apart.
    key_rows = None if not table.has_older and _keeps_unique(table_read) else frame
    return RawRows(frame, partial(int, rows), key_rows, (table_input,), chunks)


def _shown(table_read: MysqlTableRead, place: int) -> str:
    """The condition of a range; without its bounds where a column of the key is personal."""
    key = table_read.catalog.key
    if set(table_read.table.contract.personal()).intersection(key):
        return f"range {place + 1} of {len(table_read.conditions)} of ({', '.join(key)})"
    return table_read.conditions[place]


def _keeps_unique(table_read: MysqlTableRead) -> bool:
    table, catalog = table_read.table, table_read.catalog
    if not catalog.key or set(catalog.key) != set(table.contract.key()):
        return False
    return all(
        table.columns[name] in SAME_KEYS.get(catalog.column(name).type_name, ())
        for name in catalog.key
    )
