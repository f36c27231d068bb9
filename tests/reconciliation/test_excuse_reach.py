"""An excuse never reaches another aggregate's subject or another row's, whatever ids look like."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.context import Outcome
from cutline.tables import DISPOSITIONS, EXCEPTIONS
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels import outcome
from cutline_reconciliation.levels.excuses import exceptions as explained
from cutline_reconciliation.levels.excuses.evidence import no_evidence
from cutline_reconciliation.levels.excuses.exceptions import first_exceptions, with_own_exception
from cutline_reconciliation.levels.excuses.excuses_table import decision_excuses, subject_excuses
from cutline_reconciliation.levels.excuses.lateness import Lateness, late_touches
from cutline_reconciliation.levels.outcome import decisions, explained_decisions
from cutline_reconciliation.levels.record import record_explanation
from cutline_reconciliation.levels.state import state_explanation

IDS = ("7", "07", "7.0", " 7", "7/", "7/12", "7/12/3", "/7", "north", "North", "north/12", "ſ", "")
AGGREGATES = ("depot", "van", "ticket")
WHOLES = {"van": "depot"}
DUE = Outcome("due", "What is due?", "SELECT subject, value FROM state_van", aggregate="van")
Subject = tuple[str, str]


@dataclass(frozen=True)
class World:
    """`named` are the subjects of the exceptions, either part of which may be unknown; `touched`
    those that changed after the cut; `wholes` what the truth says that vans are parts of."""

    named: Sequence[tuple[str | None, str | None]]
    touched: Sequence[Subject]
    wholes: Mapping[str, str | None]


ids = st.sampled_from(IDS) | st.text("7/ a0", max_size=4)
subjects = st.tuples(st.sampled_from(AGGREGATES), ids)
unknown = st.tuples(st.none() | st.sampled_from(AGGREGATES), st.none() | ids)
worlds = st.builds(
    World,
    st.lists(subjects | unknown, min_size=10, max_size=60),
    st.lists(subjects, max_size=20),
    st.dictionaries(ids, st.none() | ids, min_size=10, max_size=30),
)

DENSE = World(
    named=[(None, "7"), ("ticket", None), ("depot", "north"), ("ticket", "7"), ("ticket", "7/12")],
    touched=[("ticket", "north/12"), ("depot", "7/")],
    wholes={"north/12": "south", "7/12": None, "7": "7/", "North": "north"},
)
"""A small world in which every way of taking one subject for another would show."""


@given(worlds)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_excused_is_what_the_row_names(spark: SparkSession, world: World) -> None:
    judge(spark, world)


def test_so_it_is_where_the_ids_are_alike(spark: SparkSession) -> None:
    judge(spark, DENSE)


by_declaration = explained.with_exception_of_whole


def by_id_alone(
    rows: DataFrame, exceptions: DataFrame, name: str, aggregate: Column, subject: Column
) -> DataFrame:
    by_subject = exceptions.select(F.col("subject").alias("_s"), F.col("exception").alias(name))
    return rows.join(by_subject.dropDuplicates(["_s"]), subject == F.col("_s"), "left").drop("_s")


def by_spelling(rows: DataFrame, exceptions: DataFrame, wholes: Mapping[str, str]) -> DataFrame:
    spelled = F.substring_index("subject", "/", 1)
    return by_declaration(rows.withColumn("whole", spelled), exceptions, wholes)


def touched_by_id(rows: DataFrame, late: Lateness, aggregate: str) -> DataFrame:
    assert late.touched is not None
    return rows.join(late.touched.drop("aggregate").dropDuplicates(["subject"]), "subject", "left")


@pytest.mark.parametrize(
    ("module", "name", "mutant"),
    [
        (explained, "_joined", by_id_alone),
        (explained, "with_exception_of_whole", by_spelling),
        (outcome, "with_touches", touched_by_id),
    ],
)
def test_a_mutant_that_takes_one_for_the_other_is_found(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    mutant: Callable[..., DataFrame],
) -> None:
    monkeypatch.setattr(module, name, mutant)
    with pytest.raises(AssertionError):
        judge(spark, DENSE)


def judge(spark: SparkSession, world: World) -> None:
    """Every subject of every aggregate is lost, and every other one differs: who is excused, and by
    which row, is what a few lines of Python say."""
    given_rows = {json.dumps([i]): one for i, one in enumerate(world.named)}
    exceptions = first_exceptions(_exceptions(spark, given_rows))
    all_subjects = [*product(AGGREGATES, {*IDS, *world.wholes, *(s for _, s in world.named if s)})]
    excuses = {
        (row["level"], row["name"], row["subject"]): row
        for frame in (
            _entities(spark, world, all_subjects, exceptions),
            _decisions(spark, world, all_subjects, exceptions),
        )
        for row in frame.collect()
    }
    for aggregate, subject in all_subjects:
        own_keys = {key for key, named in given_rows.items() if named == (aggregate, subject)}
        whole = (WHOLES.get(aggregate), world.wholes.get(subject))
        named_whole = None not in whole
        of_whole = {key for key, named in given_rows.items() if named_whole and named == whole}
        for level, allowed in (("record", own_keys or of_whole), ("state", own_keys)):
            row = excuses.get((level, aggregate, subject))
            assert (row is not None) == bool(allowed), (level, aggregate, subject)
            assert row is None or row["key"] in allowed
            assert row is None or row["whole"] == (None if own_keys else whole[1])
        if aggregate == DUE.aggregate:
            row = excuses.get(("outcome", DUE.name, subject))
            late = (aggregate, subject) in world.touched
            assert (row is not None) == (late or bool(own_keys)), (level, aggregate, subject)
            assert row is None or row["key"] in ({f"{aggregate} {subject}"} if late else own_keys)


def _exceptions(spark: SparkSession, named: Mapping[str, tuple[Any, Any]]) -> DataFrame:
    source_row = {"level": "source-row", "source": "erp", "table": "rows", "position": "1"}
    rows = [
        {**source_row, "rule": "odd", "key": key, "aggregate": aggregate, "subject": subject}
        for key, (aggregate, subject) in named.items()
    ]
    return _frame(spark, EXCEPTIONS.ddl, EXCEPTIONS.names, rows)


def _frame(
    spark: SparkSession, ddl: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> DataFrame:
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], ddl)


def _entities(
    spark: SparkSession, world: World, all_subjects: Sequence[Subject], exceptions: DataFrame
) -> DataFrame:
    """The excuses at record level, of subjects that are lost, and at state level, where they are
    not: a subject cannot be both, so each stands twice."""
    rows = [
        (name, subject, kind, world.wholes.get(subject) if name in WHOLES else None)
        for name, subject in all_subjects
        for kind in (classes.ONLY_LEFT, classes.CHANGED)
    ]
    frame = spark.createDataFrame(rows, "name string, subject string, class string, whole string")
    frame = frame.withColumns({"reason": F.lit(None).cast("string"), "evidence": no_evidence()})
    with_exceptions = explained.with_exception_of_whole(
        with_own_exception(frame, exceptions, "name"), exceptions, WHOLES
    )
    rules = {"record_rule": record_explanation(), "state_rule": state_explanation()}
    return subject_excuses(with_exceptions.withColumns(rules))


def _decisions(
    spark: SparkSession, world: World, all_subjects: Sequence[Subject], exceptions: DataFrame
) -> DataFrame:
    vans = [subject for name, subject in all_subjects if name == DUE.aggregate]
    legacy = spark.createDataFrame([(s, "1") for s in vans], "subject string, value string")
    new = spark.createDataFrame([(s, 2) for s in vans], "subject string, value int")
    late_row = {"source": "erp", "table": "rows", "side": "after", "position": "2"}
    late = [
        {**late_row, "aggregate": aggregate, "subject": subject, "key": f"{aggregate} {subject}"}
        for aggregate, subject in world.touched
    ]
    changes = late_touches(_frame(spark, DISPOSITIONS.ddl, DISPOSITIONS.names, late))
    rows = decisions(DUE, legacy, new, Lateness(None, changes)).withColumn("churned", F.lit(None))
    return decision_excuses(explained_decisions(rows, exceptions))
