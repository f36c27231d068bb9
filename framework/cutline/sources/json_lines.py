"""Files of one JSON object a line. A key that a line lacks is null in its row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.sources.files import open_text_file
from cutline.sources.rows import LINE, MALFORMED, MISENCODED, NOT_IN_ENCODING, UNREADABLE
from cutline.sources.text_records import RECORD_DDL, LineAccounts, TextFormat, split_records
from cutline.spark import json_text

_SAMPLE_LINES = 1000
_CHUNK_BYTES = 8 << 20


def column_names(files: list[Path], key: str, wanted: tuple[str, ...]) -> tuple[str, ...] | None:
    """The keys of the objects in the files; null if the files hold no object.

    These are the keys in the first lines of each file, and those of `wanted` that occur anywhere in
    a file: so a rare column is found, and a misspelt one is not. Where some are wanted, keys that
    cannot be columns are left out: those with a quote, which no path can have, and those that
    differ in upper and lower case only. ConfigurationError, naming a file, if one of these
    is wanted.
    """
    sampled: dict[str, Path] = {}
    objects = 0
    for path in files:
        with open_text_file(path, key) as handle:
            for line in islice(handle, _SAMPLE_LINES):
                value = _object(line)
                if value is not None:
                    objects += 1
                    sampled = sampled | {n: path for n in value if n not in sampled}
    if not objects:
        return None
    rare: dict[str, Path] = {}
    for path in files:
        missing = {name for name in wanted if name not in sampled and name not in rare}
        if missing:
            rare |= dict.fromkeys(_names_in_quotes(path, key, missing), path)
    by_name = sampled | {name: rare[name] for name in wanted if name in rare}
    return _columns(by_name, key, wanted) if wanted else tuple(by_name)


def _columns(by_name: Mapping[str, Path], key: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that can be columns, of those in files."""
    spellings: dict[str, list[str]] = {}
    for name in by_name:
        spellings.setdefault(name.lower(), []).append(name)
    for name in wanted:
        twins = [twin for twin in spellings.get(name.lower(), ()) if twin != name]
        if name in by_name and twins:
            raise ConfigurationError(
                f"{key}: {by_name[twins[0]]} has the key {twins[0]!r}, which differs from {name!r} "
                "in upper and lower case only",
                next_step="Rename one of them where the files are made.",
            )
        if name in by_name and _is_quoted(name):
            raise ConfigurationError(
                f"{key}: {by_name[name]} has the key {name!r}, and one with a quote in it cannot "
                "be read",
                next_step="Rename it where the files are made.",
            )
    return tuple(n for n in by_name if len(spellings[n.lower()]) == 1 and not _is_quoted(n))


def _is_quoted(name: str) -> bool:
    return "'" in name or '"' in name


def read_rows(
    spark: SparkSession,
    files: list[Path],
    key: str,
    names: tuple[str, ...],
    scratch: str,
    extra_columns: dict[str, str] | None = None,
) -> tuple[DataFrame, LineAccounts]:
    """One row per line that is not blank, and an account of every line.

    Each key is a column of text; LINE, UNREADABLE and MISENCODED follow. `extra_columns` are more
    columns: SQL over the parsed object `_json`, by name.
    """
    accounts = split_records(files, scratch, key, TextFormat())
    lines = spark.read.schema(RECORD_DDL).parquet(scratch).select(F.col("line").alias(LINE))
    valid = F.is_valid_utf8(LINE)
    checked = lines.withColumn("_valid", valid)
    line = F.when(F.col("_valid"), F.col(LINE))
    rows = json_text.with_object(checked, line, "_json").select(
        *(F.expr(json_text.text_sql("_json", name)).alias(name) for name in names),
        LINE,
        F.when(~F.col("_valid"), F.lit(NOT_IN_ENCODING))
        .when(F.col("_json").isNull(), F.lit(MALFORMED))
        .alias(UNREADABLE),
        F.array().cast("array<string>").alias(MISENCODED),
        *(F.expr(sql).alias(name) for name, sql in (extra_columns or {}).items()),
    )
    return rows, accounts


def _object(line: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _names_in_quotes(path: Path, key: str, names: set[str]) -> set[str]:
    """Those of the names that occur in quotes anywhere in the file."""
    wanted = {name: json.dumps(name, ensure_ascii=False).encode() for name in names}
    longest = max(map(len, wanted.values()))
    present: set[str] = set()
    overlap = b""
    with open_text_file(path, key) as handle:
        while len(present) < len(wanted) and (chunk := handle.read(_CHUNK_BYTES)):
            window = overlap + chunk
            present |= {name for name, text in wanted.items() if text in window}
            overlap = window[-longest:]
    return present
