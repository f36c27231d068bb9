"""Which subjects are held back: those of open exceptions of rules that are accepted so."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import cast

import pytest
from pyspark.sql import SparkSession

from cutline.project.gates import AcceptedExceptions, Gates
from cutline.project.waivers import DiscardedExceptions
from cutline.stages.held_subjects import held_subjects, without_held
from cutline.tables import EXCEPTION_HISTORY
from cutline.workspace import Workspace
from support.discarding import discarding

AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
ROWS = [
    {"id": "a", "rule": "asked", "state": "opened", "aggregate": "order", "subject": "1"},
    {"id": "b", "rule": "asked", "state": "fixed", "aggregate": "order", "subject": "2"},
    {"id": "c", "rule": "other", "state": "opened", "aggregate": "order", "subject": "3"},
    {"id": "d", "rule": "asked", "state": "reopened", "aggregate": "line", "subject": "1"},
    {"id": "e", "rule": "asked", "state": "opened", "aggregate": None, "subject": None},
]


def workspace(spark: SparkSession, gates: Gates, expires: dt.date) -> Workspace:
    values_of_entry = {"name": "paid", "context": "shop", "region": "all", "exceptions": ["d"]}
    values_of_entry |= {"reason": "Paid.", "owner": "Ada", "ticket": "T-1", "expires": expires}
    entry = DiscardedExceptions.model_validate(values_of_entry)
    project = discarding(entry)
    section = SimpleNamespace(contexts={"shop": SimpleNamespace(gates=gates)})
    values = [tuple(row.get(name) for name in EXCEPTION_HISTORY.names) for row in ROWS]
    ddl = EXCEPTION_HISTORY.ddl.replace(" NOT NULL", "")
    frame = spark.createDataFrame(values, ddl)
    return cast(
        Workspace,
        SimpleNamespace(
            project=SimpleNamespace(file=section, discarded_on=project.discarded_on),
            context=SimpleNamespace(name="shop"),
            region="all",
            recorded_at=AT,
            spark=spark,
            lake=SimpleNamespace(read=lambda *_: frame),
        ),
    )


def gates(**siblings: str) -> Gates:
    return Gates(
        accept=tuple(
            AcceptedExceptions.model_validate(
                {"rule": rule, "max_rate": 1, "reason": "Known.", "owner": "Ada"} | more
            )
            for rule, more in {"asked": siblings, "other": {}}.items()
        )
    )


@pytest.mark.parametrize(
    ("last_day", "subjects"),
    [
        (dt.date(2026, 11, 1), [("order", "1")]),
        (dt.date(2026, 10, 31), [("line", "1"), ("order", "1")]),
    ],
)
def test_open_ones_of_held_rules_that_are_not_discarded(
    spark: SparkSession, last_day: dt.date, subjects: list[tuple[str, str]]
) -> None:
    frame = held_subjects(workspace(spark, gates(siblings="held"), last_day))
    assert frame is not None
    assert sorted(map(tuple, frame.collect())) == subjects
    rows = spark.createDataFrame(
        [("order", "1", "x"), ("order", "3", "y"), ("order", None, "z")],
        "aggregate string, subject string, event string",
    )
    assert sorted(row["event"] for row in without_held(rows, frame).collect()) == ["y", "z"]


def test_no_rule_holds_any(spark: SparkSession) -> None:
    assert held_subjects(workspace(spark, gates(), AT.date())) is None
