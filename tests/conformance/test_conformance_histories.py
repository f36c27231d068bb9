"""Histories: their captures, how they shrink, and how they are generated."""

from __future__ import annotations

import datetime as dt
import itertools
import random

import pytest

from cutline.conformance.generate import generate_histories
from cutline.conformance.generate.pattern import text_matching
from cutline.conformance.history import History, HistoryChange
from cutline.conformance.properties.stable import stable_column_changes
from cutline.testing import created, given, row, snapshot, updated
from support.leases import City, Composed, Lease, Ordinary

AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
LIVE = row(Lease, no=1, status="live", kind="flat", rent=5, note="x")
HISTORY = History(
    (
        HistoryChange(0, LIVE, AT),
        HistoryChange(0, LIVE.but(rent=7, note="y"), AT),
        HistoryChange(0, LIVE.but(rent=7, status="over"), AT),
        HistoryChange(0, None, AT),
    ),
    (row(City, code="b", name="Berlin"),),
)


def ops(history: History, moment: int) -> list[tuple[str, int | None]]:
    return [(step.op, step.place) for step in history.steps_captured_at(moment)]


def test_a_history_is_captured_by_all_changes_or_with_a_snapshot() -> None:
    reference = ("r", None)
    assert ops(HISTORY, 0) == [reference, ("c", 1), ("u", 2), ("u", 3), ("d", 4)]
    assert ops(HISTORY, 2) == [reference, ("r", None), ("u", 3), ("d", 4)]
    assert ops(HISTORY, 4) == [reference]
    shown = HISTORY.steps_captured_at(2)[1]
    assert (shown.row.values["rent"], shown.row.values["note"]) == (7, "y")
    deleted = [HISTORY.has_deletion_before(k) for k in HISTORY.moments()]
    assert deleted == [False, False, False, True]


def test_a_history_can_be_simplified() -> None:
    assert ("change", 1) in HISTORY.simplifications()
    assert ("null", 0, "note") in HISTORY.simplifications()
    assert ("constant", 0, "rent") in HISTORY.simplifications()
    assert ("null", 0, "kind") not in HISTORY.simplifications()

    shorter = HISTORY.simplified(
        [("change", 1), ("change", 3), ("reference", 0), ("null", 0, "note")]
    )
    assert shorter is not None
    assert str(shorter) == (
        "1. created old.leases [1]: no=1, status='live', kind='flat', rent=5\n"
        "2. updated old.leases [1]: status='over', rent=7"
    )
    constant = HISTORY.simplified([("constant", 0, "rent"), ("change", 3)])
    assert constant is not None
    assert {m.image.values["rent"] for m in constant.changes if m.image} == {5}
    assert HISTORY.simplified([("change", 0), ("change", 1), ("change", 2)]) is None


def test_stable_columns_that_move_in_what_was_seen_are_named() -> None:
    unchanged = given(created(LIVE), updated(LIVE, rent=9), updated(Lease, after=LIVE.named)).steps
    assert list(stable_column_changes(unchanged)) == []
    moving = given(snapshot(LIVE), updated(Lease, after=LIVE.but(kind="office").named)).steps
    (violation,) = stable_column_changes(moving)
    assert violation.rule == "Lease.kind"
    assert "went from 'flat' to 'office'" in violation.problem


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("translator", [Ordinary, Composed])
def test_histories_keep_to_their_contract(translator) -> None:
    generated = generate_histories(translator, 200, seed=3)
    assert [str(h) for h in generated] == [
        str(h) for h in generate_histories(translator, 200, seed=3)
    ]
    assert [str(h) for h in generated] != [
        str(h) for h in generate_histories(translator, 200, seed=4)
    ]
    walks = set()
    for history in generated:
        assert list(stable_column_changes(history.all_steps())) == []
        times = [change.at for change in history.changes]
        assert times == sorted(times)
        leases = [m.image.values for m in history.changes if m.image and m.image.contract is Lease]
        statuses = [lease["status"] for lease in leases]
        walks |= set(itertools.pairwise(statuses))
        for lease in leases:
            assert lease["rent"] >= 0
            assert 1_790_000_000 <= lease["epoch"] <= 1_790_000_100
    assert {("draft", "live"), ("live", "over"), ("draft", "void")} <= walks
    assert not {("over", "live"), ("void", "live"), ("draft", "over")} & walks
    assert {lease["kind"] for h in generated for m in h.changes if m.image and (lease := m.image.values).get("kind")} >= {"flat", "office"}  # fmt: skip


@pytest.mark.parametrize("pattern", [r"SO-\d{8}", r"[A-Z]{3}", r"^(ab|cd)+x?$", r"\w+@\w+\.com"])
def test_texts_are_made_for_simple_patterns(pattern: str) -> None:
    rng = random.Random(1)
    assert all(text_matching(pattern, rng) is not None for _ in range(50))


def test_a_pattern_that_is_not_simple_gives_nothing() -> None:
    assert text_matching(r"(?=a)b", random.Random(1)) is None
