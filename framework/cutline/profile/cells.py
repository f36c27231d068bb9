"""A table turned round: one row per row and column, so that every column is counted alike.

The work of a pass then does not grow into an expression per column and question.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cutline.sources.rows import MISENCODED
from cutline.sql.spark import literal, quoted

VALUE = "value"


def unpivot(frame: DataFrame, columns: Sequence[str], beside: Sequence[str] = ()) -> DataFrame:
    """One row per row and column: `cell` (the column's index), `value` (text) and `broken`.

    `value` is null where nothing is there, and where what is there is no text in the source's
    encoding: then `broken` is true. Columns named in `beside` are carried along.
    """
    schema = {f.name: f.dataType for f in frame.schema.fields}
    structs = ", ".join(
        f"named_struct('cell', {i}, '{VALUE}', {_text(n, schema[n])},"
        f" 'broken', {_broken(n, schema)})"
        for i, n in enumerate(columns)
    )
    carried = [quoted(n) for n in beside]
    return frame.selectExpr(*carried, f"inline(array({structs}))")


def _text(name: str, kind: T.DataType) -> str:
    value = quoted(name)
    match kind:
        case T.StringType():
            return f"CASE WHEN is_valid_utf8({value}) THEN {value} END"
        case T.BinaryType():
            return f"hex({value})"
        case T.ArrayType() | T.StructType() | T.MapType():
            return f"to_json({value}, map('ignoreNullFields', 'false'))"
        case _:
            return f"CAST({value} AS string)"


def _broken(name: str, schema: dict[str, T.DataType]) -> str:
    if MISENCODED in schema:
        return f"array_contains({MISENCODED}, {literal(name)})"
    if isinstance(schema[name], T.StringType):
        return f"coalesce(NOT is_valid_utf8({quoted(name)}), false)"
    return "false"
