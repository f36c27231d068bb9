"""The stage asks which looked-up tables have quarantined changes, once, before it translates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.api.stages import ADVANCE_STAGES
from cutline.engine.compose import join_lookup
from cutline.engine.frames import StepContract, observed
from cutline.tables import DISPOSITIONS
from cutline.workspace import BaseRun
from support.advanced import GrowingSlice
from support.repairs import TRANSLATION, Row, transaction

pytestmark = pytest.mark.usefixtures("sorted_out")


def opened(no: str, customer: int) -> tuple[str, str, Row, Row]:
    return "I", "ticket", {"no": no, "customer": customer, "status": "open", "note": None}, {}


# What an update of a row that nobody knew leaves out is not known: the change is quarantined.
WITHOUT_NAME = ("U", "customer", {"id": 2}, {"id": 2})
SHOP = [
    *transaction(1, [("I", "customer", {"id": 1, "name": "Ann"}, {}), WITHOUT_NAME]),
    *transaction(2, [opened("T1", 1), opened("T2", 2)]),
]
MENDED = [
    *transaction(3, [("U", "customer", {"id": 2, "name": "Bob"}, {"id": 2})]),
    *transaction(4, [opened("T3", 2)]),
]
TIERS = transaction(0, [("I", "tier", {"customer": 2, "tier": "gold"}, {})])


def soundness(slice_: GrowingSlice) -> dict[str, bool]:
    """By lookup whether its table was taken for sound, in a run up to the merge."""
    by_lookup: dict[str, bool] = {}

    def observe(step: StepContract, arguments: Mapping[str, Any], frame: DataFrame) -> None:
        if step.step.endswith(f".{join_lookup.__name__}"):
            by_lookup[arguments["name"]] = arguments["all_sound"]

    with observed(observe):
        slice_.run(ADVANCE_STAGES[:3])
    return by_lookup


def rules(spark: SparkSession, run: BaseRun) -> dict[str, str]:
    """By ticket the rule that decided."""
    rows = run.lake.read(spark, DISPOSITIONS).where("table = 'ticket'").collect()
    return {json.loads(row["key"])[0]: row["rule"] for row in rows}


def test_a_run_and_an_advance_ask_which_tables_are_sound(
    spark: SparkSession, tmp_path: Path
) -> None:
    slice_ = GrowingSlice(spark, tmp_path, TRANSLATION)
    slice_.grow({"shop": SHOP, "crm": TIERS})
    assert soundness(slice_) == {"customer": False, "tier": True}
    unreadable = "lookup-unreadable:customer"
    assert rules(spark, slice_.runs[-1]) == {"T1": "Opened", "T2": unreadable}
    slice_.grow({"shop": [*SHOP, *MENDED]})
    assert soundness(slice_) == {"customer": False, "tier": True}
    rules_by_ticket = rules(spark, slice_.runs[-1])
    assert rules_by_ticket == {"T1": "Opened", "T2": unreadable, "T3": "Opened"}
