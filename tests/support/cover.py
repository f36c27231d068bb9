"""Policies, their events and the tables that they come from, as the tests of the language read them."""

from __future__ import annotations

import datetime as dt
from typing import ClassVar

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event
from cutline.translator import SourceContract, column, lifecycle, table

JAN, MAR, JUN = (dt.datetime(2026, m, 1, tzinfo=dt.UTC) for m in (1, 3, 6))


class Bound(Event):
    """A policy was bound."""

    holder: str
    premium: int | None = None


class Lapsed(Event):
    """A policy lapsed."""


class Reinstated(Event):
    """A lapsed policy is in force again."""


class Suspended(Event):
    """A policy was suspended."""


class PremiumChanged(Event):
    """The premium is another."""

    premium: int | None = None


class Closed(Event):
    """The policy is gone from the books."""

    premium: int | None = None


class Rated(Event):
    """A policy was rated."""

    identified_by: ClassVar[tuple[str, ...]] = ("rating",)

    rating: str
    tariff: str | None = None


CONTEXT = Context(
    name="cover",
    doc="Policies.",
    aggregates=(
        Aggregate(
            name="policy",
            doc="One policy.",
            events=(Bound, Lapsed, Reinstated, Suspended, PremiumChanged, Closed, Rated),
            state={},
        ),
    ),
)


class Policies(SourceContract):
    """One row is one policy."""

    no: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="letter", classifies=True)
    holder: T.StringType = column(doc="holder", stable=True)
    premium: T.LongType = column(doc="cents")
    bound_at: T.TimestampType = column(doc="bound", stable=True)
    lapsed_at: T.TimestampType = column(doc="lapsed")
    back_at: T.TimestampType = column(doc="reinstated")
    rating: T.StringType = column(doc="rating")
    rated_at: T.TimestampType = column(doc="rated")
    deleted: T.BooleanType = column(doc="marked as deleted")

    class Config:
        metadata = table(
            "adm",
            "policies",
            key=["no"],
            lifecycle=lifecycle("status", start=["A"], follows={"A": ["L"], "L": ["A"], "S": []}),
        )


class Tariffs(SourceContract):
    """One row is one tariff of a rating while it was in force."""

    rating: T.StringType = column(doc="rating")
    since: T.TimestampType = column(doc="from")
    until: T.TimestampType = column(doc="to")
    tariff: T.StringType = column(doc="tariff", stable=True)

    class Config:
        metadata = table("adm", "tariffs", key=["tariff"])


class Papers(SourceContract):
    """One row is the paper file of a policy."""

    no: T.StringType = column(doc="policy", nullable=False)
    shelf: T.StringType = column(doc="shelf")

    class Config:
        metadata = table("archive", "papers", key=["no"])


class Base:
    context, aggregate, version = CONTEXT, "policy", "1.0.0"


def policy(no="p", status="A", **values):
    return {
        "no": no,
        "status": status,
        "holder": "H",
        "premium": 100,
        "bound_at": JAN,
        "deleted": False,
    } | values
