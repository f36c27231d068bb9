"""Hadoop's settings as they are sent to tasks: without the file that each was read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from cutline.logs import logger

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logger(__name__)


def forget_where_set(spark: SparkSession) -> None:
    """Have Hadoop's settings forget which file each of them is from.

    Spark sends all of them with each table that it reads, and with each that it writes, and Hadoop
    packs the name of each one's file by itself: gzip, a thousand times, for what only its messages
    ask for. With few rows that was a sixth of the JVM's work but for compiling. Settings and their
    values stay as they are. Where Hadoop keeps the names elsewhere, they stay too.
    """
    jvm: Any = spark._jvm
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    try:
        # Whoever first uses Hadoop has it read its defaults, and all settings anew with them.
        spark._jsparkSession.sessionState().newHadoopConf()
        jvm.java.lang.Class.forName("org.apache.hadoop.mapred.JobConf")
        settings.size()
        field = settings.getClass().getDeclaredField("updatingResource")
        field.setAccessible(True)
        field.set(settings, jvm.java.util.concurrent.ConcurrentHashMap())
    except Py4JError as error:
        _LOG.debug("files of settings kept", extra={"error": type(error).__name__})
