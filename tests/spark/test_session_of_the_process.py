"""There is one session a process, whichever thread asks for it first."""

from __future__ import annotations

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
