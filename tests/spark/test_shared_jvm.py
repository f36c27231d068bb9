"""A process that a test starts may use the JVM of the tests, with a session of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from pyspark.sql import SparkSession

from support.shared_jvm import in_jvm_of

CODE = """
from cutline.project.spark import SparkSection
from cutline.spark.session import session
spark = session(SparkSection(master="local[1]", shuffle_partitions=17))
print(spark._jvm.java.lang.ProcessHandle.current().pid())
print(spark.conf.get("spark.sql.shuffle.partitions"), spark.range(3).count())
spark.range(3).createOrReplaceTempView("of_the_process")
spark.stop()
"""


def test_a_process_in_the_jvm_of_the_tests(spark: SparkSession) -> None:
    env = in_jvm_of(spark, os.environ)
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    jvm = spark._jvm.java.lang.ProcessHandle.current().pid()  # type: ignore[union-attr]
    assert done.stdout.splitlines() == [str(jvm), "17 3"]
    # It has left nothing behind, and ended nothing.
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    assert not spark.catalog.tableExists("of_the_process")
    assert spark.range(3).count() == 3
