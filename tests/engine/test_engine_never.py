"""What a rule can never announce, or never hold of, is refused when the rules are examined."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pyspark.sql.types as T
import pytest
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from cutline.conformance.properties.rules import RULES
from cutline.conformance.trial import Trial
from cutline.context import Aggregate, Context, Event
from cutline.engine.examine import analyse_translator
from cutline.errors import ConfigurationError
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    fact,
    reject,
    removed,
    table,
)


class Read(Event):
    """Somebody read the meter."""

    kwh: int


class Revised(Event):
    """A reading, by its number."""

    identified_by: ClassVar[tuple[str, ...]] = ("kwh",)

    kwh: int


METER = Aggregate(name="meter", doc="A meter.", events=(Read, Revised), state={})


class MeterRow(SourceContract):
    """A meter."""

    no: T.StringType = column(doc="its number", nullable=False)
    kwh: T.LongType = column(doc="the last reading", nullable=False)
    read_at: T.TimestampType = column(doc="when", nullable=False)
    off: T.BooleanType = column(doc="whether it is off")

    class Config:
        """Where the rows come from."""

        metadata = table("m", "meter", key=["no"])


class Base:
    context = Context(name="meters", doc="Meters.", aggregates=(METER,))
    aggregate, version = "meter", "1.0.0"
    source, subject = MeterRow, "no"


def opening(event: type[Event], **more: Any) -> type[Translator]:
    class Meters(Base, Translator):
        """Readings, and the first one too."""

        @changed(event, of="kwh", opening=True)
        def read(self, row: Any) -> Occurrence:
            arguments = {name: getattr(row, column) for name, column in more.items()}
            basis = {} if "at" in arguments else {"time_basis": COMMIT}
            return Occurrence(data={"kwh": row.kwh}, **arguments, **basis)

    return Meters


def test_an_opening_that_a_snapshot_cannot_tell(spark: SparkSession) -> None:
    (silence,) = analyse_translator(spark, opening(Read)).silences
    assert "opening=True can announce nothing from a snapshot" in silence.problem
    assert silence.problem.startswith("translator Meters, ")
    assert "`identified_by` in Read" in silence.next_step
    for fit in (opening(Read, key="kwh"), opening(Read, at="read_at"), opening(Revised)):
        assert analyse_translator(spark, fit).silences == ()


def test_conformance_tells_an_opening_that_a_snapshot_cannot_tell(spark: SparkSession) -> None:
    trial = cast(Trial, SimpleNamespace(translator=opening(Read)))
    (violation,) = RULES.violations(trial)
    assert "opening=True can announce nothing from a snapshot" in violation.problem


NEVER = {
    "false": lambda row: F.lit(False),
    "null": lambda row: F.lit(None).cast("boolean"),
    "compared with null": lambda row: row.no == None,  # noqa: E711
    "unless it is null": lambda row: ~(row.no == None),  # noqa: E711
    "both": lambda row: (row.kwh > 3) & (row.no == None),  # noqa: E711
    "either": lambda row: F.lit(False) | (row.no == None),  # noqa: E711
}
SOMETIMES = {
    "one of them": lambda row: (row.kwh > 3) | (row.no == None),  # noqa: E711
    "a column": lambda row: row.off,
    "always": lambda row: F.lit(True),
    "asked for null": lambda row: row.off.isNull(),
}


def by(when: Any) -> tuple[type[Translator], type[Translator]]:
    class Announced(Base, Translator):
        """A fact."""

        @fact(Read)
        def read(self, row: Any) -> Occurrence:
            return Occurrence(when(row), {"kwh": row.kwh}, time_basis=COMMIT)

    class Rejected(Base, Translator):
        """A rule on rows, and a removal, which may be marked by nothing."""

        @reject("odd")
        def odd(self, row: Any) -> Column:
            predicate: Column = when(row)
            return predicate

        @removed(Read)
        def removal(self, row: Any) -> Occurrence:
            return Occurrence(when=False, data={"kwh": row.kwh}, time_basis=COMMIT)

    return Announced, Rejected


@pytest.mark.parametrize("when", NEVER.values(), ids=list(NEVER))
def test_a_predicate_that_no_row_fulfils(spark: SparkSession, when: Any) -> None:
    for translator in by(when):
        with pytest.raises(ConfigurationError, match="its predicate holds of no row"):
            analyse_translator(spark, translator)


@pytest.mark.parametrize("when", SOMETIMES.values(), ids=list(SOMETIMES))
def test_a_predicate_that_some_row_may_fulfil(spark: SparkSession, when: Any) -> None:
    for translator in by(when):
        assert analyse_translator(spark, translator)
