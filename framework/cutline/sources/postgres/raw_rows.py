"""Tables that were read of a database, as rows for Spark."""

from __future__ import annotations

from collections import defaultdict
from functools import partial, reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from cutline.sources.inputs import TableInput
from cutline.sources.layouts import union_layouts
from cutline.sources.postgres.catalog import CatalogTable
from cutline.sources.postgres.chunk_store import StoredChunk
from cutline.sources.postgres.column_sql import spark_type
from cutline.sources.postgres.table_read import TableRead
from cutline.sources.rows import RawRows, TableChunk
from cutline.sources.shapes import COLUMN_NAMES, column_names_sql
from cutline.sources.used_tables import UsedTable
from cutline.sql.spark import quoted

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_SAME_KEYS = {
    "int2": (*_INTEGERS, "string"),
    "int4": (*_INTEGERS, "string"),
    "int8": (*_INTEGERS, "string"),
    "text": ("string",),
    "varchar": ("string",),
    "bpchar": ("string",),
    "uuid": ("string",),
    "date": ("date", "string"),
}
"""By type of the database, the types of contracts in which two different keys stay different."""


def raw_rows(spark: SparkSession, table_read: TableRead, place: str) -> RawRows:
    """The slice's rows of a table; its files must stay until they were written.

    Columns have the type that the contract asks for, or are texts. Of a table with older shapes,
    the columns of every shape and COLUMN_NAMES. Repeated keys are not searched where the database
    keeps them unique, also in the contract's types.
    """
    table = table_read.table
    chunks = [table_read.chunks[place] for place in sorted(table_read.chunks)]
    frame = _frame(spark, table_read, chunks)
    present = tuple(c.name for c in table_read.catalog.columns)
    if table.has_older:
        frame = union_layouts([frame], table.read_columns, table.config_key)
        frame = frame.selectExpr("*", f"{column_names_sql(present)} AS {COLUMN_NAMES}")
    # A lift may bring two keys together, whatever the database keeps apart.
    is_unique = not table.has_older and _keeps_unique(table_read.catalog, table)
    rows = sum(chunk.rows for chunk in chunks)
    others = partial(int, table_read.rows_of_others) if table_read.predicate else None
    table_input = TableInput(place, table_read.total_rows, partial(int, rows), others)
    parts = tuple(
        TableChunk(_shown(table_read, place), chunk.rows, chunk.visible)
        for place, chunk in sorted(table_read.chunks.items())
    )
    key_rows = None if is_unique else frame
    return RawRows(frame, partial(int, rows), key_rows, (table_input,), parts)


def _shown(table_read: TableRead, place: int) -> str:
    """The condition of a chunk; without its bounds where a column of the key is personal."""
    plan = table_read.plan
    personal = set(table_read.table.contract.personal()).intersection(plan.columns)
    if personal:
        return f"range {place + 1} of {len(plan.chunks)} of ({', '.join(plan.columns)})"
    chunk = plan.chunks[place]
    relation = f" in {chunk.relation.removeprefix('ONLY ')}" if plan.by == "place" else ""
    return f"{chunk.condition}{relation}"


def _frame(spark: SparkSession, table_read: TableRead, chunks: list[StoredChunk]) -> DataFrame:
    """The rows of all chunks. A column that is text in one of them is text in all."""
    by_texts: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for chunk in chunks:
        by_texts[chunk.texts].append(chunk.folder)
    texts = {name for names in by_texts for name in names}
    frames = []
    for own_texts, folders in by_texts.items():
        schema = T.StructType()
        columns = []
        for request in table_read.requests:
            name = request.column.name
            kind = spark_type(request.column, native=request.native(set(own_texts)))
            schema.add(name, kind)
            becomes_text = name in texts and name not in own_texts
            column = quoted(name)
            columns.append(f"CAST({column} AS string) AS {column}" if becomes_text else column)
        frames.append(spark.read.schema(schema).parquet(*folders).selectExpr(*columns))
    return reduce(DataFrame.unionByName, frames)


def _keeps_unique(catalog: CatalogTable, table: UsedTable) -> bool:
    if not catalog.key_is_unique or set(catalog.key) != set(table.contract.key()):
        return False
    return all(
        table.columns[name] in _SAME_KEYS.get(catalog.column(name).type_name, ())
        for name in catalog.key
    )
