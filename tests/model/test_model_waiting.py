"""A row that waits for another ends as the image in which it no longer waits, from any cut."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.model.waiting_trial import AWAITED, CHANGED, differing, expected, histories, seen_from


def test_a_line_waits_for_its_order_and_is_told_with_it() -> None:
    late = [[], [("line", None, "tea")], [("line", "tea", "oil")], [("order", None, "Ann")]]
    assert expected(late) == {(1, 0): CHANGED, (2, 0): "Placed", (3, 0): "Placed"}
    assert expected(late[:3]) == {(1, 0): AWAITED, (2, 0): AWAITED}


def test_many_histories_hold_a_row_and_let_it_go() -> None:
    ends = [expected([[], *history]) for history in histories(40)]
    assert sum(CHANGED in one.values() for one in ends) > 3
    assert sum(AWAITED in one.values() for one in ends) > 3
    assert seen_from(histories(1)[0], 1)[0]


def test_the_engine_ends_each_row_as_the_model_does_from_any_cut(spark: SparkSession) -> None:
    assert differing(spark) == set()
