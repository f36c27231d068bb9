"""Coverage counts each row that has a value, however it came and whatever became of it."""

from __future__ import annotations

from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event
from cutline.engine.coverage.values import value_coverage
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    table,
)
from support.changes import change, changes_table, snapshot


class Sorted(Event):
    """It lies in its bay."""


PARCEL = Aggregate(name="parcel", doc="A parcel.", events=(Sorted,), state={})


class ParcelRow(SourceContract):
    """A parcel."""

    no: T.StringType = column(doc="its number", nullable=False)
    st: T.StringType = column(doc="S sorted", classifies=True)

    class Config:
        """Where the rows come from."""

        metadata = table("depot", "parcels", key=["no"])


class Parcels(Translator):
    """Sorted parcels."""

    context = Context(name="depot", doc="Parcels.", aggregates=(PARCEL,))
    aggregate, version = "parcel", "1.0.0"
    source, subject = ParcelRow, "no"

    @fact(Sorted)
    def sorted_(self, row: Any) -> Occurrence:
        return Occurrence(when=row.st == "S", time_basis=COMMIT)


WITHOUT_KEY = {"no": None, "st": "S"}


def shown() -> dict[str, Any]:
    return snapshot(WITHOUT_KEY, defects=["null-key:no"])


def created() -> dict[str, Any]:
    return change("c", 20, after=WITHOUT_KEY) | {"defects": ["null-key:no"]}


POINT = f"{10:020d}"


@pytest.mark.parametrize(("row", "point"), [(shown, None), (shown, POINT), (created, POINT)])
def test_a_row_without_a_key_is_told(spark: SparkSession, row: Any, point: str | None) -> None:
    rows = [snapshot({"no": "1", "st": "S"}), row()]
    inputs = {ParcelRow: changes_table(spark, ParcelRow, rows, consistent_point=point)}
    covered = value_coverage(Parcels, inputs)
    assert covered is not None
    assert {(r["value"], r["means"], r["rule"]): r["rows"] for r in covered.collect()} == {
        ("S", "translated", "sorted_"): 1,
        ("S", "quarantined", "null-key:no"): 1,
    }
