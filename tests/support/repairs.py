"""A repair shop with two logs: tickets with items and customers, and elsewhere the customers' tiers.

Tickets change their numbers, items move between tickets, customers are looked up as of the commit,
and tiers at the cut. Histories are drawn by the seed, as wal2json writes them.
"""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Iterator
from typing import Any

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, count, last_of_types, latest
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    changed,
    column,
    fact,
    lookup,
    part,
    removed,
    table,
)


class Opened(Event):
    """A ticket was opened."""

    customer: str | None = None
    tier: str | None = None


class Packed(Event):
    """It has an item."""

    pieces: int | None = None


class Noted(Event):
    """Its note was changed."""

    note: str | None = None


class Done(Event):
    """It is done."""


class Withdrawn(Event):
    """It was taken back."""


TICKET = Aggregate(
    name="ticket",
    doc="A ticket.",
    events=(Opened, Packed, Noted, Done, Withdrawn),
    state={
        "status": last_of_types({Opened: "open", Done: "done"}),
        "note": latest("note", Noted),
        "notes": count(Noted),
    },
    ended_by=(Withdrawn,),
)
REPAIRS = Context(name="repairs", doc="A repair shop.", aggregates=(TICKET,))


class Ticket(SourceContract):
    """A ticket."""

    no: T.StringType = column(doc="number", nullable=False)
    customer: T.IntegerType = column(doc="whose", nullable=True)
    status: T.StringType = column(doc="status", nullable=False)
    note: T.StringType = column(doc="note", nullable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "ticket", key=["no"])


class Item(SourceContract):
    """An item of a ticket."""

    id: T.IntegerType = column(doc="number", nullable=False)
    ticket: T.StringType = column(doc="ticket", nullable=False)
    pieces: T.IntegerType = column(doc="pieces", ge=0)

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "item", key=["id"])


class Customer(SourceContract):
    """A customer."""

    id: T.IntegerType = column(doc="number", nullable=False)
    name: T.StringType = column(doc="name", nullable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "customer", key=["id"])


class Tier(SourceContract):
    """What a customer pays."""

    customer: T.IntegerType = column(doc="customer", nullable=False)
    tier: T.StringType = column(doc="tier", nullable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("crm", "tier", key=["customer"])


class Tickets(Translator):
    """Tickets with their items."""

    context, aggregate, version = REPAIRS, "ticket", "1.0.0"

    ticket = part(Ticket, subject="no")
    item = part(Item, subject="ticket", required=False)
    customer = lookup(Customer, on="customer")
    tier = lookup(Tier, on="customer", frozen=True)

    @fact(Opened)
    def opened(self, row):
        data = {"customer": row.customer.name, "tier": row.tier.tier}
        return Occurrence(time_basis=COMMIT, data=data)

    @fact(Packed, transient=True)
    def packed(self, row):
        when = row.item.id.isNotNull()
        return Occurrence(when=when, time_basis=COMMIT, data={"pieces": row.item.pieces})

    @changed(Noted, of="ticket.note")
    def noted(self, row):
        return Occurrence(time_basis=COMMIT, data={"note": row.ticket.note})

    @fact(Done, transient=True)
    def done(self, row):
        return Occurrence(when=row.ticket.status == "done", time_basis=COMMIT)

    @removed(Withdrawn)
    def withdrawn(self, row):
        return Occurrence(when=False, time_basis=COMMIT)


TRANSLATION = Translation("repairs", "1.0.0", REPAIRS, (Tickets,))
LOGS = {"shop": ("ticket", "item", "customer"), "crm": ("tier",)}
KEYS = 24
"""So many tickets, items and customers there can be: some meet often, and some hang together."""
_KEYS = {"ticket": "no", "item": "id", "customer": "id", "tier": "customer"}
_BEGIN = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)

Row = dict[str, Any]


class Drawn:
    """A history by its seed, as the lines of both logs."""

    def __init__(self, seed: int, commits: int) -> None:
        self._rng = random.Random(f"repairs {seed}")
        self._rows: dict[str, dict[Any, Row]] = {name: {} for name in _KEYS}
        self.lines: dict[str, list[str]] = {name: [] for name in LOGS}
        for number in range(commits):
            log = "crm" if self._rng.random() < 0.2 else "shop"
            changes = [
                change for _ in range(self._rng.randint(1, 3)) for change in self._change(log)
            ]
            self.lines[log] += transaction(number, changes)

    def _change(self, log: str) -> Iterator[tuple[str, str, Row, Row]]:
        """The action on a table, with the new row and the old one's key."""
        rng = self._rng
        name = rng.choice(LOGS[log])
        rows, key = self._rows[name], _KEYS[name]
        value = self._key_value(name)
        old = rows.get(value)
        if old is None:
            rows[value] = self._row(name, value)
            yield "I", name, rows[value], {}
        elif rng.random() < 0.15:
            del rows[value]
            yield "D", name, {}, {key: value}
        else:
            new = self._row(name, value)
            given_away = self._key_value(name)
            if name == "ticket" and rng.random() < 0.3 and given_away not in rows:
                new[key] = given_away
            del rows[value]
            rows[new[key]] = new
            # An unchanged large value is not in the log.
            logged_values = {n: v for n, v in new.items() if n != "note" or v != old["note"]}
            yield "U", name, logged_values, {key: value}

    def _key_value(self, name: str) -> Any:
        number = self._rng.randint(1, KEYS)
        return f"T{number}" if name == "ticket" else number

    def _row(self, name: str, key: Any) -> Row:
        rng = self._rng
        if name == "ticket":
            return {
                "no": key,
                "customer": rng.choice([*range(1, KEYS + 1), None]),
                "status": rng.choice(["open", "done"]),
                "note": rng.choice(["a", "b", None]),
            }
        if name == "item":
            return {"id": key, "ticket": f"T{rng.randint(1, KEYS)}", "pieces": rng.randint(-1, 3)}
        if name == "customer":
            return {"id": key, "name": rng.choice(["Ann", "Bob"])}
        return {"customer": key, "tier": rng.choice(["gold", "iron"])}


def transaction(number: int, changes: list[tuple[str, str, Row, Row]]) -> list[str]:
    """The lines of a commit: of each change its action, its table, the new row and the old key."""
    lsn = f"0/{1000 + 16 * number:X}"
    at = (_BEGIN + dt.timedelta(seconds=number)).isoformat()
    head = {"xid": number + 1, "timestamp": at}
    lines = [{"action": "B", **head, "lsn": lsn}]
    for i, (action, name, row, old) in enumerate(changes):
        place = {"lsn": f"0/{1000 + 16 * number - 8 + i:X}", "schema": "public", "table": name}
        cells = {"columns": _cells(row)} if row else {}
        identity = {"identity": _cells(old)} if old else {}
        lines.append({"action": action, **head, **place, **cells, **identity})
    lines.append({"action": "C", **head, "lsn": lsn})
    return [json.dumps(line) + "\n" for line in lines]


def _cells(row: Row) -> list[dict[str, Any]]:
    return [
        {"name": name, "type": "integer" if isinstance(value, int) else "text", "value": value}
        for name, value in row.items()
    ]
