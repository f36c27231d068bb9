"""Orders as a shop kept them in three versions, for the tests of older shapes."""

from __future__ import annotations

from typing import Annotated

import pyspark.sql.types as T
from pyspark.sql import functions as F

from cutline.translator import SourceContract, column, older, table


class OrderV1(SourceContract):
    """One order, as kept until 2019."""

    order_no: T.StringType = column(doc="its number")
    customer: T.StringType = column(doc="first and last name")
    cents: T.StringType = column(doc="euro cents, as text")
    created_ms: T.LongType = column(doc="milliseconds since 1970")


class OrderV2(SourceContract):
    """One order, as kept until 2022."""

    order_no: T.StringType = column(doc="its number")
    first_name: T.StringType = column(doc="of the customer")
    last_name: T.StringType = column(doc="of the customer")
    cents: T.LongType = column(doc="euro cents")
    created_at: T.TimestampType = column(doc="when it was placed")


def v1_to_v2(row):
    return {
        "first_name": F.split_part(row.customer, F.lit(" "), F.lit(1)),
        "last_name": F.split_part(row.customer, F.lit(" "), F.lit(2)),
        "created_at": F.timestamp_millis(row.created_ms),
    }


def v2_to_v3(row):
    return {"amount": row.cents.cast("decimal(20,0)") / 100, "channel": "SHOP"}


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)
    first_name: T.StringType = column(doc="of the customer")
    last_name: T.StringType = column(doc="of the customer")
    amount: Annotated[T.DecimalType, 12, 2] = column(doc="euros", ge=0)
    created_at: T.TimestampType = column(doc="when it was placed")
    channel: T.StringType = column(doc="where it was placed")

    class Config:
        metadata = table(
            "shop",
            "orders",
            key=["order_no"],
            older=[older(OrderV1, lift=v1_to_v2), older(OrderV2, lift=v2_to_v3)],
        )


IMAGE = (
    "first_name",
    "last_name",
    "cast({0}.amount as string)",
    "cast({0}.created_at as string)",
    "channel",
)


def image(side: str = "after") -> tuple[str, ...]:
    """The columns of an image as SQL, numbers and times as text."""
    return tuple(c.format(side) if "{" in c else f"{side}.{c}" for c in IMAGE)
