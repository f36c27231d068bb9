"""The desk's context, and how its legacy's rows are read, as a distribution to install."""

from __future__ import annotations

from pathlib import Path

PACKAGE = "order_desk_plugin"
PYPROJECT = f"""\
[project]
name = "order-desk"
version = "0.1.0"
[project.entry-points."cutline.contexts"]
desk = "{PACKAGE}:DESK"
[project.entry-points."cutline.translators"]
order-desk-1 = "{PACKAGE}:ORDER_DESK"
"""
PLUGIN = '''\
"""Orders as a desk takes them."""

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, latest
from cutline.translator import (
    COMMIT, Occurrence, SourceContract, Translation, Translator, Truth, column, fact, table,
)


class OrderPlaced(Event):
    """An order was placed."""

    buyer: str
    item: str


ORDER = Aggregate(
    name="order",
    doc="An order.",
    events=(OrderPlaced,),
    state={"buyer": latest("buyer", OrderPlaced), "item": latest("item", OrderPlaced)},
)
DESK = Context(name="desk", doc="Orders.", aggregates=(ORDER,))


class OrderRow(SourceContract):
    """One row is one order."""

    no: T.StringType = column(doc="number", nullable=False)
    region: T.StringType = column(doc="where", nullable=False)
    buyer: T.StringType = column(doc="who", nullable=False)
    item: T.StringType = column(doc="what", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "orders", key=["no"])


class Orders(Translator):
    """A row is an order that was placed."""

    context, aggregate, version = DESK, "order", "1.0.0"
    source, subject = OrderRow, "no"

    @fact(OrderPlaced)
    def placed(self, row):
        return Occurrence(time_basis=COMMIT, data={"buyer": row.buyer, "item": row.item})


ORDER_DESK = Translation(
    name="order-desk", version="1.0.0", context=DESK, translators=(Orders,),
    truth=Truth(aggregates={
        "order": "SELECT no AS subject, buyer, item, changed_at FROM shop.orders WHERE region = :region"
    }),
)
'''


def write_plugin(folder: Path) -> Path:
    """The distribution's folder, to be installed."""
    module = folder / "src" / PACKAGE
    module.mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (module / "__init__.py").write_text(PLUGIN)
    return folder
