"""There is one session a process, whichever thread asks for it first."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from typing import Any

import pytest
from py4j.protocol import REFLECTION_COMMAND_NAME
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.project.spark import SparkSection
from cutline.spark.remembering import remember_classes
from cutline.spark.session import java_options, session


def test_another_thread_gets_the_same_session_and_has_it_active(spark: SparkSession) -> None:
    sessions: list[SparkSession | None] = []

    def ask() -> None:
        assert SparkSession.getActiveSession() is None
        sessions.append(session(SparkSection(master="local[7]")))
        sessions.append(SparkSession.getActiveSession())

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join()
    assert [s is not None and s._jsparkSession == spark._jsparkSession for s in sessions] == [
        True,
        True,
    ]
    assert spark.sparkContext.master == "local[2]"


def test_the_jvm_is_asked_once_for_what_a_function_is(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    F.crc32(F.lit("once"))
    client = spark._jvm._gateway_client  # type: ignore[union-attr]
    send, sent = client.send_command, []

    def heard(command: str, *more: Any) -> Any:
        sent.append(command)
        return send(command, *more)

    monkeypatch.setattr(client, "send_command", heard)
    F.crc32(F.lit("again"))
    assert sent
    assert [c for c in sent if c.startswith(REFLECTION_COMMAND_NAME)] == []


def test_what_is_remembered_is_not_remembered_again(spark: SparkSession) -> None:
    """Of a session after another in one process."""
    jvm = spark._jvm
    before = jvm.functions  # type: ignore[union-attr]
    remember_classes(spark)
    assert jvm.functions is before  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("little", "collector"), [(True, "-XX:+UseSerialGC"), (False, "-XX:+UseParallelGC")]
)
def test_a_local_jvm_has_one_collector(little: bool, collector: str) -> None:
    """With two the JVM does not start; with none it has the one that works beside us."""
    options = java_options(SparkSection(quick_start=little)).split()
    assert re.findall(r"-XX:\+Use\w+GC\b", " ".join(options)) == [collector]


@pytest.mark.parametrize(
    ("little", "brief", "fast_compiler_alone"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_only_what_is_done_in_seconds_goes_without_the_optimising_compiler(
    little: bool, brief: bool, fast_compiler_alone: bool
) -> None:
    options = java_options(SparkSection(quick_start=little), brief=brief).split()
    assert ("-XX:TieredStopAtLevel=1" in options) is fast_compiler_alone


@pytest.mark.process
def test_spark_logs_errors_only_and_a_line_each() -> None:
    """In a process of its own; and Java says nothing of a module that Spark's launcher adds."""
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
    messages = done.stderr.splitlines()
    assert messages
    assert all(re.match(r"\d\d/\d\d/\d\d [\d:]{8} ERROR \w+: ", line) for line in messages), (
        messages
    )


@pytest.mark.process
def test_a_process_has_sessions_after_one_that_was_stopped() -> None:
    """Cutline's own, whoever stopped it; then the process's, and Cutline's again."""
    code = (
        "from pyspark.sql import SparkSession\n"
        "from cutline.project.spark import SparkSection\n"
        "from cutline.spark.session import session\n"
        "section = SparkSection(master='local[1]', quick_start=True)\n"
        "session(section).stop()\n"
        "spark = SparkSession.builder.master('local[1]').getOrCreate()\n"
        "print(spark.range(3).count())\n"
        "spark.stop()\n"
        "print(session(section).range(4).count())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n4\n"
