"""A rule that fails on a row is named, whatever Spark says of it."""

from __future__ import annotations

import datetime as dt

import pyspark.sql.types as T
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from cutline.engine.rule_errors import attribute_rule_errors
from cutline.engine.translate import translate_changes
from cutline.errors import RunFailed
from cutline.translator import Occurrence, SourceContract, Translator, column, fact, reject, table
from cutline.translator import row_check as check_of_row
from support.changes import changes_table, snapshot
from support.shop import SHOP, OldOrder, Placed, Released

CUT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
ROW = {
    "no": "7",
    "status": "N",
    "cents": 0,
    "channel": "web",
    "placed_at": dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
}


class Base(Translator):
    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = OldOrder, "no"


class Dividing(Base):
    """A predicate that divides by a column."""

    version = "1.0.0"

    @reject("odd")
    def fine(self, row):
        """It is odd."""
        return row.cents % 2 == 1

    @reject("dear")
    def dear(self, row):
        """It is dear."""
        return 100 / row.cents > 5


class Casting(Base):
    """A payload field that is no number."""

    version = "1.0.0"

    @fact(Released)
    def released(self, row):
        return Occurrence(row.cents > 5, {"order": row.no}, at=row.placed_at)

    @fact(Placed)
    def placed(self, row):
        cents = row.channel.cast("int").cast("bigint")
        data = {"order": row.no, "cents": cents, "channel": row.channel}
        return Occurrence(row.status == "N", data, at=row.placed_at)


class Checked(SourceContract):
    """One row is one order."""

    no: T.StringType = column(doc="number", nullable=False)
    cents: T.LongType = column(doc="cents")

    @check_of_row
    def cheap(cls, row):
        """it is dear"""
        return 100 / row.cents < 5

    class Config:
        metadata = table("old", "checked", key=["no"])


class OfChecked(Base):
    """Its contract has a row check that divides."""

    source, version = Checked, "1.0.0"

    @fact(Released)
    def released(self, row):
        return Occurrence(row.cents > 5, {"order": row.no}, time_basis="commit")


@pytest.mark.parametrize(
    ("translator", "message"),
    [
        (Dividing, r"translator Dividing, reject dear fails .*: \[DIVIDE_BY_ZERO\]"),
        (Casting, r"translator Casting, fact placed fails .*: \[CAST_INVALID_INPUT\]"),
        (OfChecked, r"contract Checked, row check cheap fails .*: \[DIVIDE_BY_ZERO\]"),
    ],
)
def test_what_failed_is_named_with_what_spark_said(spark, translator, message: str) -> None:
    (part,) = translator.parts.values()
    row = {k: v for k, v in ROW.items() if k in part.contract.columns()}
    inputs = {part.contract: changes_table(spark, part.contract, [snapshot(row)])}
    with (
        pytest.raises(RunFailed, match=message) as raised,
        attribute_rule_errors([translator], inputs),
    ):
        translate_changes(translator, inputs).collect()
    assert "try_divide" in raised.value.next_step
    assert isinstance(raised.value.__cause__, Exception)


def test_a_failure_of_nobodys_stays_what_it_was(spark) -> None:
    row = ROW | {"cents": 4}
    inputs = {OldOrder: changes_table(spark, OldOrder, [snapshot(row)])}
    with pytest.raises(PySparkException, match="boom"), attribute_rule_errors([Dividing], inputs):
        spark.range(1).select(F.raise_error(F.lit("boom"))).collect()
