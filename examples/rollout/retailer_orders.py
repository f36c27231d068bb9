"""Customers who go on ordering while the retailer's slices are rolled out.

Between two commands of the story some of them order in every region. Each asks who took the order
before, and where that side refuses, the other one; an order that nobody takes is not placed. What
they were answered is remembered, and held at the end against what is there.

The legacy is the demo's ERP: a change file that grows, the database that it stands for, and the
table of `operations.db` whose trigger refuses orders while a denial stands. The new side takes an
order only where the control database says that it writes, in one transaction with that row, and
announces it on the live topics under the epoch that it read there; a feed brings it to the ERP.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from cutline.topics.murmur2 import partition

CONTEXT = "fulfilment"
REGIONS = ("eu-west", "us-east")
CURRENCIES = {"eu-west": "EUR", "us-east": "USD"}
PARTITIONS = 4
SKU, PRICE = "SKU-00002", 9845
"""What everybody orders, and what it costs in cents: an article of the demo."""


@dataclass(frozen=True)
class Order:
    """An order of one article, placed at a moment in UTC."""

    number: str
    region: str
    placed_at: dt.datetime

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """By table of the ERP, its row there."""
        at = f"{self.placed_at:%Y-%m-%dT%H:%M:%SZ}"
        head = {"order_no": self.number, "region": self.region}
        return {
            "orders": {
                **head,
                **{"channel": "STORE", "customer_no": "C-0000001", "status": "NEW"},
                **{"currency": CURRENCIES[self.region], "total_cents": PRICE, "ordered_at": at},
                **dict.fromkeys(("booked_at", "allocated_at", "released_at", "closed_at")),
                **{"cancelled_at": None, "updated_at": at},
            },
            "order_lines": {
                **{"order_no": self.number, "line_no": 1, "region": self.region},
                **{"sku": SKU, "quantity": 1, "unit_price_cents": PRICE, "line_status": "OPEN"},
                **{"ordered_at": at, "allocated_at": None, "shipped_at": None},
                **{"cancelled_at": None},
            },
        }

    @property
    def events(self) -> tuple[tuple[str, str, str, dict[str, Any]], ...]:
        """Aggregate, subject, type and data of what is announced of it."""
        at = f"{self.placed_at:%Y-%m-%dT%H:%M:%S}.000000Z"
        placed = {
            **{"cart_no": None, "channel": "STORE", "currency": CURRENCIES[self.region]},
            **{"customer_no": "C-0000001", "placed_at": at, "total_cents": PRICE},
        }
        ordered = {
            **{"line_no": 1, "needs": [{"quantity": 1, "sku": SKU}], "order_no": self.number},
            **{"quantity": 1, "region": self.region, "sku": SKU},
        }
        return (
            ("customer_order", self.number, "OrderPlaced", placed),
            ("fulfilment_line", f"{self.number}/1", "LineOrdered", ordered),
        )


class Erp:
    """The demo's ERP: its change file, and the database as it stands now."""

    def __init__(self, project: Path) -> None:
        self._changes = project / "extract" / "changes" / "erp.jsonl"
        self._database = project / "legacy" / "erp.db"

    def go_on_from(self, cut: dt.datetime, topics: Path) -> None:
        """Let it go on from the demo's cut, at which the demo leaves its database.

        The few changes that the change file has behind it are taken out; what the new producer
        alone took there, the ERP takes now.
        """
        lines = self._changes.read_text(encoding="utf-8").splitlines(keepends=True)
        ends = cut.timestamp() * 1000
        before = [line for line in lines if json.loads(line)["source"]["ts_ms"] <= ends]
        self._changes.write_text("".join(before), encoding="utf-8")
        with closing(sqlite3.connect(self._database)) as database:
            has = {number for (number,) in database.execute("SELECT order_no FROM orders")}
        for table, row in _orders_of_the_producer(topics, has):
            self._write(table, row)

    def take(self, order: Order) -> None:
        """Write an order and its line, in one transaction of its log."""
        for table, row in order.rows.items():
            self._write(table, row)

    def numbers(self) -> Counter[str]:
        """How often each order came into the log, which is what runs read."""
        changes = map(json.loads, self._changes.read_text(encoding="utf-8").splitlines())
        return Counter(
            change["after"]["order_no"]
            for change in changes
            if change["op"] == "c" and change["source"]["table"] == "orders"
        )

    def _write(self, table: str, row: dict[str, Any]) -> None:
        *_, last = self._changes.read_text(encoding="utf-8").splitlines()
        source = json.loads(last)["source"]
        now = int(dt.datetime.now(dt.UTC).timestamp() * 1000)
        lsn = source["lsn"] + 96
        change = {
            "before": None,
            "after": row,
            "source": source
            | {"ts_ms": now, "table": table, "txId": source["txId"] + 1, "lsn": lsn}
            | {"sequence": json.dumps([str(source["lsn"]), str(lsn)])},
            **{"transaction": None, "op": "c", "ts_ms": now},
        }
        with closing(sqlite3.connect(self._database)) as database, database:
            _put(database, table, row)
        with self._changes.open("a", encoding="utf-8") as file:
            file.write(json.dumps(change, separators=(",", ":")) + "\n")


@dataclass
class Answers:
    """What the customers of a region were answered: the orders that each side took, and those that
    nobody took."""

    legacy: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Customers:
    """The customers of both regions, in a project folder of the demo with the story's tables.

    From now on the slices follow the ERP beyond the demo's cut, which is an hour ahead of now.
    """

    def __init__(self, project: Path) -> None:
        self._project = project
        self._erp = Erp(project)
        self._topics = project / "topics"
        self._placed = 0
        self._took_last = dict.fromkeys(REGIONS, "legacy")
        self.answers = {region: Answers() for region in REGIONS}
        config = project / "cutline.yaml"
        self._erp.go_on_from(_cut(config), self._topics)
        _move_cut(config, dt.datetime.now(dt.UTC) + dt.timedelta(hours=1))

    def order(self) -> None:
        """One order in each region, and what the new side took is brought to the ERP."""
        for region in REGIONS:
            self._placed += 1
            order = Order(f"SO-7{self._placed:07d}", region, dt.datetime.now(dt.UTC))
            side = self._side_that_takes(order)
            if side != "refused":
                self._took_last[region] = side
            getattr(self.answers[region], side).append(order.number)
        self.feed_back()

    def feed_back(self) -> None:
        """Bring to the ERP what the new side took and it does not have."""
        with self._operations() as database:
            rows = database.execute(
                "SELECT order_no, region, placed_at FROM new_orders WHERE NOT fed ORDER BY order_no"
            ).fetchall()
        for number, region, placed_at in rows:
            order = Order(number, region, dt.datetime.fromisoformat(placed_at))
            with self._operations() as database:
                # As what the trigger lets through.
                database.execute("INSERT INTO orders VALUES (?, ?, 'FED')", [number, region])
                self._erp.take(order)
                database.execute("UPDATE new_orders SET fed = 1 WHERE order_no = ?", [number])
        with self._operations() as database:
            database.execute(
                "UPDATE feed SET behind = (SELECT count(*) FROM new_orders WHERE NOT fed)"
            )

    def account(self, region: str) -> str:
        """A sentence on who took how many orders of a region."""
        answers = self.answers[region]
        return (
            f"{region}: {len(answers.legacy)} orders were taken by the legacy, {len(answers.new)} "
            f"by the new side, {len(answers.refused)} by nobody, who was told so."
        )

    def faults(self, region: str) -> list[str]:
        """A sentence for each way in which an order of a region is lost, doubled, or there though
        it was refused; none where all is well. Its live events must have been fed by now."""
        answers = self.answers[region]
        taken = Counter([*answers.legacy, *answers.new])
        asked = {*taken, *answers.refused}
        places = {
            "the ERP": (self._erp.numbers(), taken),
            "the live topic": (self._announced(), Counter(answers.new)),
            "the read model": (self._shown(region), taken),
        }
        sentences = []
        for place, (numbers, wanted) in places.items():
            has = Counter({no: times for no, times in numbers.items() if no in asked})
            if has != wanted:
                sentences.append(
                    f"{place} has {sorted(has - wanted)} of {region} too much, and lacks "
                    f"{sorted(wanted - has)}"
                )
        return sentences

    def _side_that_takes(self, order: Order) -> str:
        """`legacy` or `new`; `refused` where neither takes it."""
        sides = {"legacy": self._ask_legacy, "new": self._ask_new}
        first = self._took_last[order.region]
        for side in sorted(sides, key=lambda name: name != first):
            if sides[side](order):
                return side
        return "refused"

    def _ask_legacy(self, order: Order) -> bool:
        try:
            with self._operations() as database:
                database.execute(
                    "INSERT INTO orders VALUES (?, ?, 'NEW')", [order.number, order.region]
                )
                self._erp.take(order)
        except sqlite3.IntegrityError:
            return False
        return True

    def _ask_new(self, order: Order) -> bool:
        with self._operations() as database:
            # One transaction over both databases: nobody moves the row until the order is there.
            database.execute("ATTACH ? AS control", [str(self._project / "control.db")])
            database.execute("BEGIN IMMEDIATE")
            row = database.execute(
                "SELECT writes, epoch FROM control.cutline_rollouts "
                "WHERE context = ? AND region = ?",
                [CONTEXT, order.region],
            ).fetchone()
            if row is None or row[0] != "new":
                return False
            database.execute(
                "INSERT INTO new_orders VALUES (?, ?, ?, 0)",
                [order.number, order.region, order.placed_at.isoformat()],
            )
            self._announce(order, row[1])
        return True

    def _announce(self, order: Order, epoch: int) -> None:
        moment = f"{order.placed_at:%Y-%m-%dT%H:%M:%S.%f}Z"
        for aggregate, subject, type_, data in order.events:
            folder = self._topics / f"retail.{CONTEXT}.{aggregate}.live"
            number = partition(subject, PARTITIONS)
            file = folder / f"{number:05d}.jsonl"
            offset = sum(1 for _ in file.open(encoding="utf-8"))
            headers = {
                **{"ce_id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{subject} {type_}"))},
                **{"ce_specversion": "1.0", "ce_source": "urn:retail:live:orders"},
                **{"ce_type": type_, "ce_subject": subject, "ce_time": moment},
                **{"ce_partitionkey": subject, "ce_migcontext": CONTEXT},
                **{"ce_migregion": order.region, "ce_migepoch": str(epoch)},
                **{"content-type": "application/json"},
            }
            record = {
                **{"partition": number, "offset": offset, "timestamp": moment, "key": subject},
                **{"headers": headers, "value": data},
            }
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(record, separators=(",", ":")) + "\n")

    def _announced(self) -> Counter[str]:
        records = _live_records(self._topics, "customer_order")
        return Counter(record["key"] for record in records)

    def _shown(self, region: str) -> Counter[str]:
        with closing(sqlite3.connect(self._project / "readmodel.db")) as database:
            rows = database.execute(f'SELECT subject FROM "customer_order_{region}"')
            return Counter(number for (number,) in rows)

    @contextmanager
    def _operations(self) -> Iterator[sqlite3.Connection]:
        """The legacy's tables in one transaction."""
        with closing(sqlite3.connect(self._project / "operations.db")) as database, database:
            yield database


def _orders_of_the_producer(topics: Path, has: set[str]) -> list[tuple[str, dict[str, Any]]]:
    """Table and row of what the demo's live topics tell of orders that the ERP does not have."""
    rows: list[tuple[str, dict[str, Any]]] = []
    placed: dict[str, dict[str, Any]] = {}
    for record in _live_records(topics, "customer_order"):
        if record["headers"]["ce_type"] == "OrderPlaced" and record["key"] not in has:
            region, data = record["headers"]["ce_migregion"], record["value"]
            order = Order(record["key"], region, dt.datetime.fromisoformat(data["placed_at"]))
            head = {name: data[name] for name in ("channel", "customer_no", "total_cents")}
            placed[order.number] = order.rows["order_lines"]
            rows.append(("orders", order.rows["orders"] | head))
    for record in _live_records(topics, "fulfilment_line"):
        data = record["value"]
        if record["headers"]["ce_type"] == "LineOrdered" and data["order_no"] in placed:
            line = {name: data[name] for name in ("line_no", "sku", "quantity")}
            rows.append(("order_lines", placed[data["order_no"]] | line))
    return rows


def _cut(config: Path) -> dt.datetime:
    """The moment up to which cutline.yaml has the slices follow the ERP."""
    at = yaml.safe_load(config.read_text(encoding="utf-8"))["contexts"][CONTEXT]["cut"]["at"]
    return at if isinstance(at, dt.datetime) else dt.datetime.fromisoformat(at)


def _move_cut(config: Path, cut: dt.datetime) -> None:
    """Let the slices follow the ERP up to a moment."""
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["contexts"][CONTEXT]["cut"]["at"] = f"{cut:%Y-%m-%dT%H:%M:%SZ}"
    config.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


def _put(database: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    database.execute(
        f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", list(row.values())
    )


def _live_records(topics: Path, aggregate: str) -> list[dict[str, Any]]:
    """The records of a live topic that can be read."""
    records = []
    for file in sorted((topics / f"retail.{CONTEXT}.{aggregate}.live").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                # One of the demo's was cut off, and sent again.
                continue
    return records
