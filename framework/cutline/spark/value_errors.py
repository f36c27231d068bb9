"""What Spark raises where SQL that somebody gave fails on a value."""

from __future__ import annotations

from pyspark.errors import (
    AnalysisException,
    ArithmeticException,
    ArrayIndexOutOfBoundsException,
    DateTimeException,
    NumberFormatException,
    SparkRuntimeException,
    UnsupportedOperationException,
)

VALUE_ERRORS = (
    AnalysisException,
    ArithmeticException,
    ArrayIndexOutOfBoundsException,
    DateTimeException,
    NumberFormatException,
    SparkRuntimeException,
    UnsupportedOperationException,
)
"""Or where its answer cannot be kept."""
