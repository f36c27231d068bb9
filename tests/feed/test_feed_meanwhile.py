"""The ledger of the rollout and the live topics are looked at one behind the other: what happens in
between belongs to the next look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from cutline.control import Control, Tenure
from cutline.feed import CycleDone, feed_on
from cutline.feed.files import FileTail
from cutline.feed.tail import PartitionEnds
from cutline.readmodels import Place
from support.fed import CONTEXT, TOPIC, FedDesk, epoch, historic, ordered, paid
from support.recorded import T0

BEFORE = (Tenure("legacy", 1, T0), Tenure("held", 2, T0))
NEW = (*BEFORE, Tenure("new", 3, T0))


class Meanwhile(FileTail):
    """Live topics, and the ledger beside them, where something happens behind the first of the two
    that is looked at."""

    def __init__(self, desk: FedDesk, tenures: Sequence[Tenure]) -> None:
        super().__init__(desk.project, CONTEXT.name)
        self._desk, self._tenures = desk, tenures
        self._happens: Callable[[], Sequence[Tenure]] | None = None
        desk.tail = self

    def feed(self, happens: Callable[[], Sequence[Tenure]] | None = None) -> CycleDone:
        """Feed all that is there; `happens` gives the ledger behind it."""
        self._happens = happens
        control = cast("Control", SimpleNamespace(tenures=self._ledger))
        return feed_on(control, self._desk.feeder())

    def ends(self) -> Mapping[Place, PartitionEnds]:
        ends = super().ends()
        self._goes_on()
        return ends

    def _ledger(self, _context: str, _region: str) -> Sequence[Tenure]:
        tenures = self._tenures
        self._goes_on()
        return tenures

    def _goes_on(self) -> None:
        if self._happens is not None:
            happens, self._happens = self._happens, None
            self._tenures = happens()


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> FedDesk:
    return FedDesk(spark, tmp_path, [historic(ordered("o1", 1, "o1"))])


def written(offset: int) -> dict[str, Any]:
    """A payment that the new side wrote under its epoch."""
    return {"partition": 0, "offset": offset} | epoch(paid(f"e{offset}", 2, amount=10), 3)


def test_the_first_event_of_a_new_authority_is_not_put_aside(desk: FedDesk) -> None:
    story = Meanwhile(desk, BEFORE)
    desk.append_records(paid("without-epoch", 2, amount=1))

    def flip() -> Sequence[Tenure]:
        desk.append_records(written(1))
        return NEW

    story.feed(flip)
    story.feed()
    assert desk.aside() == []
    assert desk.shown()["o1"] == ("paid", 100, 11, 3)


def test_what_comes_when_the_legacy_has_the_writes_back_is_never_applied(desk: FedDesk) -> None:
    story = Meanwhile(desk, NEW)
    desk.append_records(written(0))

    def flip_back() -> Sequence[Tenure]:
        desk.append_records(written(1))
        wrote = Tenure("new", 3, T0, live_ends={TOPIC: {"0": 1}})
        return (*BEFORE, wrote, Tenure("held", 4, T0), Tenure("legacy", 5, T0))

    story.feed(flip_back)
    story.feed()
    assert desk.aside() == [("older-epoch", "o1", None)]
    assert desk.shown()["o1"] == ("paid", 100, 10, 2)
