"""The new side of the demo takes an order in one transaction with the row that lets it: while it
does, nobody can move the writes away."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.scripts import ORDERS


@pytest.mark.parametrize("writes", ["new", "held", "legacy"])
def test_the_row_does_not_move_while_an_order_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "control.db")) as control, control:
        control.execute("PRAGMA journal_mode = WAL")
        control.execute("CREATE TABLE cutline_rollouts (context, region, writes, epoch)")
        control.execute(
            "INSERT INTO cutline_rollouts VALUES ('fulfilment', 'eu-west', ?, 3)", [writes]
        )
    with closing(sqlite3.connect(tmp_path / "operations.db")) as operations:
        operations.execute("CREATE TABLE new_orders (order_no, region, placed_at, fed)")
    refused: list[str] = []

    def announce(_: object, order: object, epoch: int) -> None:
        assert epoch == 3
        with closing(sqlite3.connect(tmp_path / "control.db", timeout=0)) as control:
            try:
                control.execute("UPDATE cutline_rollouts SET writes = 'held', epoch = 4")
                control.commit()
            except sqlite3.OperationalError as error:
                refused.append(str(error))

    monkeypatch.setattr(ORDERS.Customers, "_announce", announce)
    customers = object.__new__(ORDERS.Customers)
    customers._project = tmp_path
    order = ORDERS.Order("SO-1", "eu-west", dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    assert customers._ask_new(order) == (writes == "new")
    assert refused == ["database is locked"] * (writes == "new")
    with closing(sqlite3.connect(tmp_path / "operations.db")) as operations:
        rows = operations.execute("SELECT order_no FROM new_orders").fetchall()
    assert rows == [("SO-1",)] * (writes == "new")
    with closing(sqlite3.connect(tmp_path / "control.db", timeout=0)) as control, control:
        control.execute("UPDATE cutline_rollouts SET writes = 'held'")
