"""The second look: how often each value comes, for columns with few of them."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.profile.cells import VALUE, unpivot
from cutline.profile.model import ValueCount

TOP = 20
"""Values of a column that a profile keeps."""
_SHAPES = 3
_SHAPE_CHARACTERS = 24
_LONGEST = 80


@dataclass(frozen=True)
class ColumnValues:
    """The distinct values of a column, counted exactly, and the most frequent of them."""

    distinct: int
    top: tuple[ValueCount, ...]


def column_values(frame: DataFrame, columns: list[str]) -> dict[str, ColumnValues]:
    """The values of these columns, by name; nulls are none. A column without values is left out."""
    return _counted(unpivot(frame, columns), columns, TOP) if columns else {}


def value_shapes(frame: DataFrame, columns: list[str]) -> dict[str, tuple[ValueCount, ...]]:
    """The most frequent shapes of these columns, by name: `A` capitals, `a` letters, `9` digits."""
    if not columns:
        return {}
    shape = f"substr({VALUE}, 1, 200)"
    for pattern, sign in ((r"\\p{Lu}+", "A"), (r"\\p{Ll}+", "a"), (r"\\p{Nd}+", "9")):
        shape = f"regexp_replace({shape}, '{pattern}', '{sign}')"
    shaped = unpivot(frame, columns).selectExpr(
        "cell", f"substr({shape}, 1, {_SHAPE_CHARACTERS}) AS {VALUE}"
    )
    return {name: found.top for name, found in _counted(shaped, columns, _SHAPES).items()}


def _counted(rows: DataFrame, columns: list[str], top: int) -> dict[str, ColumnValues]:
    counts = rows.where(f"{VALUE} IS NOT NULL").groupBy("cell", VALUE).agg(F.count("*").alias("n"))
    by_column = Window.partitionBy("cell")
    # One more of a value's rows decides before its text, so that ties come out the same each time.
    order = by_column.orderBy(F.col("n").desc(), VALUE)
    ranked = counts.select(
        "cell",
        F.expr(f"substr({VALUE}, 1, {_LONGEST})").alias(VALUE),
        "n",
        F.row_number().over(order).alias("rank"),
    )
    totals = {
        r["cell"]: r["m"] for r in counts.groupBy("cell").agg(F.count("*").alias("m")).collect()
    }
    top_values = ranked.where(F.col("rank") <= top).orderBy("cell", "rank").collect()
    return {
        columns[cell]: ColumnValues(
            total, tuple(ValueCount(r[VALUE], r["n"]) for r in top_values if r["cell"] == cell)
        )
        for cell, total in totals.items()
    }
