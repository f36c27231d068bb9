"""The end of a row is announced where the row was let through, and once: by a mark or a deletion."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from cutline.engine.translate import translate_changes
from cutline.translator import Occurrence, fact, ignore, reject, removed
from support.changes import change, changes_table, position
from support.desk import Cases, Dropped, OldCase, Opened, announced_rows, case, of


class MarkedCases(Cases):
    """Cases that are dropped by a mark (D); those of tests (T) and unknown ones (X) are none."""

    @ignore("test")
    def test_case(self, row: Any) -> Column:
        """Somebody tried the desk."""
        return row.status == "T"

    @reject("unknown")
    def unknown(self, row: Any) -> Column:
        """Nobody knows what it means."""
        return row.status == "X"

    @fact(Opened)
    def opened(self, row: Any) -> Occurrence:
        return Occurrence(when=F.lit(True), time_basis="commit", data={"note": row.note})

    @removed(Dropped)
    def dropped(self, row: Any) -> Occurrence:
        return Occurrence(when=row.status == "D", time_basis="commit", data={})


HISTORIES: dict[str, list[str]] = {
    # By commit what the row becomes: a status, or nothing; `+` joins two changes of a commit.
    "marked": ["A", "D", ""],
    "deleted": ["A", ""],
    "ignored": ["T", ""],
    "marked at once": ["D"],
    "marked after an ignored life": ["T", "", "D", ""],
    "alive after an ignored life": ["T", "", "A", ""],
    "rejected after it came and went": ["A+", "X", ""],
    "deleted after it came and went": ["A+", "A", ""],
    "rejected after it lived": ["A", "", "X", ""],
    "marked after it lived": ["A", "", "D"],
}
DROPPED: dict[str, list[int]] = {
    # The commits that announce the end.
    "marked": [1],
    "deleted": [1],
    "ignored": [],
    "marked at once": [0],
    "marked after an ignored life": [2],
    "alive after an ignored life": [3],
    "rejected after it came and went": [],
    "deleted after it came and went": [2],
    "rejected after it lived": [1],
    "marked after it lived": [1],
}


def changes_of(no: str, history: list[str]) -> list[dict[str, Any]]:
    """The changes of a case, in commits at 10, 20, …."""
    rows, before = [], ""
    for nth, commit in enumerate(history):
        for step, status in enumerate(commit.split("+")):
            op = "d" if not status else "u" if before else "c"
            images = [case(no, s) if s else None for s in (before, status)]
            row = change(op, 10 + 10 * nth, before=images[0], after=images[1])
            row |= {"position": position(10 + 10 * nth, step), "transaction": f"{no}-{nth}"}
            rows.append(row)
            before = status
    return rows


def test_the_end_of_a_row_is_announced_once_if_it_was_let_through(spark: SparkSession) -> None:
    rows = [row for no, history in HISTORIES.items() for row in changes_of(no, history)]
    inputs = {OldCase: changes_table(spark, OldCase, rows, consistent_point=position(5))}
    images = announced_rows(translate_changes(MarkedCases, inputs))
    announced = {
        no: [place // 10 - 1 for _, place, _, events in of(images, no) if f"Dropped:{no}" in events]
        for no in HISTORIES
    }
    assert announced == DROPPED
