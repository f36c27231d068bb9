"""What holds between two rows of one transaction only: told by nobody, or found, and mendable."""

from __future__ import annotations

import datetime as dt
import random
from unittest import mock

import pytest
from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.conformance.history import History, HistoryChange
from cutline.conformance.properties.snapshot_and_changes import SNAPSHOT_AND_CHANGES
from cutline.conformance.trial import Trial, run_trial
from cutline.engine.compose import images
from cutline.testing import row
from cutline.translator import COMMIT, EACH, Occurrence, Translator, fact
from support.lockers import HoldRow, ParcelRow, Parcels, Released

pytestmark = pytest.mark.usefixtures("spark")

PARCEL = row(ParcelRow, no=1, box="a")
HOLD = row(HoldRow, parcel_no=1, why="customs")


class Lasting(Parcels):
    """Without a hold, or in the box at the door, a parcel is released; it says for ever."""

    @fact(Released)
    def released(self, row):
        return Occurrence(when=_released(row), time_basis=COMMIT)


class Passing(Parcels):
    """The same, and says that it may be held again."""

    @fact(Released, transient=True)
    def released(self, row):
        return Occurrence(when=_released(row), time_basis=COMMIT)


class EachLasting(Lasting):
    """As Lasting, asked about each step."""

    within_transaction = EACH


class EachPassing(Passing):
    """As Passing, asked about each step."""

    within_transaction = EACH


def _released(row):
    return row.hold.parcel_no.isNull() | (row.parcel.box == "door")


def history(seed: int, *, stays: bool = False) -> History:
    """A parcel that comes with its hold in one transaction, one before the other, and is moved.

    On its way it passes the door within a transaction, or, where it `stays` there, from one to
    another.
    """
    rng = random.Random(seed)
    now = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
    moves = [HistoryChange(0, PARCEL, now), HistoryChange(1, HOLD, now)]
    if rng.random() < 0.5:
        moves.reverse()
    moves[1] = HistoryChange(moves[1].row, moves[1].image, now, joined=True)
    for step in range(rng.randint(1, 4)):
        now += dt.timedelta(hours=1)
        if step == 0 or rng.random() < 0.4:
            moves.append(HistoryChange(0, PARCEL.but(box="door"), now))
            now += dt.timedelta(hours=stays)
        box = rng.choice("abc")
        joined = moves[-1].at == now
        moves.append(HistoryChange(0, PARCEL.but(box=box), now, joined=joined))
    return History(tuple(moves))


HISTORIES = [history(seed) for seed in range(12)]


def advice(trial: Trial) -> set[str]:
    """What the suite advises, of a trial that breaks the property; nothing where it holds."""
    return {violation.next_step for violation in SNAPSHOT_AND_CHANGES.violations(trial)}


def releases(trial: Trial) -> int:
    """How many events of the fact all captures have."""
    return sum(
        event.type == Released.event_type()
        for capture in trial.captures
        for end in capture.ends
        for event in end.events
    )


@pytest.mark.parametrize("translator", [Passing, Lasting])
def test_what_no_commit_shows_is_told_in_no_case(translator: type[Translator]) -> None:
    trial = run_trial(translator, HISTORIES)
    assert (advice(trial), releases(trial)) == (set(), 0)


def test_steps_that_no_snapshot_shows_are_found_and_the_advice_mends_them() -> None:
    (advised,) = advice(run_trial(EachLasting, HISTORIES))
    assert "within_transaction=EACH" in advised
    assert "transient=True" in advised
    assert advice(run_trial(EachPassing, HISTORIES)) == set()
    assert "leave EACH out" in advised
    assert advice(run_trial(Lasting, HISTORIES)) == set()


def test_what_ceases_from_one_commit_to_another_is_found_and_the_advice_mends_it() -> None:
    histories = [history(seed, stays=True) for seed in range(6)]
    (advised,) = advice(run_trial(Lasting, histories))
    assert advised.startswith("Say transient=True, if the fact can cease to hold from one commit")
    mended = run_trial(Passing, histories)
    assert advice(mended) == set()
    assert releases(mended)


def test_composed_change_by_change_the_hazard_is_found_and_transient_does_not_help() -> None:
    def by_change(*, by_partition: bool) -> Column:
        return F.col("position")

    with mock.patch.object(images, "commit_id", by_change):
        lasting, transient = run_trial(Lasting, HISTORIES), run_trial(Passing, HISTORIES)
    assert advice(lasting)
    assert advice(transient) == set()
    assert releases(transient)
