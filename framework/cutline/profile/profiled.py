"""From a table of a source to its profile: three short passes over rows that are read once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError, did_you_mean
from cutline.profile.figures import Figures, figures
from cutline.profile.hints import hints
from cutline.profile.inferred import infer_type, least_and_greatest
from cutline.profile.keys import Keys, could_be_key, keys
from cutline.profile.model import ColumnProfile, TableProfile
from cutline.profile.statuses import may_classify, statuses
from cutline.profile.values import ColumnValues, column_values, value_shapes
from cutline.project.loaded import LoadedProject
from cutline.sources.log_images import IS_NEW_ROW
from cutline.sources.rows import UNREADABLE
from cutline.sources.whole_table import WholeTable, whole_table

_FEW = 10_000
"""Distinct values up to which they are counted one by one."""


def profile(
    spark: SparkSession,
    project: LoadedProject,
    source: str,
    table: str,
    *,
    region: str | None = None,
    hidden: Collection[str] = (),
    personal: Collection[str] = (),
) -> TableProfile:
    """The profile of all rows of a table, or of a region's.

    The values of the `hidden` columns, and of the `personal` ones that the table has, are counted,
    and are nowhere in the result. Of a source that is a change file alone, rows are the images that
    it tells, and keys are looked for among rows that were read or inserted. Raises
    ConfigurationError for a table that is not there, cannot be read, or holds no row.
    """
    with whole_table(spark, project, source, table, region) as whole:
        _refuse_unknown(whole, hidden)
        hidden = {*hidden, *(set(personal) & set(whole.columns))}
        rows = whole.frame.persist()
        try:
            return _profile(whole, rows, region, hidden)
        finally:
            rows.unpersist()


def _profile(
    whole: WholeTable, read: DataFrame, region: str | None, hidden: Collection[str]
) -> TableProfile:
    total, unreadable = _counts(read)
    rows = total - unreadable
    if not rows:
        raise ConfigurationError(
            _no_rows_error(whole, region, total),
            next_step="Profile an extract that has rows, or another region.",
        )
    frame = read.where(f"{UNREADABLE} IS NULL") if UNREADABLE in read.columns else read
    columns = _columns(frame, whole.columns, rows, hidden)
    texts = [c.name for c in columns if c.type == "string" and not (c.hidden or c.whole)]
    formed = value_shapes(frame, texts)
    columns = [replace(c, shapes=formed.get(c.name, ())) for c in columns]
    identifying = _key_candidates(frame, columns, rows)
    classifying = [c for c in columns if may_classify(c, rows)]
    return TableProfile(
        whole.source,
        whole.name,
        whole.kind,
        whole.place,
        region,
        total,
        unreadable,
        tuple(columns),
        identifying.strictly,
        statuses(frame, classifying, [c for c in columns if c.is_time]),
        identifying.nearly,
    )


def _columns(
    frame: DataFrame, names: tuple[str, ...], rows: int, hidden: Collection[str]
) -> list[ColumnProfile]:
    column_figures = figures(frame, names)
    counted = column_values(frame, [n for n, f in column_figures.items() if _is_counted(f, rows)])
    types = {f.name: f.dataType.simpleString() for f in frame.schema.fields}
    return [
        _column_profile(n, types[n], f, counted.get(n), n in hidden)
        for n, f in column_figures.items()
    ]


def _key_candidates(frame: DataFrame, columns: list[ColumnProfile], rows: int) -> Keys:
    """What could identify a row. A log has several images of one: there those that came count."""
    if IS_NEW_ROW not in frame.columns:
        return keys(frame, columns, rows)
    arrivals = frame.where(IS_NEW_ROW)
    arrived = arrivals.count()
    if not arrived:
        return Keys()
    names = tuple(column.name for column in columns)
    return keys(arrivals, _columns(arrivals, names, arrived, ()), arrived)


def _counts(read: DataFrame) -> tuple[int, int]:
    broken = F.col(UNREADABLE).isNotNull() if UNREADABLE in read.columns else F.lit(False)
    (row,) = read.agg(F.count("*"), F.count_if(broken)).collect()
    return int(row[0]), int(row[1])


def _is_counted(column_figures: Figures, rows: int) -> bool:
    return column_figures.distinct <= _FEW or could_be_key(
        column_figures.nulls + column_figures.unreadable, column_figures.distinct, rows
    )


def _column_profile(
    name: str, read_as: str, column_figures: Figures, counted: ColumnValues | None, hide: bool
) -> ColumnProfile:
    kind = infer_type(column_figures) if read_as == "string" else read_as
    low, high = least_and_greatest(column_figures, kind)
    exact = counted is not None or not column_figures.values
    # Where no value comes twice, none is more frequent than another.
    repeats = counted is not None and counted.distinct < column_figures.values and not hide
    return ColumnProfile(
        name=name,
        type=kind,
        read_as=read_as,
        nulls=column_figures.nulls,
        empty=column_figures.empty,
        unreadable=column_figures.unreadable,
        distinct=counted.distinct
        if counted
        else column_figures.distinct
        if column_figures.values
        else 0,
        distinct_exact=exact,
        shortest=column_figures.shortest,
        longest=column_figures.longest,
        low=None if hide else low,
        high=None if hide else high,
        top=counted.top if counted and repeats else (),
        whole=repeats and counted is not None and counted.distinct == len(counted.top),
        hints=() if hide else tuple(hints(column_figures, kind)),
        hidden=hide,
    )


def _refuse_unknown(whole: WholeTable, hidden: Collection[str]) -> None:
    for name in hidden:
        if name not in whole.columns:
            raise ConfigurationError(
                f"{whole.source}.{whole.name} has no column {name!r} to hide."
                + did_you_mean(name, whole.columns),
                next_step=f"It has: {', '.join(whole.columns)}.",
            )


def _no_rows_error(whole: WholeTable, region: str | None, total: int) -> str:
    where = f" for region {region}" if region else ""
    message = f"{total:,} rows, none of which can be read" if total else "no row"
    return f"{whole.source}.{whole.name} ({whole.place}) holds {message}{where}"
