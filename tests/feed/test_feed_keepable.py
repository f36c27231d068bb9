"""An event that puts into a state what no database keeps is put aside without its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.feed.keepable import keepable
from cutline.feed.offered import OfferedEvent
from cutline.feed.touched import LiveVerdict, TouchedSubjects
from cutline.readmodels import AsideDecision
from support.fed import FedDesk, event, historic, ordered, paid

NO_VALUE, WAITS = "value-no-database-keeps", "waits-behind-exception"
UNCOMPUTABLE = "state-not-computable"


def offered(position: int, data: str = "", subject: str = "o1", partition: int = 0) -> OfferedEvent:
    place = ("orders.live", partition, position)
    id = f"e{partition}-{position}"
    return OfferedEvent(*place, None, subject, "order", subject, "urn:x", id, data)


def project(events: Sequence[OfferedEvent]) -> TouchedSubjects:
    """A state holds all texts of its events; none can be computed with the text `fails`. History
    holds an event with the text `known`."""
    new = [event for event in events if event.event != "known"]
    verdicts = [LiveVerdict(e.of, e.id, e.identity, "accepted", "", 1) for e in new]
    states = {
        e.of: "".join(other.event for other in new if other.of == e.of).encode() for e in events
    }
    failing = {e.of: f"at {e.place}" for e in new if e.event == "fails"}
    sound = {of: values for of, values in states.items() if of not in failing}
    return TouchedSubjects(verdicts, sound, failing)


def ends(*events: OfferedEvent) -> tuple[list[str], list[tuple[str, str]]]:
    """The ids of what is applied, and partition/position and rule of what is put aside."""
    touched, aside = keepable(events, project)
    assert all(b"\0" not in state for state in touched.states.values())
    assert not touched.uncomputable
    return (
        sorted(verdict.id for verdict in touched.verdicts),
        sorted((f"{record.partition}/{record.position}", record.rule) for record in aside),
    )


def test_what_stands_before_it_is_applied_and_what_stands_behind_it_waits() -> None:
    applied, aside = ends(*(offered(n, "\0" if n in (3, 5) else "x") for n in (6, 5, 4, 3, 2, 1)))
    assert applied == ["e0-1", "e0-2"]
    assert aside == [("0/3", NO_VALUE), *((f"0/{n}", WAITS) for n in (4, 5, 6))]


@pytest.mark.parametrize("count", [1, 2, 3, 8, 9])
def test_it_is_found_among_however_many(count: int) -> None:
    for first in range(count):
        events = [offered(n, "\0" if n == first else "x") for n in range(count)]
        applied, aside = ends(*events)
        assert applied == [f"e0-{n}" for n in range(first)]
        rules = [NO_VALUE] + [WAITS] * (count - first - 1)
        assert aside == [(f"0/{first + n}", rule) for n, rule in enumerate(rules)]


def test_subjects_and_partitions_are_held_apart() -> None:
    applied, aside = ends(
        *(offered(1, "\0"), offered(2)),
        *(offered(3, subject="o2"), offered(4, "\0", subject="o2")),
        *(offered(1, partition=1), offered(2, "\0", partition=1), offered(3, partition=1)),
        offered(5, subject="o3"),
    )
    assert applied == ["e0-3", "e0-5", "e1-1"]
    assert aside == [
        *(("0/1", NO_VALUE), ("0/2", WAITS), ("0/4", NO_VALUE)),
        *(("1/2", NO_VALUE), ("1/3", WAITS)),
    ]


def test_an_event_with_which_a_state_cannot_be_computed_is_put_aside_with_its_reason() -> None:
    events = [
        *(offered(n, "fails" if n in (3, 5) else "x") for n in range(1, 7)),
        *(offered(n, {8: "fails", 9: "\0"}.get(n, "x"), "o2", partition=1) for n in range(7, 10)),
        *(offered(n, {2: "\0", 3: "fails"}.get(n, "x"), "o3", partition=2) for n in range(1, 4)),
        offered(1, subject="o4", partition=3),
    ]
    assert ends(*events) == (
        ["e0-1", "e0-2", "e1-7", "e2-1", "e3-1"],
        [
            *(("0/3", UNCOMPUTABLE), *((f"0/{n}", WAITS) for n in (4, 5, 6))),
            *(("1/8", UNCOMPUTABLE), ("1/9", WAITS), ("2/2", NO_VALUE), ("2/3", WAITS)),
        ],
    )
    _, aside = keepable(events[:4], project)
    assert next(record.reason for record in aside) == "at ('orders.live', 0, 3)"


def test_what_history_holds_is_not_blamed() -> None:
    assert ends(offered(1, "known"), offered(2, "\0")) == ([], [("0/2", NO_VALUE)])


@pytest.mark.parametrize("transactions", [1, 4])
def test_the_rows_do_not_depend_on_what_came_together(
    spark: SparkSession, tmp_path: Path, transactions: int
) -> None:
    desk = FedDesk(spark, tmp_path, [historic(ordered("a", 1))])
    desk.append_records(ordered("a", 1))
    desk.run_read_everything()
    records = [
        paid("p1", 7, amount=50),
        event("n1", "Noted", 8, note="a\0b"),
        paid("p2", 9, amount=7),
        paid("p3", 9, amount=1),
    ]
    for number, record in enumerate(records, 1):
        desk.append_records(record)
        if number % (len(records) // transactions) == 0:
            desk.feed()
    assert desk.shown() == {"o1": ("paid", 100, 50, 2)}
    assert [rule for rule, *_ in desk.aside()] == [NO_VALUE, WAITS, WAITS]
    # It is no better when somebody has it tried again.
    model = desk.model()
    assert model.decide_aside(NO_VALUE, AsideDecision("admitted", "kim")) == 1
    desk.feed()
    assert desk.shown() == {"o1": ("paid", 100, 50, 2)}
    assert [rule for rule, *_ in desk.aside()] == [NO_VALUE, WAITS, WAITS]
    assert model.decide_aside(NO_VALUE, AsideDecision("discarded", "kim", "a broken note")) == 1
    desk.feed()
    assert desk.shown() == {"o1": ("paid", 100, 58, 4)}
    assert model.verify(desk.version) == ()


@pytest.mark.parametrize("transactions", [1, 4])
def test_a_state_that_cannot_be_computed_holds_its_subject_alone(
    spark: SparkSession, tmp_path: Path, transactions: int
) -> None:
    history = [ordered("a", 1), ordered("b", 1, subject="o2")]
    desk = FedDesk(spark, tmp_path, [historic(row) for row in history])
    desk.append_records(*history)
    desk.run_read_everything()
    records = [
        *(paid("p1", 7, amount=50), paid("p2", 8, amount=2**63 - 1)),
        *(paid("p3", 9, amount=1), paid("p4", 9, amount=7, subject="o2")),
    ]
    for number, row in enumerate(records, 1):
        desk.append_records(row)
        if number % (len(records) // transactions) == 0:
            desk.feed()
    assert desk.shown() == {"o1": ("paid", 100, 50, 2), "o2": ("paid", 100, 7, 2)}
    (rule, *_), waiting = desk.aside()
    assert (rule, waiting[0]) == (UNCOMPUTABLE, WAITS)
    model = desk.model()
    assert (
        model.decide_aside(UNCOMPUTABLE, AsideDecision("discarded", "kim", "a typing error")) == 1
    )
    desk.feed()
    assert desk.shown() == {"o1": ("paid", 100, 51, 3), "o2": ("paid", 100, 7, 2)}
    assert model.verify(desk.version) == ()
