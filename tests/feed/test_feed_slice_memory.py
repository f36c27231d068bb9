"""What a slice keeps of epochs and of people, where versions, topics and databases differ."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.readmodels import AsideDecision, FeedBatch, ReadModel
from support.fed import TOPIC, FedDesk, epoch, historic, ordered, paid

HISTORY = [historic(ordered("o1", 1, "o1")), historic(ordered("o2", 1, "o2"))]


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> FedDesk:
    return FedDesk(spark, tmp_path, HISTORY)


def next_version(desk: FedDesk, *, reads: bool) -> None:
    """The next release, whose run read the live topics as they are now, or nothing of them."""
    if reads:
        desk.run_read_everything()
    else:
        desk.read = ()
    number = desk.version.version + 1
    desk.version = desk.model().build(desk.spark, desk.lake, number, "run-1")


def aside(desk: FedDesk) -> list[tuple[Any, ...]]:
    return desk.query(
        "SELECT version, rule, subject, decision FROM cutline_read_model_aside "
        "ORDER BY version, position"
    )


def made_anew(desk: FedDesk, *records: Any) -> None:
    """The live topic with other records at the places of before."""
    (desk.folder / "topics" / TOPIC / "00000.jsonl").unlink()
    desk.append_records(*records)


def change(desk: FedDesk, *statements: str) -> None:
    with closing(sqlite3.connect(desk.folder / "readmodel.db")) as database, database:
        for statement in statements:
            database.execute(statement)


def test_what_is_given_up_waits_for_nobody_in_a_version_that_was_behind(desk: FedDesk) -> None:
    """Admitted, not fed yet to version 1, still no better in version 2, and given up there."""
    desk.append_records("no json\n")
    desk.feed()
    first = desk.version
    next_version(desk, reads=False)
    desk.feed()
    model = desk.model()
    (record,) = model.aside_records(1, 10)
    place = "/".join(map(str, record.place))
    assert model.decide_aside(place, AsideDecision("admitted", "kim", "mended")) == 2
    desk.feed()
    assert model.decide_aside(place, AsideDecision("discarded", "kim", "no use")) == 1
    desk.version = first
    desk.feed()
    assert model.aside_counts(1) == {}


def test_files_made_anew_under_a_higher_epoch_are_fed(desk: FedDesk) -> None:
    desk.append_records(epoch(paid("e1", 2, "o1"), 3))
    desk.feed()
    made_anew(desk, epoch(paid("e2", 2, "o1"), 5))
    next_version(desk, reads=False)
    assert desk.feed().events == 1


@pytest.mark.parametrize("number", ["6\n", "poison"])
def test_what_raises_no_epoch_in_a_feed_raises_none_before_it(desk: FedDesk, number: str) -> None:
    """A record whose epoch is no number, and one that is no event."""
    record: dict[str, Any] = epoch(paid("odd", 2, "o2"), number)
    if number == "poison":
        record = epoch(paid("odd", 2, "o2"), 6)
        record["headers"].pop("ce_type")
    # The feed of a version that reads both.
    desk.append_records(record, epoch(paid("fed", 3, "o1"), 5))
    desk.feed()
    assert ("older-epoch", "o1") not in [(row[1], row[2]) for row in aside(desk)]
    change(
        desk,
        "DELETE FROM cutline_read_model_aside",
        "DELETE FROM cutline_read_model_epochs",
        "DELETE FROM cutline_read_model_positions",
    )
    made_anew(desk, record)
    next_version(desk, reads=True)
    desk.append_records(epoch(paid("fed", 3, "o1"), 5))
    desk.feed()
    assert ("older-epoch", "o1") not in [(row[1], row[2]) for row in aside(desk)]


def test_what_is_decided_while_another_version_is_fed_holds_for_it(
    desk: FedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decided behind the look at what people decided, and before the transaction."""
    desk.append_records(epoch(paid("e1", 2, "o1"), 5), epoch(paid("late", 4, "o2"), 3))
    desk.feed()
    next_version(desk, reads=False)
    feed = ReadModel.feed

    def decided_meanwhile(model: ReadModel, version: int, batch: FeedBatch) -> None:
        assert model.decide_aside("older-epoch", AsideDecision("discarded", "kim", "x")) == 1
        feed(model, version, batch)

    monkeypatch.setattr(ReadModel, "feed", decided_meanwhile)
    desk.feed()
    assert desk.model().aside_counts(2) == {}
