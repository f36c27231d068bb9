"""A Spark session of this process in a JVM that another process has started.

PySpark connects to the JVM that the environment names, and would then start a second SparkContext
in it, which no JVM has.
"""

from __future__ import annotations

import os
import sys
from typing import Any


def get_or_create(builder: Any) -> Any:
    """In place of `SparkSession.Builder.getOrCreate`.

    The session has those of the builder's settings that a session can change.
    """
    from pyspark.sql import SparkSession

    return SparkSession._instantiatedSession or _new_session(builder._options)


def _new_session(options: dict[str, Any]) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    # As it connects only, it starts nothing.
    gateway = launch_gateway()
    jvm = gateway.jvm
    java_class = SparkSession._get_j_spark_session_class(jvm)
    of_the_host = java_class.getDefaultSession().get()
    running = of_the_host.sparkContext()
    context = SparkContext(
        gateway=gateway,
        jsc=jvm.JavaSparkContext.fromSparkContext(running),
        conf=SparkConf(_jconf=running.conf().clone()),
    )
    # Workers that run Python for rows find what this process finds.
    context.environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    session = SparkSession(context, of_the_host.newSession(), options)
    java_class.setDefaultSession(of_the_host)
    keep_to_its_own_jobs(context)
    # Whoever ends the session here leaves that of the others running.
    SparkContext.stop = lambda self: None  # type: ignore[method-assign]
    SparkSession.stop = lambda self: None  # type: ignore[method-assign]
    return session


def keep_to_its_own_jobs(context: Any) -> None:
    """Let "all jobs" be those of this process, where it asks to cancel them."""
    group = job_group_of(os.getpid())
    context.setJobGroup(group, "the tests' own")
    context.cancelAllJobs = lambda: context.cancelJobGroup(group)


def job_group_of(pid: int) -> str:
    """The group of a process's jobs."""
    return f"process {pid}"
