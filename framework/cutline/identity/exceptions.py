"""Ids of exceptions, the same in every run of a slice."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.identity.columns import texts_id

_PARTS = (
    "rule",
    "level",
    "aggregate",
    "subject",
    "source",
    "table",
    "key",
    "event_id",
)


def exception_id(context: str, region: str) -> Column:
    """The id of a row of EXCEPTIONS. Never null.

    It is a digest of context, region, rule, level, aggregate, subject, source, table, key and
    event; and of the payload for an exception with neither key nor event, such as an unreadable
    line. Positions are no part of it, so several changes of one row may share an id.
    """
    nameless = F.col("key").isNull() & F.col("event_id").isNull()
    return texts_id(
        F.lit(context),
        F.lit(region),
        *(F.col(f"`{column}`") for column in _PARTS),
        F.when(nameless, F.col("payload")),
    )
