"""Another question to either side makes another run: an answer of before is none to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from cutline.context import Context
from cutline.run.naming import run_key
from cutline.translator import Translation, Truth
from support.reconciled import LINE, OPEN, OPEN_TRUTH, ORDER, ORDER_TRUTH, Slice

TRUTH = Truth({"order": ORDER_TRUTH}, {OPEN.name: OPEN_TRUTH})


def test_what_both_sides_are_asked_is_in_the_name_of_a_run(
    spark: SparkSession, tmp_path: Path
) -> None:
    shop_slice = Slice(spark, tmp_path)
    shop_slice.orders(("A", "open", 1, 0))
    project = shop_slice.project()

    def named(truth: Truth, decide: str = OPEN.decide) -> str:
        outcomes = (replace(OPEN, decide=decide),)
        context = Context("shop", "A shop.", (ORDER, LINE), outcomes)
        translation = Translation("shop", "1.0.0", context, (), truth)
        return run_key(project, translation, "north", {"erp": "x"}).run_id

    names = [
        named(TRUTH),
        named(TRUTH, f"{OPEN.decide} AND subject > ''"),
        named(replace(TRUTH, aggregates={"order": f"{ORDER_TRUTH} AND no > ''"})),
        named(replace(TRUTH, aggregates={"line": ORDER_TRUTH})),
        named(replace(TRUTH, outcomes={OPEN.name: f"{OPEN_TRUTH} AND no > ''"})),
        named(replace(TRUTH, outcomes={})),
        named(Truth()),
    ]
    assert len(set(names)) == len(names)
    assert named(replace(TRUTH)) == names[0]
    # Nobody asks the new side what the legacy does not answer.
    assert named(Truth(), f"{OPEN.decide} AND subject > ''") == names[-1]
