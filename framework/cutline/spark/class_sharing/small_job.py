"""A job that loads what most commands do, in a JVM that writes its classes when it ends.

python -m cutline.spark.class_sharing.small_job FILE FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from cutline.project.spark import SparkSection
from cutline.spark.session import java_options, session

_LONGEST_WRITE = 300
"""Seconds until a JVM that ends must have written."""


def write_classes(file: Path, folder: Path) -> int:
    """Write the classes that the job loads, and return how the JVM ended; what it says of it goes
    to stderr. The job's own files are left in `folder`.
    """
    section = SparkSection(master="local[2]", quick_start=True)
    to_file = f'"-XX:ArchiveClassesAtExit={file}" -Xlog:disable -Xlog:all=error:stderr'
    options = f"{java_options(section, shared=False)} {to_file}"
    section = section.model_copy(update={"conf": {"spark.driver.extraJavaOptions": options}})
    spark = session(section)
    load_classes(spark, folder)
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    java = gateway.proc
    spark.stop()
    java.stdin.close()
    return int(java.wait(_LONGEST_WRITE))


def load_classes(spark: SparkSession, folder: Path) -> None:
    """Files of each kind are written and read; what is read is grouped, joined, ranked and asked
    for.
    """
    rows = spark.range(100).selectExpr(
        *("id", "cast(id % 7 as string) AS seventh", "to_json(named_struct('id', id)) AS value"),
        *("array(id, id + 1) AS pair", "cast(id AS decimal(20, 2)) AS amount"),
        "timestamp_micros(id) AS moment",
    )
    rows.write.parquet(str(folder / "parquet"))
    rows.select("value").write.text(str(folder / "text"))
    rows.select("id", "seventh").write.option("header", True).csv(str(folder / "csv"))
    spark.read.option("header", True).csv(str(folder / "csv")).toArrow()
    spark.read.schema("value string").text(str(folder / "text")).selectExpr(
        "from_json(value, 'id bigint') AS read"
    ).select("read.id").persist().count()
    stored = spark.read.parquet(str(folder / "parquet"))
    _rankings(spark, stored).toArrow()
    stored.mapInArrow(lambda batches: batches, stored.schema).count()


def _rankings(spark: SparkSession, stored: DataFrame) -> DataFrame:
    return spark.sql(
        "SELECT r.*, row_number() OVER (PARTITION BY r.seventh ORDER BY r.id) AS place,"
        " sha1(r.value) AS hash, transform(pair, x -> x + 1) AS next,"
        " CASE WHEN r.id > 3 THEN upper(r.seventh) END AS upper"
        " FROM {rows} r JOIN (SELECT seventh, count(*) AS n, max(amount) AS most FROM {rows}"
        " GROUP BY seventh) s USING (seventh)"
        " UNION ALL SELECT r.*, 0, '', pair, '' FROM {rows} r WHERE r.id IN (1, 2)",
        rows=stored,
    )


if __name__ == "__main__":
    try:
        ended_with = write_classes(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
    except Exception as error:  # Whoever started it says the rest.
        sys.exit(str(error))
    sys.exit(ended_with)
