"""Files of one table with different columns, and the union of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sql.spark import quoted


@dataclass(frozen=True)
class Layout:
    """The files of a table that have the same columns, and the same types if files have types."""

    files: list[Path]
    columns: tuple[str, ...]


def every_column(layouts: Sequence[Layout], key: str) -> tuple[str, ...]:
    """The columns of all layouts, each once, in the order in which they first occur.

    ConfigurationError for a column that two files spell differently in upper and lower case.
    """
    if len(layouts) == 1:
        return layouts[0].columns
    spellings: dict[str, str] = {}
    for layout in layouts:
        for name in layout.columns:
            if spellings.setdefault(name.lower(), name) != name:
                raise ConfigurationError(
                    f"{key}: {layout.files[0]} spells column {name!r}, another file "
                    f"{spellings[name.lower()]!r}",
                    next_step="Rename one of them where the files are made.",
                )
    return tuple(spellings.values())


def union_layouts(frames: Sequence[DataFrame], columns: Sequence[str], key: str) -> DataFrame:
    """All rows of the frames with all columns, null where a frame lacks one.

    A column whose type differs between the frames becomes text, without loss: a number without a
    fraction is written without one. ConfigurationError for a type that has no exact text.
    """
    types = {name: _common_type(frames, name, key) for name in columns}
    aligned = [_with_all_columns(frame, types) for frame in frames]
    first, *more = aligned
    for frame in more:
        first = first.unionByName(frame)
    return first


def _common_type(frames: Sequence[DataFrame], name: str, key: str) -> T.DataType:
    kinds = list({f.schema[name].dataType: None for f in frames if name in f.columns})
    if len(kinds) == 1:
        return kinds[0]
    for kind in kinds:
        if not isinstance(kind, T.AtomicType) or isinstance(kind, T.BinaryType):
            type_names = " and ".join(k.simpleString() for k in kinds)
            raise ConfigurationError(
                f"{key}: column {name!r} is {type_names} in different files, which cannot be "
                "compared",
                next_step="Give the files of each shape a table of its own.",
            )
    return T.StringType()


def _with_all_columns(frame: DataFrame, kinds: dict[str, T.DataType]) -> DataFrame:
    types = {field.name: field.dataType for field in frame.schema.fields}
    columns = (_as_type(name, types.get(name), kind).alias(name) for name, kind in kinds.items())
    return frame.select(*columns, *(quoted(c) for c in types if c not in kinds))


def _as_type(name: str, own_type: T.DataType | None, kind: T.DataType) -> Column:
    """A column of one frame in the type that all frames share."""
    if own_type is None:
        return F.lit(None).cast(kind)
    value = quoted(name)
    if own_type == kind:
        return F.expr(value)
    text = f"CAST({value} AS string)"
    if isinstance(own_type, T.DecimalType | T.DoubleType | T.FloatType):
        whole = f"try_cast({value} AS decimal(38,0))"
        # Back in its own type, as a common type of both could be too narrow for the fraction.
        back = f"try_cast({whole} AS {own_type.simpleString()})"
        text = f"CASE WHEN {back} = {value} THEN CAST({whole} AS string) ELSE {text} END"
    return F.expr(text)
