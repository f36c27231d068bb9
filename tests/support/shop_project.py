"""The smallest project over a log: orders and their lines, in a file or in topics of Kafka."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from cutline.project import LoadedProject, load
from support.logged import logged

PYPROJECT = """\
[project]
name = "late-orders"
version = "0.1.0"
[project.entry-points."cutline.contexts"]
shop = "topic_shop:SHOP"
[project.entry-points."cutline.translators"]
late-orders-1 = "topic_shop:LATE_ORDERS"
"""
PLUGIN = '''\
"""Orders and their lines."""

from cutline.translator import Translation, Truth
from support.late_orders import SHOP, Orders

LATE_ORDERS = Translation(
    name="late-orders", version="1.0.0", context=SHOP, translators=(Orders,),
    truth=Truth(aggregates={"order": "SELECT CAST(no AS TEXT) AS subject, placed FROM web.orders"}),
)
'''
CONFIG: dict[str, Any] = {
    "version": 1,
    "name": "shop",
    "topics": {"prefix": "shop"},
    "sources": {
        "web": {
            "kind": "log",
            "truth": "now.db",
            "extracted_at": "2026-10-01T00:00:00Z",
            "tables": {"lines": {}, "orders": {}, "notes": {}},
        }
    },
    "regions": {"all": {"everything": True}},
    "contexts": {
        "shop": {
            "translation": {"use": "late-orders", "major": 1},
            "cut": {"policy": "commit-timestamp", "at": "2026-10-02T00:00:00Z"},
        }
    },
}


def write_project(
    folder: Path, changes: Mapping[str, Any], orders: int, live: Mapping[str, Any] | None = None
) -> Path:
    """A project whose log is as `changes` says, and whose truth has so many orders; `live` says
    where live events are."""
    folder.mkdir()
    document: dict[str, Any] = json.loads(json.dumps(CONFIG))
    document["sources"]["web"]["changes"] = {
        "kind": "debezium",
        "snapshot": {"policy": "in-log"},
        **changes,
    }
    if live is not None:
        document["contexts"]["shop"]["live"] = dict(live)
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    with sqlite3.connect(folder / "now.db") as database:
        for table in ("lines", "notes"):
            database.execute(f"CREATE TABLE {table} (no INTEGER)")
        database.execute("CREATE TABLE orders (no INTEGER, placed INTEGER)")
        database.executemany("INSERT INTO orders VALUES (?, 1)", [(n + 1,) for n in range(orders)])
    return folder


def project_without_changes(folder: Path) -> LoadedProject:
    """A project whose log is there and empty, and whose truth has one order, loaded."""
    write_project(folder, {"path": "changes.jsonl"}, 1)
    (folder / "changes.jsonl").write_text("")
    return load(folder, "all")


def order_records(number: int) -> list[tuple[str, dict[str, Any]]]:
    """What the connector writes of an order and its line, each with its table."""
    rows = [
        ("lines", {"line_no": number, "order_no": number, "item": "tea"}),
        ("orders", {"no": number, "buyer": f"buyer {number}"}),
    ]
    records = []
    for place, (table, after) in enumerate(rows, 2 * number - 1):
        last = 1000 + 20 * (place - 1)
        change = logged(table, None, after, transaction=place, row=1, lsn=last + 10, last=last)
        records.append((table, change))
    return records


def exported(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as `kcat -J` exports them."""
    return "".join(json.dumps(record) + "\n" for record in records)
