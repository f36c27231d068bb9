"""A line and its order, either of which may be logged first: how each row ends, in plain Python.

Each history is read from every cut: what was committed before it is a snapshot. What became of a
row is what became of the image in which it no longer waits for its order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.late_orders import LineRow, NoteRow, OrderRow, Orders

LINE, ORDER = "line", "order"
AWAITED, ASIDE = "part-awaited:order", ("part-missing:line", "no-buyer", "deletion-without-meaning")
WITHIN, CHANGED, NOTHING = "within-its-transaction", "changed-while-held", "nothing-to-announce"

Write = tuple[str, str | None, str | None]
"""Of which table, the value before and after: a line's item, an order's buyer."""

History = Sequence[Sequence[Write]]
Place = tuple[int, int]
"""Of a row: its commit, 0 for the snapshot, and its number there."""


@dataclass(frozen=True)
class Image:
    """What a commit left, and what becomes of it: the end, and whether the order is missing."""

    end: str
    awaits: bool


def histories(count: int) -> list[History]:
    """So many histories of one order, the same each time."""
    return [_history(random.Random(f"waiting {seed}")) for seed in range(count)]


def _history(rng: random.Random) -> History:
    values_by_table: dict[str, str | None] = {LINE: None, ORDER: None}
    commits: list[list[Write]] = []
    for _ in range(rng.randint(2, 6)):
        writes: list[Write] = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            table = rng.choice([LINE, LINE, ORDER])
            deletes = values_by_table[table] is not None and rng.random() < 0.3
            values = ["tea", "oil", "fig"] if table == LINE else ["Ann", "Ann", "?"]
            value = None if deletes else rng.choice(values)
            writes.append((table, values_by_table[table], value))
            values_by_table[table] = value
        commits.append(writes)
    return commits


def seen_from(history: History, cut: int) -> History:
    """The history with all that was committed before the cut as its first commit: a snapshot."""
    values_by_table: dict[str, str | None] = {}
    for table, _, value in (write for writes in history[:cut] for write in writes):
        values_by_table[table] = value
    shown = [
        (table, None, value)
        for table, value in sorted(values_by_table.items())
        if value is not None
    ]
    return [shown, *history[cut:]]


def expected(history: History) -> dict[Place, str]:
    """The rule by which each row ends; `history` begins with its snapshot."""
    images = list(_images(history))
    ends: dict[Place, str] = {}
    for place, _ in _places(history):
        mine = images[place[0]]
        followed = _next_of_row(history, place, place[0]) is not None
        if mine.end == AWAITED:
            ends[place] = _let_go(history, images, place, within=followed)
        elif followed and mine.end not in ASIDE:
            ends[place] = WITHIN
        else:
            ends[place] = mine.end

    return ends


def _let_go(history: History, images: Sequence[Image], place: Place, *, within: bool) -> str:
    """What became of a row that waited."""
    later = range(place[0] + 1, len(images))
    until = next((i for i in later if not images[i].awaits), None)
    reach = len(images) - 1 if until is None else until
    over = WITHIN if within else CHANGED
    deletions = [
        c
        for (c, r), write in _places(history)
        if place[0] < c <= reach
        and write[0] == history[place[0]][place[1]][0]
        and write[2] is None
        and _next_of_row(history, (c, r), c) is None
        and images[c].end != AWAITED
    ]
    if deletions:
        end = images[deletions[-1]].end
    elif until is not None:
        end = images[until].end
    else:
        return AWAITED
    followed = _next_of_row(history, place, reach) is not None
    return over if followed and end not in ASIDE else end


def _places(history: History) -> Iterator[tuple[Place, Write]]:
    for c, writes in enumerate(history):
        for r, write in enumerate(writes):
            yield (c, r), write


def _next_of_row(history: History, place: Place, last: int) -> Place | None:
    """The next change of the row, up to the commit `last`."""
    table = history[place[0]][place[1]][0]
    later = (p for p, write in _places(history) if write[0] == table and place < p)
    following = next(later, None)
    return following if following is not None and following[0] <= last else None


def _images(history: History) -> Iterator[Image]:
    """What each commit left, as it ends by itself."""
    now: dict[str, str | None] = {LINE: None, ORDER: None}
    last: set[str] | None = None
    for writes in history:
        if not writes:
            # An empty snapshot shows nothing, and lets nothing go.
            yield Image(NOTHING, awaits=True)
            continue
        then = dict(now)
        for table, _, value in writes:
            now[table] = value
        deleted_tables = {table for table in now if then[table] is not None and now[table] is None}
        last_values = {write[0]: write[2] for write in writes}
        only_deletions = all(value is None for value in last_values.values())
        missing = {
            t for t in now if now[t] is None and t not in deleted_tables and not only_deletions
        }
        end = NOTHING
        if LINE in missing:
            end = "part-missing:line"
        elif ORDER in missing:
            end = AWAITED
        elif now[ORDER] == "?":
            end = "no-buyer"
        else:
            whole = None not in now.values()
            types = ["Placed"] if whole and "Placed" not in (last or ()) else []
            if LINE in deleted_tables and last is not None and "Dropped" not in last:
                types.append("Dropped")
            if types:
                end = ", ".join(types)
            elif ORDER in deleted_tables:
                end = "deletion-without-meaning"
            if whole:
                last = {"Placed"}
            elif last is not None and set(now.values()) == {None}:
                # An end announces nothing of what was never let through.
                last = {"Dropped"} if LINE in deleted_tables else set()
        waits = end == AWAITED or (now[ORDER] is None and now[LINE] is not None)
        yield Image(end, waits)


def engine_ends(spark: SparkSession, cases: Sequence[History]) -> list[dict[Place, str]]:
    """How the engine ends each row of each history, in one job."""
    tables: dict[Any, list[dict[str, Any]]] = {LineRow: [], OrderRow: [], NoteRow: []}
    for number, history in enumerate(cases):
        for (c, r), (table, then, value) in _places(history):
            before, after = (_row(table, number, one) for one in (then, value))
            if c == 0:
                row = snapshot(after or {})
            else:
                op = "c" if before is None else "d" if after is None else "u"
                row = change(op, 10 * c, before=before, after=after)
                row["position"] = position(10 * c, r + 1)
            contract = LineRow if table == LINE else OrderRow
            tables[contract].append(row | {"transaction": f"{number}.{c}.{r}"})
    inputs = {
        contract: changes_table(spark, contract, rows, consistent_point=position(1))
        for contract, rows in tables.items()
    }
    ends: list[dict[Place, str]] = [{} for _ in cases]
    rows = translate_changes(Orders, inputs).select("transaction", "rule").toArrow().to_pylist()
    for row in rows:
        number, c, r = map(int, row["transaction"].split("."))
        assert (c, r) not in ends[number], "a row has two ends"
        ends[number][c, r] = row["rule"]
    return ends


def _row(table: str, number: int, value: str | None) -> dict[str, Any] | None:
    if value is None:
        return None
    if table == LINE:
        return {"line_no": number, "order_no": number, "item": value}
    return {"no": number, "buyer": value}


def differing(spark: SparkSession, count: int = 40) -> set[str]:
    """What is wrong with the engine's ends, by kind; nothing where all are right."""
    cases = [
        seen_from(history, cut) for history in histories(count) for cut in range(len(history) + 1)
    ]
    wrong = set()
    for history, ends in zip(cases, engine_ends(spark, cases), strict=True):
        right = expected(history)
        if ends.keys() != right.keys():
            wrong.add("waiting: a row has no end")
        for place, rule in right.items():
            came = ends.get(place, rule)
            if came == AWAITED and rule != AWAITED:
                wrong.add("waiting: a row is held whose order came")
            elif rule == AWAITED and came != AWAITED:
                wrong.add("waiting: a row is let go whose order did not come")
            elif came != rule:
                wrong.add("waiting: a row ends otherwise")
    return wrong
