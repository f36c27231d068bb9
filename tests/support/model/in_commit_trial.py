"""An order, its entry and its lines: what each commit did to them, in plain Python.

Each history is read from every cut: what was committed before it is a snapshot. Of a commit behind
the cut the same is told whatever the cut is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.deliveries import LineRow, NewOrderRow, OrderRow, Orders

ORDER, ENTRY, LINES = "order", "entry", (1, 2, 3)
Write = tuple[str | int, int | str | None]
"""What it wrote: the order's carrier, the entry, or the amount of a line; null, the row went."""

Commit = Sequence[Write]
Delivery = tuple[str, int, int]
"""The carrier, how many lines were updated, and the sum of what was written."""


def histories(count: int) -> list[Sequence[Commit]]:
    """So many histories of one order, the same each time."""
    return [list(_history(random.Random(f"in commit {seed}"))) for seed in range(count)]


def _history(rng: random.Random) -> Iterator[Commit]:
    values_by_row: dict[str | int, Any] = {ORDER: None, ENTRY: None, **dict.fromkeys(LINES)}
    for c in range(rng.randint(2, 6)):
        rows: list[str | int] = rng.choices([ORDER, ENTRY, ENTRY, *LINES], k=rng.choice([1, 2, 4]))
        if c == 0 or rng.random() < 0.5:
            # As an application opens or delivers an order.
            rows += [ORDER, ENTRY, *rng.sample(LINES, 2)]
        rng.shuffle(rows)
        writes: list[Write] = []
        for row in rows:
            deletes = row != ORDER and values_by_row[row] is not None and rng.random() < 0.6
            value = rng.choice(["DHL", "UPS", ""]) if row in (ORDER, ENTRY) else rng.randint(1, 99)
            values_by_row[row] = None if deletes else value
            writes.append((row, values_by_row[row]))
        yield writes


def expected(history: Sequence[Commit], cut: int) -> dict[int, Delivery]:
    """By commit behind the cut that changed the order, what it says is delivered."""
    now: dict[str | int, Any] = {ORDER: None, ENTRY: None, **dict.fromkeys(LINES)}
    deliveries: dict[int, Delivery] = {}
    for c, writes in enumerate(history):
        then = dict(now)
        now |= dict(writes)
        written = {row for row, _ in writes}
        went = then[ENTRY] is not None and now[ENTRY] is None
        if c < cut or ORDER not in written or not went or not now[ORDER]:
            continue
        stand = [line for line in LINES if line in written and now[line] is not None]
        updated = sum(then[line] is not None for line in stand)
        deliveries[c] = now[ORDER], updated, sum(now[line] for line in stand)
    return deliveries


def engine_deliveries(
    spark: SparkSession, cases: Sequence[tuple[Sequence[Commit], int]]
) -> list[dict[int, Delivery]]:
    """What the engine says of each history from a cut on, by commit, in one job."""
    tables: dict[Any, list[dict[str, Any]]] = {OrderRow: [], NewOrderRow: [], LineRow: []}
    for number, (history, cut) in enumerate(cases):
        images: dict[str | int, dict[str, Any] | None] = {}
        for c, writes in enumerate([*history, []]):
            if c == cut:
                for row, image in images.items():
                    if image is not None:
                        tables[_table(row)].append(
                            snapshot(image) | {"transaction": f"{number}.-1"}
                        )
            for r, (row, value) in enumerate(writes):
                before, after = images.get(row), _image(row, number, value)
                images[row] = after
                if c >= cut and (before or after):
                    op = "c" if before is None else "d" if after is None else "u"
                    change_row = change(op, 10 * (c + 1), before=before, after=after)
                    change_row |= {
                        "position": position(10 * (c + 1), r),
                        "transaction": f"{number}.{c}",
                    }
                    tables[_table(row)].append(change_row)
    inputs = {
        contract: changes_table(spark, contract, rows, consistent_point=position(1))
        for contract, rows in tables.items()
    }
    deliveries: list[dict[int, Delivery]] = [{} for _ in cases]
    for row in (
        translate_changes(Orders, inputs).select("transaction", "events").toArrow().to_pylist()
    ):
        for event in row["events"]:
            if event["type"] == "Delivered":
                number, c = map(int, row["transaction"].split("."))
                data = json.loads(event["data"])
                assert c not in deliveries[number], "a delivery is told twice"
                deliveries[number][c] = data["carrier"], data["lines"], data["amount"]
    return deliveries


def _table(row: str | int) -> Any:
    return {ORDER: OrderRow, ENTRY: NewOrderRow}.get(str(row), LineRow)


def _image(row: str | int, number: int, value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if row == ORDER:
        return {"no": number, "carrier": value or None}
    line = {} if row == ENTRY else {"line": row, "amount": value}
    return {"order_no": number, **line}


def differing(spark: SparkSession, count: int = 60) -> set[str]:
    """What is wrong with the deliveries, by kind, from any cut; nothing where all is right."""
    cases = [(history, cut) for history in histories(count) for cut in range(len(history) + 1)]
    wrong = set()
    for (history, cut), came in zip(cases, engine_deliveries(spark, cases), strict=True):
        right = expected(history, cut)
        if came.keys() != right.keys():
            wrong.add("in one commit: a delivery is not told, or one is that was none")
        elif came != right:
            wrong.add("in one commit: what else it did is counted otherwise")
    return wrong
