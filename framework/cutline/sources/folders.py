"""Partition folders, as Hive and Spark write them: `day=2026-11-01/part-0.parquet`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from pyspark.sql import DataFrame

from cutline.errors import ConfigurationError
from cutline.sql.spark import quoted

NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
"""The value in the name of a folder whose rows have null in the column."""

PATH_COLUMN = "_metadata"
"""The column by which Spark says in which file a row lies."""


@dataclass(frozen=True)
class FolderColumn:
    """A partition column: its values are in the names of folders."""

    name: str
    levels_up: int
    """How many folders above the file: 1 is the folder that holds the file."""


def folder_values(path: Path, base: Path, key: str) -> dict[FolderColumn, str | None]:
    """The partition columns of a file below `base`, with the file's values; empty for a file
    elsewhere.

    Names and values are percent-encoded UTF-8. ConfigurationError for text that is not, and for a
    column that occurs twice in the path.
    """
    folders = path.relative_to(base).parent.parts if path.is_relative_to(base) else ()
    values: dict[FolderColumn, str | None] = {}
    for place, folder in enumerate(folders):
        name, separator, text = folder.partition("=")
        if not (name and separator):
            continue
        column = FolderColumn(_url_decoded(name, path, key), len(folders) - place)
        if column.name.lower() in {c.name.lower() for c in values}:
            raise ConfigurationError(f"{key}: {path} lies in two folders {column.name!r}")
        values[column] = None if text == NULL_FOLDER else _url_decoded(text, path, key)
    return values


def with_folders(frame: DataFrame, columns: Sequence[FolderColumn]) -> DataFrame:
    """The rows that Spark reads from files, with their partition columns as text."""
    return frame.selectExpr("*", *(_column_sql(c) for c in columns)) if columns else frame


def _column_sql(column: FolderColumn) -> str:
    """SQL for a partition column. Spark gives a path as a URI, so the name is encoded twice."""
    folder = f"element_at(split({PATH_COLUMN}.file_path, '/'), -{column.levels_up + 1})"
    text = f"regexp_extract({_url_decoded_sql(folder)}, '(?s)^[^=]*=(.*)$', 1)"
    value = f"CASE WHEN {text} <> '{NULL_FOLDER}' THEN {_url_decoded_sql(text)} END"
    return f"{value} AS {quoted(column.name)}"


def _url_decoded_sql(encoded: str) -> str:
    # A plus sign is itself in a path; Spark's function is one for forms, where it is a blank. And
    # so is a percent sign that begins no code, of which Spark's function would make null.
    itself = f"regexp_replace(replace({encoded}, '+', '%2B'), '%(?![0-9A-Fa-f]{{2}})', '%25')"
    return f"try_url_decode({itself})"


def _url_decoded(text: str, path: Path, key: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"{key}: {path} lies in a folder {text!r}, whose name is no percent-encoded UTF-8",
            next_step="Rename the folder.",
        ) from error
