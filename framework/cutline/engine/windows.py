"""What windows look at, in one pass over the rows of a partition.

A frame that ends with a partition, or slides over it, is read anew for each row by Spark: for a
subject of 300,000 changes that is 45 billion rows.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def next_not_null(column: str) -> Column:
    """Of the rows after the current one, the first value of a column that is not null.

    Null if there is none. To be used `.over(window)`, of a window with an order and without a
    frame.
    """
    # PySpark's own `lead` cannot pass over nulls.
    return F.expr(f"lead(`{column}`) IGNORE NULLS")
