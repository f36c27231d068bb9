"""The two tables of the model as a legacy system, and the simplest translators of them."""

from __future__ import annotations

from typing import ClassVar

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, last_of_types, latest
from cutline.context.aggregate import CONTINUES, SPLITS
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    fact,
    removed,
    table,
)


class OnceALife(Event):
    """Something that happens once in the life of a row."""

    identified_by: ClassVar[tuple[str, ...]] = ("born",)
    born: int


class Opened(OnceALife):
    """A row began to live."""

    status: int
    qty: int
    note: str | None = None


class Released(OnceALife):
    """Its status is 1 or more."""


class Settled(OnceALife):
    """Its status is 2."""


class Measured(Event):
    """One of its values moved."""

    status: int
    qty: int
    note: str | None = None


class Removed(OnceALife):
    """It was deleted."""


def _context(renamed: str) -> Context:
    lives = {Opened: "there", Measured: "there", Removed: "gone"}
    values = {name: latest(name, Opened, Measured) for name in ("status", "qty", "note")}
    row = Aggregate(
        name="row",
        doc="One row of either table.",
        events=(Opened, Released, Settled, Measured, Removed),
        state={**values, "life": last_of_types(lives)},
        renamed=renamed,
    )
    return Context(name="model", doc="The model's rows.", aggregates=(row,))


CONTEXTS = {renamed: _context(renamed) for renamed in (CONTINUES, SPLITS)}
"""By what becomes of a row whose key changes."""


class Item(SourceContract):
    """One row of the table that has one key column."""

    id: T.StringType = column(doc="key", nullable=False)
    born: T.LongType = column(doc="the number of its life", stable=True, nullable=False)
    status: T.LongType = column(doc="0 to 2", nullable=False)
    qty: T.LongType = column(doc="a quantity", nullable=False)
    note: T.StringType = column(doc="a long text", nullable=False)

    class Config:
        metadata = table("model", "items", key=["id"])


class Line(SourceContract):
    """One row of the table that has two key columns."""

    no: T.StringType = column(doc="first key", nullable=False)
    sku: T.StringType = column(doc="second key", nullable=False)
    born: T.LongType = column(doc="the number of its life", stable=True, nullable=False)
    status: T.LongType = column(doc="0 to 2", nullable=False)
    qty: T.LongType = column(doc="a quantity", nullable=False)
    note: T.StringType = column(doc="a long text", nullable=False)

    class Config:
        metadata = table("model", "lines", key=["no", "sku"])


class _Facts:
    """What both tables mean."""

    @fact(Opened)
    def opened(self, row):
        values = {"status": row.status, "qty": row.qty, "note": row.note}
        return Occurrence(time_basis="commit", data={"born": row.born, **values})

    @fact(Released)
    def released(self, row):
        return Occurrence(when=row.status >= 1, time_basis="commit", data={"born": row.born})

    @fact(Settled)
    def settled(self, row):
        return Occurrence(when=row.status >= 2, time_basis="commit", data={"born": row.born})

    @changed(Measured, of=["status", "qty", "note"])
    def measured(self, row):
        values = {"status": row.status, "qty": row.qty, "note": row.note}
        return Occurrence(time_basis="commit", data=values)

    @removed(Removed)
    def removed(self, row):
        return Occurrence(when=False, time_basis="commit", data={"born": row.born})


class Items(_Facts, Translator):
    """The rows with one key column."""

    context = CONTEXTS[CONTINUES]
    aggregate = "row"
    version = "1.0.0"
    source = Item
    subject = "id"


class Lines(_Facts, Translator):
    """The rows with two key columns."""

    context = CONTEXTS[CONTINUES]
    aggregate = "row"
    version = "1.0.0"
    source = Line
    subject = ("no", "sku")


class SplitItems(Items):
    """The same, where another key is another row."""

    context = CONTEXTS[SPLITS]


class SplitLines(Lines):
    """The same, where another key is another row."""

    context = CONTEXTS[SPLITS]


TRANSLATORS: dict[str, tuple[type[Translator], ...]] = {
    CONTINUES: (Items, Lines),
    SPLITS: (SplitItems, SplitLines),
}
