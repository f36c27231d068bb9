"""Columns of local times (`T.TimestampNTZType`) as a type of their own.

pandera takes the type for another name of `T.TimestampType`, by which a local time would become an
instant.
"""

from __future__ import annotations

from pandera import dtypes
from pandera.engines import pyspark_engine
from pyspark.sql import types as T


@dtypes.immutable
class LocalTimestamp(pyspark_engine.DataType, dtypes.Timestamp):
    """A date and a time of day without a zone."""

    type = T.TimestampNTZType()


def register_local_times() -> None:
    """Have pandera know local times, in every schema that is made from now on."""
    local = T.TimestampNTZType
    names = ["timestamp_ntz", "TimestampNTZType", "TimestampNTZType()"]
    pyspark_engine.Engine.register_dtype(LocalTimestamp, equivalents=[*names, local, local()])
