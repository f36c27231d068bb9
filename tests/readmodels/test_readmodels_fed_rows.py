"""Where a version is fed, each row that is not as its feed left it is named, and nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cutline.readmodels import FeedBatch, differences, ranges
from cutline.readmodels.feed_tables import FED_ROWS, FED_TURNS
from cutline.readmodels.lines import fed_line, line_of
from support.read_models import ROWS, Desk
from support.soaking import some_in_soak

TABLE = '"order_eu-west_v1"'
SUBJECTS = (*(row[0] for row in ROWS), "0", "A-22", "t\tab", "it's", "ß", "Z", "🐦")
COLUMNS = "subject, status, CAST(total AS text), tags, cutline_event_id, cutline_ended"
FED_VALUES = "1.00", '["x"]'


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "RANGE_ROWS", 2)
    monkeypatch.setattr(differences, "FED_AT_ONCE", 2)


def line(subject: str, status: str | None, event: str | None) -> bytes:
    values = [subject.encode(), status and status.encode(), b"1.00", b'["x"]']
    return fed_line(line_of(values), event)


def batch(turn: int, **more: Any) -> FeedBatch:
    return FeedBatch(turn, "run-1", **{name: {"order": of} for name, of in more.items()})


def standing(desk: Desk) -> dict[str, tuple[Any, ...]]:
    rows = desk.execute(f"SELECT {COLUMNS} FROM {TABLE}")
    return {subject: (*values, bool(ended)) for subject, *values, ended in rows}


def named(desk: Desk, version: Any) -> dict[str, str]:
    writes = desk.model().verify(version)
    assert all(write.rows == 1 for write in writes)
    return {write.first: write.change for write in writes}


FED = {"rows": [line("A-1", "paid", "e-1"), line("B-2", "new", "e-2")], "ended": {"A-3": "e-3"}}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE {} SET status = 'x' WHERE subject = 'A-1'", {"A-1": "changed"}),
        ("UPDATE {} SET status = 'x' WHERE subject = 'A-3'", {"A-3": "changed"}),
        ("UPDATE {} SET total = 7 WHERE subject = 'B-2'", {"B-2": "changed"}),
        ("UPDATE {} SET cutline_event_id = 'e-9' WHERE subject = 'B-2'", {"B-2": "changed"}),
        ("UPDATE {} SET cutline_event_id = NULL WHERE subject = 'A-3'", {"A-3": "changed"}),
        ("UPDATE {} SET cutline_ended = NOT cutline_ended WHERE subject IN ('A-1', 'A-3')", {"A-1": "changed", "A-3": "changed"}),
        ("DELETE FROM {} WHERE subject IN ('A-1', 'A-3', 'B-2')", {"A-1": "removed", "A-3": "removed", "B-2": "removed"}),
        ("UPDATE {} SET subject = 'C' WHERE subject = 'B-2'", {"B-2": "removed", "C": "added"}),
        # An event that no feed wrote.
        ("UPDATE {} SET status = 'x', cutline_event_id = 'e-1' WHERE subject = 'A-2'", {"A-2": "changed"}),
        ("INSERT INTO {} (subject, cutline_event_id) VALUES ('A-22', 'e-1')", {"A-22": "added"}),
        ("UPDATE {} SET status = status", {}),
    ],
)  # fmt: skip
def test_a_write_into_a_row_of_the_feed_is_named(
    desk: Desk, statement: str, expected: dict[str, str]
) -> None:
    version, model = desk.build(), desk.model()
    model.feed(1, batch(0, **FED))
    assert named(desk, version) == {}
    desk.execute(statement.format(TABLE))
    assert named(desk, version) == expected


def test_the_feed_puts_right_what_it_writes_again_and_no_more(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    model.feed(1, batch(0, **FED))
    desk.execute(f"UPDATE {TABLE} SET status = 'x' WHERE subject IN ('A-1', 'A-2', 'B-1')")
    desk.execute(f"INSERT INTO {TABLE} (subject) VALUES ('C')")
    desk.execute(f"DELETE FROM {TABLE} WHERE subject = 'B-2'")
    again = {
        "rows": [line("A-1", "sent", "e-5")],
        "ended": {"A-2": "e-6", "C": "e-7", "B-2": "e-8"},
    }
    model.feed(1, batch(1, **again))
    assert named(desk, version) == {
        **{"A-2": "changed", "B-1": "changed", "B-2": "removed", "C": "added"}
    }
    model.feed(1, batch(2, rows=[line(s, "sent", "e-9") for s in ("A-2", "B-1", "B-2", "C")]))
    assert named(desk, version) == {}


def test_what_named_an_event_when_the_feed_began_is_not_known_and_later_is(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    desk.execute(f"UPDATE {TABLE} SET status = 'x', cutline_event_id = 's-1' WHERE subject = 'A-1'")
    desk.execute(f"UPDATE {TABLE} SET status = 'x' WHERE subject = 'A-2'")
    assert named(desk, version) == {"A-2": "changed"}
    model.feed(1, batch(0, rows=[line("B-2", "new", "e-2")], ended={"A-1": "e-3"}))
    assert named(desk, version) == {"A-2": "changed"}
    desk.execute(f"UPDATE {TABLE} SET status = 'y' WHERE subject = 'A-1'")
    assert named(desk, version) == {"A-1": "changed", "A-2": "changed"}


def test_a_store_that_an_older_cutline_fed_goes_on(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    model.feed(1, batch(0, **FED))
    for table in (FED_ROWS, FED_TURNS):
        desk.execute(f"DROP TABLE {table.name}")
    desk.execute(f"UPDATE {TABLE} SET status = 'x' WHERE subject IN ('A-1', 'A-2')")
    assert named(desk, version) == {"A-2": "changed"}
    model.feed(1, batch(1, ended={"B-2": "e-4"}))
    assert named(desk, version) == {"A-2": "changed"}
    desk.execute(f"UPDATE {TABLE} SET status = 'y' WHERE subject IN ('A-1', 'B-2')")
    desk.execute(f"DELETE FROM {TABLE} WHERE subject = 'A-3'")
    assert named(desk, version) == {
        **{"A-1": "changed", "A-2": "changed", "A-3": "removed", "B-2": "changed"}
    }


def test_an_older_cutline_that_feeds_in_between_makes_no_row_a_foreign_one(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    model.feed(1, batch(0, **FED))
    desk.execute(
        f"UPDATE {TABLE} SET status = 'sent', cutline_event_id = 'e-5' WHERE subject = 'A-1'"
    )
    desk.execute("UPDATE cutline_read_model_feeds SET turn = 2")
    assert named(desk, version) == {}
    model.feed(1, batch(2, rows=[line("B-2", "old", "e-6")]))
    assert named(desk, version) == {}
    desk.execute(f"UPDATE {TABLE} SET status = 'x' WHERE subject = 'A-1'")
    assert named(desk, version) == {"A-1": "changed"}


def test_what_is_recorded_of_a_feed_goes_with_its_version(desk: Desk) -> None:
    desk.build()
    model = desk.model()
    model.feed(1, batch(0, **FED))
    model.drop(1)
    for table in (FED_ROWS, FED_TURNS):
        assert desk.execute(f"SELECT * FROM {table.name}") == []
    version = desk.build()
    model.feed(1, batch(0, **FED))
    assert named(desk, version) == {}


def test_what_sqlite_lets_everyone_write_is_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "sqlite:///readmodel.db")
    version, model = desk.build(), desk.model()
    desk.execute(
        f"INSERT INTO {TABLE} (subject, cutline_event_id) VALUES (X'FF41', 's-1'), (CAST(X'FF41' AS TEXT), 's-2')"
    )
    desk.execute(
        f"UPDATE {TABLE} SET cutline_ended = 'yes', cutline_event_id = 's-3' WHERE subject = 'A-1'"
    )
    model.feed(1, batch(0, rows=[line("B-2", "new", "e-2")]))
    writes = desk.model().verify(version)
    assert sorted((write.change, write.rows) for write in writes) == [
        ("added", 1),
        ("added", 1),
        ("changed", 1),
    ]


@dataclass
class Twin:
    """What the table would be if nobody but the feed had written into it."""

    desk: Desk
    draw: random.Random
    rows: dict[str, tuple[Any, ...]]
    turn: int = 0

    def feed(self) -> None:
        """Some subjects get other rows, are restored or have ended."""
        batches: dict[str, Any] = {"rows": [], "restored": [], "ended": {}}
        table = standing(self.desk)
        for subject in self._some():
            event, status = f"e-{self.draw.random()}", self._status()
            match self.draw.choice(("rows", "rows", "restored", "ended")):
                case "ended":
                    batches["ended"][subject] = event
                    if subject in table and subject in self.rows:
                        self.rows[subject] = (*self.rows[subject][:3], event, True)
                case choice:
                    batches[choice].append(line(subject, status, event))
                    if choice == "rows" or (subject in table and table[subject][3] is not None):
                        self.rows[subject] = (status, *FED_VALUES, event, False)
        self.desk.model().feed(1, batch(self.turn, **batches))
        self.turn += 1

    def foreign(self) -> None:
        """Somebody else writes."""
        table = standing(self.desk)
        for subject in self._some():
            key, event = subject.replace("'", "''"), self.draw.choice(("NULL", "'e-1'", "'s-1'"))
            if self.turn == 0:
                # What names an event when the feed begins is taken for a service's.
                event = "NULL"
            changes = [
                f"status = '{self._status() or ''}'",
                f"cutline_event_id = {event}",
                f"status = 'x', cutline_event_id = {event}",
                "cutline_ended = NOT cutline_ended",
                "status = NULL",
            ]
            statement = f"UPDATE {TABLE} SET {self.draw.choice(changes)} WHERE subject = '{key}'"
            if self.draw.random() < 0.3:
                statement = f"DELETE FROM {TABLE} WHERE subject = '{key}'"
            elif subject not in table:
                statement = (
                    f"INSERT INTO {TABLE} (subject, cutline_event_id) VALUES ('{key}', {event})"
                )
            self.desk.execute(statement)

    def differences(self) -> dict[str, str]:
        """By subject, in what way the table is not as it would be."""
        table = standing(self.desk)
        changes = {
            subject: "added"
            if subject not in self.rows
            else "removed"
            if subject not in table
            else "changed"
            for subject in {*table, *self.rows}
        }
        return {s: c for s, c in changes.items() if table.get(s) != self.rows.get(s)}

    def _some(self) -> list[str]:
        return self.draw.sample(SUBJECTS, self.draw.randint(1, 4))

    def _status(self) -> str | None:
        return self.draw.choice(("open", "paid", "sent", None))


@pytest.mark.parametrize("seed", some_in_soak(range(12), lambda seed: seed < 4))
def test_each_foreign_write_is_named_and_nothing_else(desk: Desk, seed: int) -> None:
    draw = random.Random(seed)
    version = desk.build()
    twin = Twin(desk, draw, standing(desk))
    for _ in range(8):
        draw.choice((twin.feed, twin.foreign))()
        assert named(desk, version) == twin.differences()
