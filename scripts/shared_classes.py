"""Writes Spark's classes as the JVM wants them, for the processes that the tests start.

python scripts/shared_classes.py FILE

A JVM that is given this file (`-XX:SharedArchiveFile`) reads, checks and links no class of Spark
again: a process with a session is ready in half the time. Another JVM, or another class path, does
as if it were not there. tests/conftest.py hands it on.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from cutline.project.spark import SparkSection
from cutline.spark.session import session

QUIET = "-Xlog:disable"
WAIT = 180


def write(file: Path) -> None:
    """Writes the classes that a small job loads."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        made = Path(folder, file.name)
        os.environ["SPARK_SUBMIT_OPTS"] = f"-XX:ArchiveClassesAtExit={made.resolve()} {QUIET}"
        spark = session(SparkSection(master="local[2]", quick_start=True))
        rows = spark.range(100).selectExpr("id", "cast(id % 7 as string) as seventh")
        read = Path(folder, "rows")
        rows.write.parquet(str(read))
        spark.read.parquet(str(read)).createOrReplaceTempView("rows")
        spark.sql(
            "select r.*, row_number() over (partition by seventh order by id) as place from rows r"
            " join (select seventh, count(*) as n from rows group by seventh) using (seventh)"
        ).toArrow()
        java = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
        spark.stop()
        java.stdin.close()
        java.wait(WAIT)
        made.replace(file)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
