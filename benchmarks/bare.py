"""A bare Spark job beside a whole run: reads the same sources into Parquet, copies its tables.

    python benchmarks/bare.py PROJECT LAKE_OF_RUN [--memory M]

Prints one JSON object: `read`, the seconds to bring each source of the project's folder `extract`
into Parquet, and `copied`, the seconds to read and write each table of the run, by name. Tables
of a database go through Arrow as any reader's do, one thread each; files are read by Spark, change
files and lines of JSON with a schema that was inferred before and is not timed. Nothing is judged
or typed. A first small job, which is not timed, starts Spark.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import adbc_driver_sqlite.dbapi as adbc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

AT_ONCE = 4
SAMPLE_LINES = 5_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("lake", type=Path)
    parser.add_argument("--memory", default="2g")
    options = parser.parse_args()
    spark = bare_session(options.memory)
    with tempfile.TemporaryDirectory(prefix="cutline-bare-") as folder:
        out = Path(folder)
        spark.range(1000).write.parquet(str(out / "warm"))
        read = timed(lambda: read_sources(spark, options.project / "extract", out))
        copied = {
            table.name: timed(lambda t=table: copy(spark, t, out / "copied"))  # type: ignore[misc]
            for table in sorted(options.lake.iterdir())
            if any(table.glob("*.parquet"))
        }
    sys.stdout.write(json.dumps({"read": read, "copied": copied}))


def bare_session(memory: str) -> SparkSession:
    """A local session as anybody would start it, without what Cutline sets."""
    return (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", memory)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.parquet.compression.codec", "zstd")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def read_sources(spark: SparkSession, extract: Path, out: Path) -> None:
    """Bring every file of the extract into Parquet, several at once."""
    work: list[Callable[[], object]] = []
    for file in sorted(path for path in extract.rglob("*") if path.is_file()):
        target = out / "read" / file.relative_to(extract)
        if file.suffix == ".db":
            work.append(lambda f=file, t=target: copy_database(f, t))  # type: ignore[misc]
        elif (frame := frame_of(spark, file)) is not None:
            work.append(lambda f=frame, t=target: f.write.parquet(str(t)))  # type: ignore[misc]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(piece) for piece in work]:
            done.result()


def frame_of(spark: SparkSession, file: Path) -> DataFrame | None:
    """The rows of a file as Spark reads them; None for what is no table."""
    if file.suffix == ".csv":
        return spark.read.option("header", "true").csv(str(file))
    if file.suffix == ".parquet":
        return spark.read.parquet(str(file))
    if file.suffix == ".jsonl":
        return spark.read.schema(json_schema(spark, file)).json(str(file))
    return None


def json_schema(spark: SparkSession, file: Path) -> str:
    """The schema of a file's first lines, as DDL."""
    with file.open(encoding="utf-8") as lines:
        sample = [line for _, line in zip(range(SAMPLE_LINES), lines, strict=False)]
    schema = spark.read.json(spark.sparkContext.parallelize(sample)).schema
    return ", ".join(f"`{f.name}` {f.dataType.simpleString()}" for f in schema.fields)


def copy_database(file: Path, target: Path) -> None:
    """Each table of a SQLite database as one Parquet file."""
    with closing(sqlite3.connect(file)) as connection:
        tables = [
            n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
    target.mkdir(parents=True)
    for table in tables:
        uri = f"file:{file}?mode=ro"
        with closing(adbc.connect(uri)) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(f'SELECT * FROM "{table}"')
            batches = cursor.fetch_record_batch()
            with pq.ParquetWriter(
                target / f"{table}.parquet", batches.schema, compression="zstd"
            ) as writer:
                for batch in batches:
                    writer.write_batch(batch)


def copy(spark: SparkSession, table: Path, out: Path) -> None:
    """Read one table of the run and write it again."""
    spark.read.parquet(str(table)).write.parquet(str(out / table.name))


if __name__ == "__main__":
    main()
