"""Parquet files. Their values are typed, and are cast only where the contract's type is exact."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError
from cutline.sources.files import spark_path
from cutline.sources.folders import PATH_COLUMN, FolderColumn, folder_values, with_folders
from cutline.sources.layouts import Layout
from cutline.sources.parquet_types import refuse_unreadable


def column_names(files: list[Path], key: str, base: Path | None = None) -> tuple[str, ...]:
    """The names of the columns: those of the files' schema, then the partition columns below
    `base`.

    ConfigurationError as for `layouts`, and for files whose schemas or partition columns differ.
    """
    first, *others = layouts(files, key, base)
    if others:
        path = others[0].files[0]
        raise ConfigurationError(f"{key}: the schema of {path} is not that of {files[0]}")
    return first.columns


def layouts(files: list[Path], key: str, base: Path | None = None) -> list[Layout]:
    """The files grouped by schema and partition columns, in the order of the first file of each
    group.

    ConfigurationError for a file that is not Parquet; for a name that occurs twice, also as a
    partition column, which would hide the file's values; and for types that Spark does not read
    exactly.
    """
    layouts_by_schema: list[tuple[pa.Schema, tuple[FolderColumn, ...], Layout]] = []
    for path in files:
        if path.name.startswith(("_", ".")):
            raise ConfigurationError(
                f"{key}: {path} begins with {path.name[0]!r}, and Spark passes over such files",
                next_step="Rename it, or give a path that leaves it out.",
            )
        file, folders = _open(path, key), _folder_columns(path, base, key)
        schema = file.schema_arrow
        refuse_unreadable(file, path, key)
        for other_schema, other_folders, layout in layouts_by_schema:
            if folders == other_folders and schema.equals(other_schema):
                layout.files.append(path)
                break
        else:
            _refuse_duplicate_columns(schema, folders, path, key)
            names = (*schema.names, *(f.name for f in folders))
            layouts_by_schema.append((schema, folders, Layout([path], names)))
    return [layout for *_, layout in layouts_by_schema]


def read_rows(spark: SparkSession, files: list[Path], base: Path | None = None) -> DataFrame:
    """One row per row of the files, with the files' types; partition columns are text."""
    frame = spark.read.parquet(*map(spark_path, files))
    return with_folders(frame, _folder_columns(files[0], base, ""))


def _folder_columns(path: Path, base: Path | None, key: str) -> tuple[FolderColumn, ...]:
    return () if base is None else tuple(folder_values(path, base, key))


def _refuse_duplicate_columns(
    schema: pa.Schema, folders: tuple[FolderColumn, ...], path: Path, key: str
) -> None:
    _refuse_twins(schema, "", path, key)
    lower_names = {field.name.lower() for field in schema}
    if folders and PATH_COLUMN in lower_names:
        raise ConfigurationError(
            f"{key}: {path} has a column {PATH_COLUMN!r} and lies in folders such as "
            f"{folders[0].name}=…: Spark would hide the folders behind the column",
            next_step="Rename the column, or name the files one by one.",
        )
    for folder in folders:
        if folder.name.lower() in lower_names:
            raise ConfigurationError(
                f"{key}: {path} has a column {folder.name!r}, and lies in a folder of that name, "
                "which would hide its values",
                next_step="Rename the folder or the column, or name the files one by one.",
            )


def _refuse_twins(fields: Iterable[pa.Field], above: str, path: Path, key: str) -> None:
    """ConfigurationError for two fields beside each other, at any depth, whose names differ in case
    at most: Spark takes them for one."""
    lower_names: set[str] = set()
    for field in fields:
        name = f"{above}{field.name}"
        if field.name.lower() in lower_names:
            raise ConfigurationError(f"{key}: {path} has the column {name!r} twice")
        lower_names.add(field.name.lower())
        members = (field.type.field(i) for i in range(field.type.num_fields))
        _refuse_twins(members, f"{name}.", path, key)


def footer_row_count(files: list[Path], key: str) -> int:
    """The number of rows by the files' footers."""
    return sum(_open(path, key).metadata.num_rows for path in files)


def _open(path: Path, key: str) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise ConfigurationError(
            f"{key}: {path} cannot be read as Parquet: {error}",
            next_step="Correct the path, or export the file again.",
        ) from error
