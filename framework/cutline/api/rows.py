"""Reading a few rows of a run's tables for people to see."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline import plugins
from cutline.context import Aggregate
from cutline.control import RunRecord
from cutline.errors import ConfigurationError
from cutline.masking import Masking, masking
from cutline.masking.frames import masked
from cutline.project import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.condition import refusal
from cutline.spark.session import session

_LOCAL = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
_ZULU = f"{_LOCAL}'Z'"


def rows_of(
    project: LoadedProject,
    record: RunRecord,
    names: Sequence[str],
    *,
    whole: bool,
    where: str | None,
    limit: int,
) -> tuple[list[str], list[list[Any]]]:
    """Column names and at most `limit` rows of the tables, one below the other.

    Personal values are masked before `where` sees them; legacy images are JSON text. With
    `whole`, when tables of different images are put together, `where` sees the text as well.
    ConfigurationError names what in `where` is no expression over the table's own columns, or
    repeats the first sentence of what Spark has against it.
    """
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    hidden = personal(record.context)
    frames = [masked(lake.read(spark, name), name, hidden) for name in names]
    if whole:
        frames = [shown(frame) for frame in frames]
    frame = reduce(DataFrame.unionByName, frames)
    try:
        with _quiet(spark):
            if where and (why := refusal(spark, where, frame.columns)):
                raise ConfigurationError(
                    f"--where {where!r}: {why}",
                    next_step=f"The columns are: {', '.join(frame.columns)}.",
                )
            chosen = shown((frame.where(where) if where else frame).limit(limit))
            return chosen.columns, [list(row) for row in chosen.collect()]
    except PySparkException as error:
        if not where:
            raise
        raise ConfigurationError(
            f"--where {where!r}: {str(error).strip().splitlines()[0]}",
            next_step=f"The columns are: {', '.join(frame.columns)}.",
        ) from error


def personal(context: str) -> Masking:
    """What every installed translation of a context asks to be masked."""
    known = plugins.translations().loaded.values()
    return masking(t for t in known if t.context.name == context)


def declared(context: str) -> tuple[Aggregate, ...]:
    """The aggregates that the installed translations of a context know; of a name the first."""
    known = plugins.translations().loaded.values()
    found: dict[str, Aggregate] = {}
    for aggregate in (a for t in known if t.context.name == context for a in t.context.aggregates):
        found.setdefault(aggregate.name, aggregate)
    return tuple(found.values())


@contextlib.contextmanager
def _quiet(spark: SparkSession) -> Iterator[None]:
    """Nothing in Spark's log: what it has against `where` is told once."""
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield
    finally:
        spark.sparkContext.setLogLevel("ERROR")


def shown(frame: DataFrame) -> DataFrame:
    """The same rows with structs as JSON text and moments as text in UTC.

    A time without a zone is no moment: it is shown as it stands there, and without a Z.
    """
    return frame.select(*(_shown(field).alias(field.name) for field in frame.schema.fields))


def _shown(field: T.StructField) -> Column:
    column = F.col(f"`{field.name}`")
    if isinstance(field.dataType, T.TimestampType):
        return F.date_format(column, _ZULU)
    if isinstance(field.dataType, T.TimestampNTZType):
        return F.date_format(column, _LOCAL)
    if isinstance(field.dataType, T.StructType | T.MapType | T.ArrayType):
        formats = {"timestampFormat": _ZULU, "timestampNTZFormat": _LOCAL}
        return F.to_json(column, {**formats, "ignoreNullFields": "false"})
    return column
