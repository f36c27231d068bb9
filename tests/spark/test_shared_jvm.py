"""A process that a test starts may use the JVM of the tests, with a session of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import FrameType

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from support.shared_jvm import in_jvm_of, job_group_of, keep_to_its_own_jobs

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


class BrokenOffError(Exception):
    """What a signal raises in the midst of a call."""


def break_off(_signal: int, _frame: FrameType | None) -> None:
    raise BrokenOffError


def test_a_worker_has_its_group_of_jobs_again_where_a_signal_broke_off_a_call(
    spark: SparkSession,
) -> None:
    """PySpark gives the thread another connection then, and Spark takes it for another thread."""
    context = spark.sparkContext
    keep_to_its_own_jobs(context)
    previous = signal.signal(signal.SIGALRM, break_off)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises((Py4JError, BrokenOffError)):
            spark.range(10**8).agg(F.sum(F.col("id") % 7)).collect()
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert context.getLocalProperty("spark.jobGroup.id") is None
    keep_to_its_own_jobs(context)
    assert context.getLocalProperty("spark.jobGroup.id") == job_group_of(os.getpid())
    # What was broken off goes on by itself, in the group that it had.
    context.cancelAllJobs()
