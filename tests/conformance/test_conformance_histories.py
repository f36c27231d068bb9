"""What histories are: the ways to have seen them, how they shrink, what they are made of."""

from __future__ import annotations

import datetime as dt
import itertools
import random

import pytest

from cutline.conformance.generate import histories_of
from cutline.conformance.generate.pattern import matching
from cutline.conformance.history import History, Move
from cutline.conformance.properties.stable import moved
from cutline.testing import created, given, row, snapshot, updated
from support.leases import City, Composed, Lease, Ordinary

AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
LIVE = row(Lease, no=1, status="live", kind="flat", rent=5, note="x")
HISTORY = History(
    (
        Move(0, LIVE, AT),
        Move(0, LIVE.but(rent=7, note="y"), AT),
        Move(0, LIVE.but(rent=7, status="over"), AT),
        Move(0, None, AT),
    ),
    (row(City, code="b", name="Berlin"),),
)


def ops(history: History, moment: int) -> list[tuple[str, int | None]]:
    return [(step.op, step.place) for step in history.seen_from(moment)]


def test_a_history_is_told_whole_or_from_any_moment_on() -> None:
    reference = ("r", None)
    assert ops(HISTORY, 0) == [reference, ("c", 1), ("u", 2), ("u", 3), ("d", 4)]
    assert ops(HISTORY, 2) == [reference, ("r", None), ("u", 3), ("d", 4)]
    assert ops(HISTORY, 4) == [reference]
    shown = HISTORY.seen_from(2)[1]
    assert (shown.row.values["rent"], shown.row.values["note"]) == (7, "y")
    assert [HISTORY.deleted_by(k) for k in HISTORY.moments()] == [False, False, False, True]


def test_a_history_can_do_without_its_details() -> None:
    assert ("move", 1) in HISTORY.details()
    assert ("value", 0, "note") in HISTORY.details()
    assert ("moving", 0, "rent") in HISTORY.details()
    assert ("value", 0, "kind") not in HISTORY.details()

    shorter = HISTORY.without([("move", 1), ("move", 3), ("beside", 0), ("value", 0, "note")])
    assert shorter is not None
    assert str(shorter) == (
        "1. created old.leases [1]: no=1, status='live', kind='flat', rent=5\n"
        "2. updated old.leases [1]: status='over', rent=7"
    )
    still = HISTORY.without([("moving", 0, "rent"), ("move", 3)])
    assert still is not None
    assert {m.image.values["rent"] for m in still.moves if m.image} == {5}
    assert HISTORY.without([("move", 0), ("move", 1), ("move", 2)]) is None


def test_stable_columns_that_move_in_what_was_seen_are_named() -> None:
    held = given(created(LIVE), updated(LIVE, rent=9), updated(Lease, after=LIVE.named)).steps
    assert list(moved(held)) == []
    moving = given(snapshot(LIVE), updated(Lease, after=LIVE.but(kind="office").named)).steps
    (found,) = moved(moving)
    assert found.rule == "Lease.kind"
    assert "went from 'flat' to 'office'" in found.what


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("translator", [Ordinary, Composed])
def test_histories_keep_to_their_contract(translator) -> None:
    made = histories_of(translator, 200, seed=3)
    assert [str(h) for h in made] == [str(h) for h in histories_of(translator, 200, seed=3)]
    assert [str(h) for h in made] != [str(h) for h in histories_of(translator, 200, seed=4)]
    walks = set()
    for history in made:
        assert list(moved(history.told_whole())) == []
        times = [move.at for move in history.moves]
        assert times == sorted(times)
        leases = [m.image.values for m in history.moves if m.image and m.image.contract is Lease]
        statuses = [lease["status"] for lease in leases]
        walks |= set(itertools.pairwise(statuses))
        for lease in leases:
            assert lease["rent"] >= 0
            assert 1_790_000_000 <= lease["epoch"] <= 1_790_000_100
    assert {("draft", "live"), ("live", "over"), ("draft", "void")} <= walks
    assert not {("over", "live"), ("void", "live"), ("draft", "over")} & walks
    assert {lease["kind"] for h in made for m in h.moves if m.image and (lease := m.image.values).get("kind")} >= {"flat", "office"}  # fmt: skip


@pytest.mark.parametrize("pattern", [r"SO-\d{8}", r"[A-Z]{3}", r"^(ab|cd)+x?$", r"\w+@\w+\.com"])
def test_texts_are_made_for_simple_patterns(pattern: str) -> None:
    rng = random.Random(1)
    assert all(matching(pattern, rng) is not None for _ in range(50))


def test_a_pattern_that_is_not_simple_gives_nothing() -> None:
    assert matching(r"(?=a)b", random.Random(1)) is None
