"""Reading a table that lies in deltas over a base: each row once, as the newest has it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import TYPE_CHECKING

from cutline.errors import RunFailed
from cutline.lake.base import Replaced, base_of
from cutline.lake.manifest import base_path, details_of
from cutline.spark.few_rows import FEW, broadcast_if_few

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def read_whole(spark: SparkSession, path: str, ddl: str | None) -> DataFrame:
    """All rows of the table in a folder; by its contract's DDL, or as its files have them.

    RunFailed if a base is not there.
    """
    # Deltas that replace nothing are files beside each other.
    paths, base = [path], base_of(path)
    while base is not None and not base.replaced:
        paths.append(base_path(paths[-1], base.run_id))
        base = base_of(paths[-1])
    rows = read_files(spark, paths, ddl)
    if base is None:
        return rows
    below = base_path(paths[-1], base.run_id)
    standing = without_replaced(read_whole(spark, below, ddl), paths[-1], base.replaced)
    return standing.unionByName(rows, allowMissingColumns=ddl is None)


def read_files(spark: SparkSession, paths: list[str], ddl: str | None) -> DataFrame:
    """The rows in the files of some folders, whatever they lie over."""
    from pyspark.errors import AnalysisException

    try:
        return (spark.read if ddl is None else spark.read.schema(ddl)).parquet(*paths)
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        raise RunFailed(
            f"{paths[0]} goes on from {', '.join(paths[1:])}, and that is not all there",
            left_behind="Nothing was changed.",
            next_step="Restore the folder from a backup; or remove the run that goes on from it, "
            "and run again: `cutline run` reads everything.",
        ) from error


def without_replaced(rows: DataFrame, path: str, replaced: tuple[Replaced, ...]) -> DataFrame:
    """The rows of a base that the delta in a folder does not have anew."""
    return reduce(
        lambda frame, of: frame.join(*_keys(frame, path, of), "left_anti"), replaced, rows
    )


def replaced_rows(rows: DataFrame, path: str, replaced: tuple[Replaced, ...]) -> DataFrame:
    """The rows of a base that the delta in a folder has anew; no row agrees with two of `replaced`,
    of which there is at least one.
    """
    frames = (rows.join(*_keys(rows, path, of), "left_semi") for of in replaced)
    return reduce(lambda rows, more: rows.unionByName(more), frames)


def _keys(rows: DataFrame, path: str, replaced: Replaced) -> tuple[DataFrame, Column]:
    """The keys whose rows are replaced, and the condition that joins them."""
    from pyspark.sql import functions as F

    place = f"{path.rpartition('/')[0]}/{replaced.keys}"
    names = {key: f"_replaced_{i}" for i, key in enumerate(replaced.columns.values())}
    keys = (
        rows.sparkSession.read.parquet(place)
        .where(replaced.of_keys)
        .select(*(F.col(key).alias(name) for key, name in names.items()))
    )
    number = details_of(place).get("rows", FEW + 1)
    assert isinstance(number, int)
    agree = [rows[column].eqNullSafe(F.col(names[key])) for column, key in replaced.columns.items()]
    condition = reduce(lambda all_equal, equal: all_equal & equal, agree, F.expr(replaced.of_base))
    return broadcast_if_few(keys, number), condition


def paths_below(path: str) -> Iterator[str]:
    """The folders of all tables that the table in a folder lies over, the nearest first."""
    base = base_of(path)
    while base is not None:
        path = base_path(path, base.run_id)
        yield path
        base = base_of(path)
