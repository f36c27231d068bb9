"""Having Spark's classes written as the JVM wants them: read, checked and linked once for all
processes of the environment (Java's class data sharing, by an archive of an application's classes).
"""

from __future__ import annotations

from cutline.spark.class_sharing.writing import write_archive

__all__ = ["write_archive"]
