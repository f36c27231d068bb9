"""Writes Spark's classes as the JVM wants them, for the processes that the tests start.

python scripts/shared_classes.py FILE

A JVM that is given this file (`-XX:SharedArchiveFile`) reads, checks and links no class of Spark
again: a process with a session is ready in half the time. Another JVM, or another class path, does
as if it were not there. tests/conftest.py hands it on. Where a JVM cannot write it, FILE is empty,
and tests take longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from cutline.project.spark import SparkSection
from cutline.spark.session import session

WAIT = 180
"""Seconds until a JVM that ends must have written."""


def write(file: Path) -> None:
    """Writes the classes that a small job loads."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        made = Path(folder, file.name).resolve()
        os.environ["SPARK_SUBMIT_OPTS"] = f"-XX:ArchiveClassesAtExit={made} -Xlog:disable"
        try:
            load_classes(Path(folder, "rows"))
        except (PySparkException, Py4JError, subprocess.TimeoutExpired) as error:
            sys.stderr.write(f"Spark's classes are not shared by the tests' processes: {error}\n")
        if made.exists():
            made.replace(file)
        else:
            file.touch()


def load_classes(folder: Path) -> None:
    """A small job, in a JVM that ends with it."""
    spark = session(SparkSection(master="local[2]", quick_start=True))
    rows = spark.range(100).selectExpr("id", "cast(id % 7 as string) as seventh")
    rows.write.parquet(str(folder))
    spark.read.parquet(str(folder)).createOrReplaceTempView("rows")
    spark.sql(
        "select r.*, row_number() over (partition by seventh order by id) as place from rows r"
        " join (select seventh, count(*) as n from rows group by seventh) using (seventh)"
    ).toArrow()
    java = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
    spark.stop()
    java.stdin.close()
    java.wait(WAIT)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
