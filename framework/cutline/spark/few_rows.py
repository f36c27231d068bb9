"""Tables that are broadcast: only where their rows were counted first.

What is broadcast stands whole in the memory of the driver and of each executor. Nothing else in the
product asks for it but by this module, or with a bound that `tests/support/bounded_calls.py` gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FEW = 200_000
"""The most rows that are broadcast: of keys and ids, some 20 MB."""


def broadcast_if_few(rows: DataFrame, count: int) -> DataFrame:
    """The rows, of which there are at most `count`, ready to be joined with many."""
    from pyspark.sql import functions as F

    return F.broadcast(rows) if count <= FEW else rows


def counted_few(rows: DataFrame) -> DataFrame | None:
    """The rows, ready to be joined with many; None if there are none. One job, which counts them.

    It ends as soon as they are known to be many.
    """
    count = rows.limit(FEW + 1).count()
    return broadcast_if_few(rows, count) if count else None
