"""Rentals, as the counter writes them down."""

from __future__ import annotations

from typing import Any

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, row_check, table


class Rental(SourceContract):
    """One copy that one customer took home, and when it came back if it did."""

    rental_id: T.LongType = column(doc="the rental", nullable=False)
    rental_date: T.TimestampType = column(
        doc="when the copy went out; no zone: read as UTC", stable=True, nullable=False
    )
    inventory_id: T.LongType = column(doc="the copy", stable=True, nullable=False)
    customer_id: T.LongType = column(doc="who took it", stable=True, nullable=False, personal=True)
    return_date: T.TimestampType = column(
        doc="when it came back; null while it is out; no zone: read as UTC"
    )
    staff_id: T.LongType = column(doc="who handed it out")

    @row_check
    def returned_before_started(cls, row: Any) -> Any:
        """The copy came back before it went out."""
        return row.return_date >= row.rental_date

    class Config:
        """Where the rows come from."""

        metadata = table("sakila", "rental", key=["rental_id"])
