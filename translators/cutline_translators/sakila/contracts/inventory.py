"""Copies of films, which Sakila calls inventory."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Copy(SourceContract):
    """One copy of one film, which belongs to one store."""

    inventory_id: T.LongType = column(doc="the copy", nullable=False)
    film_id: T.LongType = column(doc="the film on it", stable=True, nullable=False)
    store_id: T.LongType = column(doc="the store that it belongs to", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("sakila", "inventory", key=["inventory_id"])
