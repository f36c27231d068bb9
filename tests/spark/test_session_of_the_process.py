"""There is one session a process, whichever thread asks for it first."""

from __future__ import annotations

import re
import subprocess
import sys
import threading

from pyspark.sql import SparkSession

from cutline.project.spark import SparkSection
from cutline.spark.session import session


def test_another_thread_gets_the_same_session_and_has_it_active(spark: SparkSession) -> None:
    got: list[SparkSession | None] = []

    def ask() -> None:
        assert SparkSession.getActiveSession() is None
        got.append(session(SparkSection(master="local[7]")))
        got.append(SparkSession.getActiveSession())

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join()
    assert [s is not None and s._jsparkSession == spark._jsparkSession for s in got] == [True, True]
    assert spark.sparkContext.master == "local[2]"


def test_spark_logs_errors_only_and_a_line_each() -> None:
    """In a process of its own; what Java itself says of an incubating module cannot be turned off."""
    code = (
        "from cutline.project.spark import SparkSection\n"
        "from cutline.spark.session import session\n"
        "spark = session(SparkSection(master='local[1]', quick_start=True))\n"
        "print(spark.range(3).count())\n"
        "try:\n"
        "    spark.sql('select raise_error(\"no\" || id) from range(1)').collect()\n"
        "except Exception:\n"
        "    print('raised')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3\nraised\n"
    said = [line for line in done.stderr.splitlines() if "incubator modules" not in line]
    assert said
    assert all(re.match(r"\d\d/\d\d/\d\d [\d:]{8} ERROR \w+: ", line) for line in said), said
