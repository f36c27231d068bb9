"""Orders whose buyer may be a question mark: version 1 does not know who pays, version 2 does."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from support.logged import install_plugin, logged

PYPROJECT = """\
[project]
name = "cash-orders"
version = "0.1.0"
[project.entry-points."cutline.contexts"]
shop = "{package}:SHOP"
[project.entry-points."cutline.translators"]
cash-orders-1 = "{package}:DOUBTED"
cash-orders-2 = "{package}:UNDERSTOOD"
"""
PLUGIN = '''\
"""Orders with their lines, by two versions of one translator."""

from cutline.translator import Translation, Truth
from support.late_orders import SHOP, Orders


class PaidInCash(Orders):
    """Who pays in cash has no name."""

    version, no_buyer = "2.0.0", None

    @classmethod
    def name(cls):
        return Orders.name()


_TRUTH = Truth(aggregates={"order": "SELECT CAST(no AS TEXT) AS subject, placed FROM web.orders"})
DOUBTED = Translation("cash-orders", "1.0.0", SHOP, (Orders,), _TRUTH)
UNDERSTOOD = Translation("cash-orders", "2.0.0", SHOP, (PaidInCash,), _TRUTH)
'''


def install_cash_orders(monkeypatch: pytest.MonkeyPatch, folder: Path, package: str) -> None:
    """Has both versions installed for this process, as a package of that name, until the test ends."""
    install_plugin(monkeypatch, folder, package, PYPROJECT.format(package=package), PLUGIN)


def write_orders(project: Path, orders: int, doubted: int | None = None) -> None:
    """So many orders with a line each, as changes and as the legacy has them.

    Nobody knows who pays the last one, and at last `doubted`, where there is one.
    """
    records: list[dict[str, Any]] = []
    for number in range(1, orders + 1):
        after = {"no": number, "buyer": "Ann"}
        line = {"line_no": number, "order_no": number, "item": "tea"}
        for table, row in (("lines", line), ("orders", after)):
            last = 1000 + 20 * len(records)
            transaction = len(records) + 1
            records.append(
                logged(table, None, row, transaction=transaction, row=1, lsn=last + 10, last=last)
            )
    if doubted is not None:
        records[-1]["after"]["buyer"] = "?"
        last, before = 1000 + 20 * len(records), {"no": doubted, "buyer": "Ann"}
        place = {"transaction": len(records) + 1, "row": 1, "lsn": last + 10, "last": last}
        records.append(logged("orders", before, before | {"buyer": "?"}, **place))
    (project / "changes.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    (project / "now.db").unlink(missing_ok=True)
    with sqlite3.connect(project / "now.db") as database:
        for table in ("lines", "notes"):
            database.execute(f"CREATE TABLE {table} (no INTEGER)")
        database.execute("CREATE TABLE orders (no INTEGER, placed INTEGER)")
        database.executemany("INSERT INTO orders VALUES (?, 1)", [(n + 1,) for n in range(orders)])
