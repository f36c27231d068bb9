"""What `translate.py` measures with: an order table of 13 columns, its events, its translators."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Any, Literal

import pyspark.sql.types as T
from pydantic import Field
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, latest
from cutline.tables.change import changes
from cutline.translator import Occurrence, SourceContract, Translator, column, fact, table

STATUSES = ("NEW", "RELEASED", "CLOSED", "CANCL")
DEPOTS = tuple(f"D{i}" for i in range(10))
EXTRACTED = dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC)
CONSISTENT_POINT = "1000"


class Order(SourceContract):
    """One order as an ERP holds it today."""

    order_no: T.StringType = column(doc="number", nullable=False, str_matches=r"^SO-[0-9]{9}$")
    depot: T.StringType = column(doc="depot", stable=True, nullable=False, isin=list(DEPOTS))
    channel: T.StringType = column(doc="channel", stable=True, isin=["WEB", "STORE", "PHONE"])
    customer_no: T.StringType = column(doc="customer", stable=True, str_length={"max_value": 12})
    status: T.StringType = column(doc="status", nullable=False, isin=list(STATUSES))
    currency: T.StringType = column(doc="ISO 4217", stable=True, str_matches=r"^[A-Z]{3}$")
    total: Annotated[T.DecimalType, 12, 2] = column(doc="value", stable=True, ge=Decimal("0.00"))
    items: T.LongType = column(doc="lines", stable=True, in_range={"min_value": 1, "max_value": 99})
    ordered_at: T.TimestampType = column(doc="placed", stable=True, nullable=False)
    released_at: T.TimestampType = column(doc="released")
    closed_at: T.TimestampType = column(doc="closed")
    cancelled_at: T.TimestampType = column(doc="cancelled")
    updated_at: T.TimestampType = column(doc="last changed")

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "orders", key=["order_no"])


TABLE = changes("erp", "orders", Order.ddl())


class Placed(Event):
    """An order was placed."""

    order_no: str
    channel: Literal["WEB", "STORE", "PHONE"]
    customer_no: Annotated[str, Field(max_length=12)]
    total: Annotated[Decimal, Field(max_digits=12, decimal_places=2, ge=0)]
    placed_at: dt.datetime


class Released(Event):
    """An order went to the warehouse."""

    order_no: str
    depot: Annotated[str, Field(pattern=r"^D[0-9]$")]


class Completed(Event):
    """An order was completed."""

    order_no: str
    items: Annotated[int, Field(ge=1, le=99)]


class Cancelled(Event):
    """An order was cancelled."""

    order_no: str
    status: Literal["CANCL"]


KINDS: tuple[type[Event], ...] = (Placed, Released, Completed, Cancelled)


def _of_depot(kind: type[Event], depot: str) -> type[Event]:
    """The same event, as a type of its own for one depot."""
    return type(
        f"{kind.__name__}At{depot}", (kind,), {"__doc__": kind.__doc__, "__module__": __name__}
    )


OF_DEPOTS = {(kind, depot): _of_depot(kind, depot) for kind in KINDS for depot in DEPOTS}
SHOP = Context(
    name="shop",
    doc="What the events belong to.",
    aggregates=(
        Aggregate(
            name="order",
            doc="One order.",
            events=(*KINDS, *OF_DEPOTS.values()),
            state={"customer": latest("customer_no", Placed)},
        ),
    ),
)


def placed(row: Any) -> Occurrence:
    return Occurrence(
        when=row.ordered_at.isNotNull(),
        at=row.ordered_at,
        data={
            "order_no": row.order_no,
            "channel": row.channel,
            "customer_no": row.customer_no,
            "total": row.total,
            "placed_at": row.ordered_at,
        },
    )


def released(row: Any) -> Occurrence:
    return Occurrence(
        when=row.released_at.isNotNull(),
        at=row.released_at,
        data={"order_no": row.order_no, "depot": row.depot},
    )


def completed(row: Any) -> Occurrence:
    return Occurrence(
        when=row.status == "CLOSED",
        at=row.closed_at,
        data={"order_no": row.order_no, "items": row.items},
    )


def cancelled(row: Any) -> Occurrence:
    return Occurrence(
        when=row.status == "CANCL",
        at=row.cancelled_at,
        data={"order_no": row.order_no, "status": row.status},
    )


_OCCURRENCES = {Placed: placed, Released: released, Completed: completed, Cancelled: cancelled}


class _Orders(Translator):
    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = Order, "order_no"


class FourFacts(_Orders):
    """Four facts, 1.8 events a row."""

    version = "1.0.0"

    @fact(Placed)
    def placed(self, row: Any) -> Occurrence:
        return placed(row)

    @fact(Released)
    def released(self, row: Any) -> Occurrence:
        return released(row)

    @fact(Completed)
    def completed(self, row: Any) -> Occurrence:
        return completed(row)

    @fact(Cancelled)
    def cancelled(self, row: Any) -> Occurrence:
        return cancelled(row)


class OneInPython(FourFacts):
    """The same four facts, one of them in Python."""

    version = "1.0.0"

    @fact(Cancelled, per_row=True)
    def cancelled(self, row: Any) -> Occurrence:
        return cancelled(row)


def _rule(kind: type[Event], depot: str) -> Any:
    def of_depot(_translator: Translator, row: Any) -> Occurrence:
        occurrence = _OCCURRENCES[kind](row)
        return Occurrence(
            when=(row.depot == depot) & occurrence.when, at=occurrence.at, data=occurrence.data
        )

    of_depot.__name__ = f"{kind.__name__.lower()}_at_{depot.lower()}"
    return fact(OF_DEPOTS[kind, depot])(of_depot)


_RULES = [_rule(kind, depot) for kind in KINDS for depot in DEPOTS]
FortyFacts = type(
    "FortyFacts",
    (_Orders,),
    {"__doc__": "Forty facts, as many events.", "version": "1.0.0", "__module__": __name__}
    | {rule.__name__: rule for rule in _RULES},
)


def snapshot(spark: SparkSession, rows: int) -> DataFrame:
    """The changes table of a snapshot; one row in a hundred breaks the contract."""
    return _changes(spark.range(rows), op="r", position="0" * 20)


def updates(spark: SparkSession, rows: int) -> DataFrame:
    """Changes of every fifth order, one each: the new are released, the released closed."""
    moved = spark.range(0, rows, 5)
    return _changes(moved, op="u", position=f"{2000:020d}", later=1)


def _changes(ids: DataFrame, *, op: str, position: str, later: int = 0) -> DataFrame:
    mix = F.pmod(F.xxhash64("id"), F.lit(100))
    stage = F.when(mix < 40, 0).when(mix < 75, 1).when(mix < 95, 2).otherwise(3)
    stage = F.when(stage < 2, stage + later).otherwise(stage)
    ids = ids.select("id", mix.alias("mix"), stage.alias("stage"))
    names = F.array(*map(F.lit, STATUSES))
    depots = F.array(*map(F.lit, DEPOTS))
    channels = F.array(*map(F.lit, ("WEB", "STORE", "PHONE")))
    started = F.timestamp_seconds(
        F.lit(1_700_000_000) + F.pmod(F.col("id") * 7919, F.lit(90_000_000))
    )
    number = F.concat(F.lit("SO-"), F.lpad(F.col("id").cast("string"), 9, "0"))
    stage = F.col("stage")

    def after(hours: int) -> Any:
        return started + F.make_dt_interval(
            F.lit(0), F.lit(hours), F.pmod("id", F.lit(60)).cast("int")
        )

    cents = F.pmod(F.xxhash64(F.col("id") + 1), F.lit(1_000_000))
    broken = F.pmod(F.xxhash64(F.col("id") + 2), F.lit(100)) == 0
    values = {
        "order_no": number,
        "depot": depots[F.pmod("id", F.lit(10)).cast("int")],
        "channel": channels[F.pmod(F.xxhash64(F.col("id") + 3), F.lit(3)).cast("int")],
        "customer_no": F.concat(F.lit("C-"), F.pmod(F.xxhash64(F.col("id") + 4), F.lit(400_000))),
        "status": names[stage],
        "currency": F.lit("EUR"),
        "total": ((F.when(broken, -cents).otherwise(cents) - F.when(broken, 1).otherwise(0)) / 100),
        "items": F.pmod("id", F.lit(9)) + 1,
        "ordered_at": started,
        "released_at": F.when(stage.isin(1, 2), after(5)),
        "closed_at": F.when(stage == 2, after(60)),
        "cancelled_at": F.when(stage == 3, after(9)),
        "updated_at": after(61),
    }
    kinds = {name: c.dtype.type for name, c in Order.columns().items()}
    image = F.struct(*(values[n].cast(kinds[n]).alias(n) for n in kinds))
    changed = F.lit(EXTRACTED) + F.expr("make_dt_interval(0, 1)")
    values = {
        "source": F.lit("erp"),
        "table": F.lit("orders"),
        "key": F.concat(F.lit('["'), number, F.lit('"]')),
        "op": F.lit(op),
        "after": image,
        "position": F.lit(f"{position}.{0:020d}.{0:010d}"),
        "generation": F.lit(0 if op == "r" else None),
        "source_time": changed if op == "u" else F.lit(None),
        "extract_time": F.lit(EXTRACTED),
        "defects": F.array(),
    }
    return ids.select(
        *(values.get(c.name, F.lit(None)).cast(c.type).alias(c.name) for c in TABLE.columns)
    )
