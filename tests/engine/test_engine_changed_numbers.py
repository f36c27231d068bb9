"""A number that changes its spelling only has not changed."""

from __future__ import annotations

from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event
from cutline.engine.translate import translate_changes
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    table,
)
from support.changes import change, changes_table, position


class Levelled(Event):
    """The level is another."""


TANK = Aggregate(name="tank", doc="A tank.", events=(Levelled,), state={})


class TankRow(SourceContract):
    """A tank."""

    no: T.StringType = column(doc="its number", nullable=False)
    level: T.DoubleType = column(doc="how high it stands")
    heat: T.FloatType = column(doc="how hot it is")

    class Config:
        """Where the rows come from."""

        metadata = table("plant", "tanks", key=["no"])


class Tanks(Translator):
    """Tanks, by their levels."""

    context = Context(name="plant", doc="A plant.", aggregates=(TANK,))
    aggregate, version = "tank", "1.0.0"
    source, subject = TankRow, "no"

    @changed(Levelled, of=("level", "heat"))
    def levelled(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT)


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (0.0, -0.0, "nothing-to-announce"),
        (-0.0, 0.0, "nothing-to-announce"),
        (float("nan"), float("nan"), "nothing-to-announce"),
        (0.1, 0.2, "Levelled"),
        (-0.0, None, "Levelled"),
    ],
)
@pytest.mark.parametrize("column_name", ["level", "heat"])
def test_zero_has_no_sign(
    spark: SparkSession, column_name: str, before: float, after: float | None, rule: str
) -> None:
    first, second = (
        {"no": "1", "level": 1.5, "heat": 2.5, column_name: n} for n in (before, after)
    )
    rows = [change("c", 10, after=first), change("u", 20, before=first, after=second)]
    changes = changes_table(spark, TankRow, rows, consistent_point=position(1))
    ends = translate_changes(Tanks, {TankRow: changes}).orderBy("position")
    assert [end["rule"] for end in ends.collect()] == ["nothing-to-announce", rule]
