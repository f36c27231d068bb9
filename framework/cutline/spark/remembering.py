"""What each column expression asks the JVM for, asked once."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaMember
from pyspark.sql import SparkSession

_ASKED_FOR = (
    *("functions", "PythonUtils", "PythonSQLUtils"),
    "org.apache.spark.sql.functions",
    "org.apache.spark.sql.classic.SparkSession",
    "org.apache.spark.sql.api.python.PythonSQLUtils",
)


def remember_classes(spark: SparkSession) -> None:
    """Let the session's process look up once the classes and methods that it asks for by name.

    Every time it is a call into the JVM, as dear as the one that follows; and for names without a
    package that call tries all jars.
    """
    jvm = spark._jvm
    for name in _ASKED_FOR:
        classes = getattr(jvm, name)
        # A JVM outlives a session that was stopped.
        if not isinstance(classes, _MethodCache):
            setattr(jvm, name, _MethodCache(classes))


class _MethodCache:
    """A class of the JVM, each of whose methods is looked up once; called, it is constructed."""

    def __init__(self, java_class: Any) -> None:
        self._java_class = java_class

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._java_class, name)
        if isinstance(member, JavaMember):
            setattr(self, name, member)
        return member

    def __call__(self, *arguments: Any) -> Any:
        return self._java_class(*arguments)
