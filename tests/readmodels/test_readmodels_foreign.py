"""What nobody's event wrote is found and named; what a live event wrote is not taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.readmodels import ranges
from support.read_models import ROWS, Desk

TABLE = '"order_eu-west_v1"'


@pytest.fixture(autouse=True)
def _small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "RANGE_ROWS", 2)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (f"UPDATE {TABLE} SET status = 'x' WHERE subject = 'A-3'", [("changed", "A-3")]),
        (f"UPDATE {TABLE} SET total = 10.51 WHERE subject = 'A-1'", [("changed", "A-1")]),
        (f"UPDATE {TABLE} SET status = '' WHERE subject = 'A-2'", [("changed", "A-2")]),
        (f"UPDATE {TABLE} SET cutline_ended = NOT cutline_ended WHERE subject = 'A-2'", [("changed", "A-2")]),
        (f"UPDATE {TABLE} SET subject = 'C' WHERE subject = 'A-1'", [("removed", "A-1"), ("added", "C")]),
        (f"INSERT INTO {TABLE} (subject) VALUES ('0'), ('A-22'), ('ß')", [("added", "0"), ("added", "A-22"), ("added", "ß")]),
        (f"DELETE FROM {TABLE} WHERE subject IN ('A-2', 'Ä-1')", [("removed", "A-2"), ("removed", "Ä-1")]),
        (f"DELETE FROM {TABLE} WHERE subject IN ('A-3', 'B-1')", [("removed", "A-3"), ("removed", "B-1")]),
        (f"DELETE FROM {TABLE}", [("removed", row[0]) for row in ROWS]),
        # A live event wrote them.
        (f"UPDATE {TABLE} SET status = 'x', cutline_event_id = 'e-1' WHERE subject = 'A-3'", []),
        (f"INSERT INTO {TABLE} (subject, cutline_event_id) VALUES ('A-22', 'e-1')", []),
        # Nothing is another value.
        (f"UPDATE {TABLE} SET status = status", []),
    ],
)  # fmt: skip
def test_rows_are_named(desk: Desk, statement: str, expected: list[tuple[str, str]]) -> None:
    version = desk.build()
    assert desk.model().verify(version) == ()
    desk.execute(statement)
    writes = desk.model().verify(version)
    assert sorted((w.change, w.first) for w in writes) == sorted(expected)
    assert all((w.table, w.rows, w.last) == (TABLE.strip('"'), 1, w.first) for w in writes)


def test_many_rows_of_a_range_are_named_by_their_range(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "RANGE_ROWS", 40)
    rows = [(f"S-{n:03}", "open", "1.00", []) for n in range(100)]
    version = desk.build(rows=rows)
    desk.execute(f"UPDATE {TABLE} SET status = 'x' WHERE subject < 'S-041'")
    desk.execute(f"DELETE FROM {TABLE} WHERE subject > 'S-097'")
    assert [w.sentence for w in desk.model().verify(version)] == [
        "order_eu-west_v1: 40 rows from 'S-000' to 'S-039' were changed by no event",
        "order_eu-west_v1: row 'S-040' was changed by no event",
        "order_eu-west_v1: row 'S-098' was removed by no event",
        "order_eu-west_v1: row 'S-099' was removed by no event",
    ]


def test_a_value_of_another_type_is_another_value_in_sqlite(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "sqlite:///readmodel.db")
    version = desk.build(
        rows=[("A-1", "7", "open")], columns=["subject string", "n bigint", "status string"]
    )
    desk.execute(f"UPDATE {TABLE} SET n = X'37'")
    assert len(desk.model().verify(version)) == 1
    desk.execute(f"UPDATE {TABLE} SET n = 7, status = CAST('open' AS BLOB)")
    assert len(desk.model().verify(version)) == 1
    desk.execute(f"UPDATE {TABLE} SET n = '7', status = CAST('open' AS TEXT)")
    assert desk.model().verify(version) == ()
    desk.execute(f"INSERT INTO {TABLE} (subject) VALUES (X'FF41')")
    assert [w.change for w in desk.model().verify(version)] == ["added"]


@pytest.mark.parametrize(
    "statement",
    [f"DROP TABLE {TABLE}", f"ALTER TABLE {TABLE} ADD COLUMN x text", f"ALTER TABLE {TABLE} RENAME status TO s"],
)  # fmt: skip
def test_a_table_that_was_dropped_or_altered_is_said(desk: Desk, statement: str) -> None:
    version = desk.build()
    desk.execute(statement)
    with pytest.raises(RunFailed, match="table order_eu-west_v1 of version 1 is not in "):
        desk.model().verify(version)
    assert desk.model().versions() == ()
