"""What a move means, and what a lookup sees, is told as the model tells it, from any cut."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.model import lookups_trial, moves_trial


def test_a_move_that_was_put_aside_leaves_its_row_where_it_was() -> None:
    nothing, aside = moves_trial.NOTHING, "lifecycle-awaited:post.parcels.status"
    assert moves_trial.expected("SLRS") == [nothing, nothing, aside, "Returned"]
    assert moves_trial.expected("SLCS") == [nothing, nothing, nothing, "left-closed"]


def test_a_change_sees_the_depot_as_its_commit_left_it() -> None:
    first = [("parcel", None), ("depot", "Ulm")]
    history = [first, [("depot", "Jena")], [("parcel", None), ("depot", "Bonn")]]
    assert lookups_trial.expected(history, 0) == {2: "Bonn"}
    assert lookups_trial.expected(history, 3) == {}


def test_a_change_whose_depot_cannot_be_read_is_put_aside_until_it_can() -> None:
    parcel, unreadable = [("parcel", None)], lookups_trial.UNREADABLE
    broken = [("depot", lookups_trial.BROKEN)]
    history = [broken, parcel, parcel, [("read", "Ulm")], parcel, parcel]
    assert lookups_trial.expected(history, 0) == {1: unreadable, 2: unreadable, 5: "Ulm"}
    assert lookups_trial.expected(history, 5) == {5: "Ulm"}


def test_the_engine_ends_moves_as_the_model_does(spark: SparkSession) -> None:
    assert moves_trial.differing(spark) == set()


def test_the_engine_looks_up_what_the_model_does(spark: SparkSession) -> None:
    assert lookups_trial.differing(spark) == set()
