"""Processes that use the JVM of the tests: their Python is their own, and fresh.

A JVM that begins anew takes ten times as long for what it is given, as it compiles itself first.
Only tests whose subject is the JVM's life need one for each process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from support.shared_jvm.path.guest import job_group_of as job_group_of
from support.shared_jvm.path.guest import keep_to_its_own_jobs as keep_to_its_own_jobs

_PATH = Path(__file__).with_name("path")


def in_jvm_of(spark: SparkSession, env: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process whose Spark session is a new one in the JVM of `spark`."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    parameters = gateway.gateway_parameters
    path = os.pathsep.join(p for p in (str(_PATH), env.get("PYTHONPATH", "")) if p)
    return {
        **env,
        "PYTHONPATH": path,
        "PYSPARK_GATEWAY_PORT": str(parameters.port),
        "PYSPARK_GATEWAY_SECRET": parameters.auth_token,
    }
