"""Files with one JSON object a line. A key that a line leaves out is null there."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.sources.files import opened
from cutline.sources.rows import BAD, LINE, MALFORMED, NOT_IN_ENCODING, UNREADABLE
from cutline.sources.text_records import DDL, Cut, Text, cut_lines
from cutline.spark import json_text

_SAMPLE = 1000
_CHUNK = 8 << 20


def keys(files: list[Path], key: str, wanted: tuple[str, ...]) -> tuple[str, ...] | None:
    """The keys of the objects in the files; null if the files hold no object at all.

    Those of the first lines of each file, and of `wanted` those that stand anywhere: a column that
    is mostly left out is there, a misspelt one is not.
    """
    found: dict[str, None] = {}
    objects = 0
    for path in files:
        with opened(path, key) as handle:
            for line in islice(handle, _SAMPLE):
                value = _object(line)
                if value is not None:
                    objects += 1
                    found.update(dict.fromkeys(value))
    if not objects:
        return None
    missing = {name for name in wanted if name not in found}
    for path in files if missing else ():
        missing -= _standing_in(path, key, missing)
    return (*found, *(name for name in wanted if name not in found and name not in missing))


def rows(
    spark: SparkSession,
    files: list[Path],
    key: str,
    names: tuple[str, ...],
    scratch: str,
    beside: dict[str, str] | None = None,
) -> tuple[DataFrame, Cut]:
    """One row per line that is not blank: every key as text, with LINE, UNREADABLE and BAD.

    And what became of every line. `beside` are more columns, by name, as SQL over the object
    `_json`.
    """
    cut = cut_lines(files, scratch, key, Text())
    read = spark.read.schema(DDL).parquet(scratch).select(F.col("line").alias(LINE))
    valid = F.is_valid_utf8(LINE)
    checked = read.withColumn("_valid", valid)
    line = F.when(F.col("_valid"), F.col(LINE))
    rows = json_text.with_object(checked, line, "_json").select(
        *(F.expr(json_text.text_sql("_json", name)).alias(name) for name in names),
        LINE,
        F.when(~F.col("_valid"), F.lit(NOT_IN_ENCODING))
        .when(F.col("_json").isNull(), F.lit(MALFORMED))
        .alias(UNREADABLE),
        F.array().cast("array<string>").alias(BAD),
        *(F.expr(sql).alias(name) for name, sql in (beside or {}).items()),
    )
    return rows, cut


def _object(line: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _standing_in(path: Path, key: str, names: set[str]) -> set[str]:
    """Those of the names that the file has in quotes, wherever."""
    wanted = {name: json.dumps(name, ensure_ascii=False).encode() for name in names}
    longest = max(map(len, wanted.values()))
    found: set[str] = set()
    before = b""
    with opened(path, key) as handle:
        while len(found) < len(wanted) and (chunk := handle.read(_CHUNK)):
            window = before + chunk
            found |= {name for name, text in wanted.items() if text in window}
            before = window[-longest:]
    return found
