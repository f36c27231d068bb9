"""What else a commit did is told as the model tells it, from any cut."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.model.in_commit_trial import differing, expected, histories

OPEN = [("order", ""), ("entry", ""), (1, 30)]


def test_a_delivery_is_what_one_commit_did() -> None:
    delivered = [("order", "DHL"), (1, 31), ("entry", None), (2, 9)]
    assert expected([OPEN, delivered], 1) == {1: ("DHL", 1, 40)}
    assert expected([OPEN, [("order", "DHL")], [("entry", None)]], 1) == {}
    assert expected([OPEN, delivered], 2) == {}


def test_many_histories_deliver() -> None:
    deliveries = [d for h in histories(60) for d in expected(h, 0).values()]
    assert len(deliveries) > 20
    assert sum(lines > 0 for _, lines, _ in deliveries) > 5
    assert any(amount == 0 for _, _, amount in deliveries)


def test_the_engine_tells_what_the_model_does_from_any_cut(spark: SparkSession) -> None:
    assert differing(spark) == set()
