"""Column names as Spark expressions, whatever characters they hold."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.sql.spark import quoted


def quoted_column(name: str) -> Column:
    """The column of exactly that name; a dot in it is no path."""
    return F.col(quoted(name))
