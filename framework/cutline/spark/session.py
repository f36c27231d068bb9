"""The one place that opens Spark sessions."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.logs import logger
from cutline.project.spark import SparkSection
from cutline.spark.class_archive import sharing_options
from cutline.spark.gateway import forget_ended, start_gateway
from cutline.spark.master import refuse_silent_master

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logger(__name__)


MEMORY_UNSIZED = "2g"
"""The heap where neither cutline.yaml nor the inputs of a run say how much."""

_STARTING = threading.Lock()
_started_early = threading.Event()
_OF_THIS_THREAD = threading.local()


def session(section: SparkSection, *, brief: bool = False) -> SparkSession:
    """This process's Spark session, started by `section` if there is none yet.

    Time zone UTC, ANSI mode on, Parquet in zstd; the UI is off unless `conf` turns it on. With
    `brief` and `quick_start` the JVM is set up for seconds of work, and not for minutes.
    """
    with _STARTING:
        return running_session() or _started(section, brief)


def running_session() -> SparkSession | None:
    """The active session of this thread, or else of this process, made active; None without one."""
    from pyspark.sql import SparkSession

    forget_ended()
    return active_of_thread() or SparkSession.getActiveSession() or _of_another_thread()


def starts_anew() -> bool:
    """Whether `session` would start a session by the section that it is given."""
    return not _started_early.is_set() and running_session() is None


def refuse_other_master(master: str) -> None:
    """ConfigurationError if the session that `session` would return has another master."""
    running = running_session()
    if running is not None and running.sparkContext.master != master:
        raise ConfigurationError(
            f"master: the session of this process works on {running.sparkContext.master}, and "
            f"not on {master}.",
            next_step="Leave `master` out, or stop that session before.",
        )


def start_early(section: SparkSection) -> None:
    """Begin to start the session that `session` will return, while other things are done.

    What goes wrong is left to `session` to find and say.
    """

    def start() -> None:
        try:
            with contextlib.suppress(Exception):
                session(section)
        finally:
            _started_early.clear()

    _started_early.set()
    threading.Thread(target=start, name="cutline-spark", daemon=True).start()


def make_active(spark: SparkSession) -> None:
    """Make it the active session of this thread, which may not be the one that started it."""
    jvm = spark._jvm
    assert jvm is not None
    jvm.org.apache.spark.sql.SparkSession.setActiveSession(spark._jsparkSession)
    # PySpark knows one active session per process, and would answer with that one.
    _OF_THIS_THREAD.session = spark


def active_of_thread() -> SparkSession | None:
    """The session that was made active in this thread; None if none was, or if it is stopped."""
    active: SparkSession | None = getattr(_OF_THIS_THREAD, "session", None)
    return None if active is None or active.sparkContext._jsc is None else active


def forget_active() -> None:
    """Let this thread have no session of its own any more."""
    _OF_THIS_THREAD.session = None


def _of_another_thread() -> SparkSession | None:
    """The session that another thread of this process has started, made active in this one."""
    from pyspark.sql import SparkSession

    session = SparkSession._instantiatedSession
    if session is None or session.sparkContext._jsc is None:
        return None
    make_active(session)
    return session


def _started(section: SparkSection, brief: bool) -> SparkSession:
    from pyspark.logger import PySparkLogger
    from pyspark.sql import SparkSession

    from cutline.spark import cluster
    from cutline.spark.hadoop_settings import forget_where_set
    from cutline.spark.java_arguments import convert_quickly
    from cutline.spark.python_workers import trust_workers
    from cutline.spark.remembering import remember_classes

    if section.is_local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    else:
        refuse_silent_master(section.master)
        cluster.prepare(section)
    began = time.monotonic()
    # It prints a traceback of what it then raises, under the logger of everybody.
    logging.getLogger().addFilter(_is_not_of_py4j)
    settings = _defaults(section, brief) | section.conf
    start_gateway({"spark.app.name": "cutline", "spark.master": section.master} | settings)
    builder = SparkSession.builder.appName("cutline").master(section.master)
    for key, value in settings.items():
        builder = builder.config(key, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("ERROR")
    _LOG.info(
        "Spark session started",
        extra={
            "master": section.master,
            "version": started.version,
            "seconds": round(time.monotonic() - began, 3),
        },
    )
    remember_classes(started)
    convert_quickly(started)
    forget_where_set(started)
    if not section.is_local:
        with _stopped_if_refused(started):
            cluster.settle(started)
    trust_workers(started)
    # It prints each SQL error as one long line of JSON; whoever catches the error says it better.
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True
    # It prints a traceback of what it then raises.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    return started


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return f"{os.sep}py4j{os.sep}" not in record.pathname


@contextlib.contextmanager
def _stopped_if_refused(started: SparkSession) -> Iterator[None]:
    try:
        yield
    except BaseException:
        started.stop()
        raise


def _defaults(section: SparkSection, brief: bool) -> dict[str, str]:
    from cutline.spark.jars import fullest_jars

    settings = {
        "spark.driver.memory": section.memory or MEMORY_UNSIZED,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # It asks the JVM several times per expression, for line numbers that nobody is shown.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # Nor does the JVM note for each expression by which calls it was made.
        "spark.sql.dataFrameQueryContext.enabled": "false",
        # A union of many translators, fused into one method, outgrows what the JVM compiles.
        "spark.sql.codegen.wholeStage.union.enabled": "false",
        # Java that was made of a plan is kept for when the plan comes again, however many others a
        # session asks in between.
        "spark.sql.codegen.cache.maxEntries": "1000",
        # Beyond this size one method for a whole stage is slower than one for each projection, cut
        # in pieces: whether the JVM's compiler does well with the long one is a matter of luck.
        "spark.sql.codegen.hugeMethodLimit": "8000",
        # It would make each row's events a second time, to ask how many there are.
        "spark.sql.optimizer.excludedRules": (
            "org.apache.spark.sql.catalyst.optimizer.InferFiltersFromGenerate"
        ),
        # Tables lie packed ten to forty times: whether one is small enough to be sent to every task
        # is judged by what its rows take in memory.
        "spark.sql.sources.fileCompressionFactor": "20",
        # Whatever is sorted, grouped or sent for a join takes memory by the page, however few rows
        # it has, and what is sent keeps its page: by itself Spark takes up to 64 MB.
        "spark.buffer.pageSize": "8m",
        # No job brings so much to the driver: one that would was not bounded.
        "spark.driver.maxResultSize": "256m",
        # Two tables may be written in one pass, each row to its own: without sorting them before.
        "spark.sql.maxConcurrentOutputFileWriters": "4",
        # What is kept between two writes lives for seconds: packing it costs more than it saves.
        "spark.sql.inMemoryColumnarStorage.compressed": "false",
        # A table is whole when it has its name: nobody looks for a mark within it.
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        # Every plan is also written out for the UI: in short form unless somebody asks for more.
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.debug.maxToStringFields": "1",
    }
    if section.is_local:
        settings["spark.driver.host"] = "127.0.0.1"
        settings["spark.driver.bindAddress"] = "127.0.0.1"
        # What every task is given stays on this machine: packing it costs more than it saves.
        settings["spark.broadcast.compress"] = "false"
        settings["spark.driver.extraClassPath"] = fullest_jars()
        settings["spark.driver.extraJavaOptions"] = java_options(section, brief=brief)
        settings["spark.sql.shuffle.partitions"] = str(_partitions(section))
        # Python workers, which only per-row facts need, find plugins where this process does.
        settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        if section.quick_start:
            settings |= _QUICK
    else:
        settings["spark.driver.extraJavaOptions"] = java_options(section)
        settings["spark.executor.extraJavaOptions"] = f"-Duser.timezone=UTC {_HUGE} {_BATCH_JVM}"
        if section.shuffle_partitions:
            settings["spark.sql.shuffle.partitions"] = str(section.shuffle_partitions)
    return settings


# A translator becomes one long Java method, and the JVM leaves those of more than 8,000 bytes of
# bytecode to its interpreter, unless it is told otherwise.
_HUGE = "-XX:-DontCompileHugeMethods"
# Nobody waits for a pause of a batch job. The JVM's default collector marks beside the work, again
# and again where tasks ask for arrays of megabytes, and takes one of its cores meanwhile.
_BATCH_JVM = "-XX:+UseParallelGC"
_QUICK_JVM = (
    "-XX:MetaspaceSize=400m -XX:+UseSerialGC -XX:InitialRAMPercentage=100 -XX:NewRatio=1 "
    "-XX:-UsePerfData"
)
# The optimising compiler pays after a minute; until then it takes a core from the work. Without it
# the JVM keeps little room for code, and goes on throwing out and compiling the same again.
_BRIEF_JVM = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"
# Small tables in one task each, no second plan from what the first one showed, and no Java written
# and compiled for each plan: that takes longer than to walk through its expressions for few rows.
_QUICK = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.buffer.pageSize": "2m",
    "spark.sql.files.openCostInBytes": "65536",
    "spark.sql.files.minPartitionNum": "1",
    "spark.sql.adaptive.enabled": "false",
    # Nor is each step of the optimiser checked, or what filters could be added to a join.
    "spark.sql.lightweightPlanChangeValidation": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    # Without a second file of checksums for each file: Parquet has its own.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}


def java_options(section: SparkSection, *, shared: bool = True, brief: bool = False) -> str:
    """The options of the JVM beside this process; with `shared`, it shares Spark's classes."""
    options = f"-Duser.timezone=UTC {_HUGE} {_quiet()}"
    if not section.is_local:
        return f"{options} {_BATCH_JVM}"
    sharing = sharing_options() if shared else ()
    if not section.quick_start:
        return " ".join([options, _BATCH_JVM, *sharing])
    compiler = [_BRIEF_JVM] if brief else []
    return " ".join([options, _QUICK_JVM, *compiler, *sharing])


def _quiet() -> str:
    """The JVM option that keeps Spark from telling how it starts; as a URI it holds no blanks."""
    config = Path(__file__).with_name("log4j2.properties")
    return f"-Dlog4j2.configurationFile={config.as_uri()}"


def _partitions(section: SparkSection) -> int:
    if section.shuffle_partitions:
        return section.shuffle_partitions
    return 1 if section.quick_start else 2 * cores_of(section.master)


def cores_of(master: str) -> int:
    """The tasks that a local master performs at once."""
    if master == "local":
        return 1
    cores = re.fullmatch(r"local\[(\d+)(?:,\d+)?\]", master)
    return int(cores[1]) if cores else os.cpu_count() or 1
