"""What one version of a read model learnt of epochs and of people, the next one knows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from pyspark.sql import SparkSession

from cutline.readmodels import AsideDecision
from support.fed import TOPIC, FedDesk, epoch, historic, ordered, paid

HISTORY = [historic(ordered("o1", 1, "o1")), historic(ordered("o2", 1, "o2"))]


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> FedDesk:
    return FedDesk(spark, tmp_path, HISTORY)


def next_version(desk: FedDesk) -> None:
    """The next release, whose run read the live topics as they are now."""
    desk.run_read_everything()
    number = desk.version.version + 1
    desk.version = desk.model().build(desk.spark, desk.lake, number, "run-1")
    desk.model().point(desk.version)


def from_the_beginning(desk: FedDesk) -> None:
    """The next release, whose run read nothing of the live topics."""
    next_version(desk)
    desk.read = ()


def aside(desk: FedDesk) -> list[tuple[object, ...]]:
    """Rule, subject and decision of what is put aside from the newest version."""
    return desk.query(
        "SELECT rule, subject, decision FROM cutline_read_model_aside "
        f"WHERE version = {desk.version.version} ORDER BY position"
    )


def test_a_late_writer_is_late_for_every_version(desk: FedDesk) -> None:
    desk.append_records(epoch(paid("e1", 2, "o1"), 3))
    desk.feed()
    desk.append_records(epoch(paid("e2", 3, "o1"), 5))
    desk.feed()
    next_version(desk)
    desk.append_records(epoch(paid("late", 4, "o2"), 3), epoch(paid("in-time", 4, "o1"), 5))
    assert (desk.feed().events, aside(desk)) == (1, [("older-epoch", "o2", None)])
    assert desk.shown()["o2"][0] == "open"


def test_what_only_the_run_read_raises_an_epoch_too(desk: FedDesk) -> None:
    desk.append_records(epoch(paid("e1", 2, "o1"), 3), epoch(paid("e2", 3, "o1"), 5))
    desk.append_records(epoch(paid("e3", 3, "o1"), 4), partition=1)
    desk.run_read_everything()
    desk.append_records(epoch(paid("late", 4, "o2"), 4))
    desk.append_records(epoch(paid("in-time", 4, "o2"), 4), partition=1)
    assert (desk.feed().events, aside(desk)) == (1, [("older-epoch", "o2", None)])
    # Nobody looks again at what a feed has looked at.
    rises = desk.query("SELECT partition, epoch FROM cutline_read_model_epochs ORDER BY 1, 2")
    assert rises == [(0, 3), (0, 5), (1, 4)]


def test_what_came_before_a_rise_was_in_time(desk: FedDesk) -> None:
    desk.append_records(epoch(paid("e1", 2, "o1"), 3), epoch(paid("e2", 3, "o1"), 5))
    desk.feed()
    from_the_beginning(desk)
    assert (desk.feed().events, aside(desk)) == (2, [])


def test_epochs_of_other_slices_and_such_as_were_never_issued_raise_nothing(desk: FedDesk) -> None:
    of_us_east = epoch(paid("other", 2, "o1"), 6)
    of_us_east["headers"]["ce_migregion"] = "us-east"
    of_billing = epoch(paid("foreign", 2, "o1"), 6)
    of_billing["headers"]["ce_migcontext"] = "billing"
    desk.append_records(
        of_us_east, of_billing, epoch(paid("early", 2, "o1"), 8), epoch(paid("odd", 2, "o1"), "x")
    )
    desk.run_read_everything()
    desk.append_records(epoch(paid("in-time", 4, "o2"), 2))
    assert (desk.feed().events, aside(desk)) == (1, [])


@pytest.mark.parametrize(
    ("decision", "shown"), [("admitted", ("paid", 100, 1, 2)), ("discarded", ("open", 100, 0, 1))]
)
def test_a_person_is_asked_once(
    desk: FedDesk, decision: Literal["admitted", "discarded"], shown: tuple[object, ...]
) -> None:
    desk.append_records(epoch(paid("e1", 2, "o1"), 5), epoch(paid("late", 4, "o2"), 3))
    desk.feed()
    model = desk.model()
    assert model.decide_aside("older-epoch", AsideDecision(decision, "kim", "seen")) == 1
    desk.feed()
    assert desk.shown()["o2"] == shown
    from_the_beginning(desk)
    desk.feed()
    assert aside(desk) == []
    assert desk.shown()["o2"] == shown
    [(position,)] = desk.query("SELECT position FROM cutline_read_model_rulings")
    place = (TOPIC, 0, position)
    assert model.rulings({(TOPIC, 0): ""}, [place, (TOPIC, 0, 0)]) == {place: decision}
    assert model.rulings({(TOPIC, 0): "made-anew"}, [place]) == {}


def test_the_last_word_counts(desk: FedDesk) -> None:
    """Admitted, it could not be read again, and was given up then."""
    desk.append_records("no json\n", epoch(paid("e1", 2, "o1"), 5))
    desk.feed()
    model = desk.model()
    (record, *_) = model.aside_records(1, 10)
    place = "/".join(map(str, record.place))
    for decision in ("admitted", "discarded"):
        assert model.decide_aside(place, AsideDecision(decision, "kim", "seen")) == 1
        desk.feed()
    from_the_beginning(desk)
    desk.feed()
    assert aside(desk) == []


def test_a_database_of_an_older_version_knows_how_far_each_version_was(desk: FedDesk) -> None:
    desk.append_records(epoch(paid("e1", 2, "o1"), 5))
    desk.feed()
    for name in ("epochs", "rulings"):
        _drop(desk, name)
    next_version(desk)
    desk.append_records(epoch(paid("late", 4, "o2"), 3))
    assert (desk.feed().events, aside(desk)) == (0, [("older-epoch", "o2", None)])


def _drop(desk: FedDesk, name: str) -> None:
    with closing(sqlite3.connect(desk.folder / "readmodel.db")) as database, database:
        database.execute(f"DROP TABLE cutline_read_model_{name}")
