"""Discarded exceptions: what of them a run has, what their gates say, and when they end."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.project.waivers import DiscardedExceptions, WaiverFile
from cutline.tables import EXCEPTIONS
from cutline.workspace import Workspace
from cutline_reconciliation.history.identity import exception_id
from cutline_reconciliation.waivers.discards import DiscardOutcomes, discard_outcomes
from support.discarding import discarding

AT = dt.datetime(2026, 11, 1, 23, 59, tzinfo=dt.UTC)
SLICE = ("shop", "all")


@pytest.fixture(scope="module")
def exceptions(spark: SparkSession) -> DataFrame:
    """Three rows of two exceptions of one rule, and one of another."""
    rows = [
        {"rule": "no-buyer", "subject": "1", "key": "[1]", "position": "a"},
        {"rule": "no-buyer", "subject": "1", "key": "[1]", "position": "b"},
        {"rule": "no-buyer", "subject": "2", "key": "[2]"},
        {"rule": "orphan", "subject": "3", "key": "[3]"},
    ]
    common = {"level": "source-row", "aggregate": "order", "reason": "?", "checks": []}
    common |= {"source": "web", "table": "orders"}
    values = [tuple((common | row).get(name) for name in EXCEPTIONS.names) for row in rows]
    return spark.createDataFrame(values, EXCEPTIONS.ddl)


@pytest.fixture(scope="module")
def ids(exceptions: DataFrame) -> dict[str, str]:
    named = exceptions.withColumn("id", exception_id(*SLICE)).select("subject", "id")
    return {row["subject"]: row["id"] for row in named.collect()}


def entry(name: str, *exceptions: str, **more: Any) -> DiscardedExceptions:
    values = {"reason": "Paid.", "owner": "Ada", "ticket": "T-1", "expires": "2026-11-01"}
    values |= {"name": name, "context": "shop", "region": "all"} | more
    return DiscardedExceptions.model_validate(values | {"exceptions": exceptions})


def outcomes(exceptions: DataFrame, *entries: DiscardedExceptions) -> DiscardOutcomes:
    project = discarding(*entries)
    context = SimpleNamespace(name="shop")
    workspace = SimpleNamespace(project=project, context=context, region="all", recorded_at=AT)
    return discard_outcomes(cast(Workspace, workspace), exceptions)


def left(of: DiscardOutcomes) -> list[str]:
    return sorted(row["subject"] for row in of.left.select("subject").collect())


def test_what_is_discarded_is_counted_no_more_on_its_last_day(
    exceptions: DataFrame, ids: dict[str, str]
) -> None:
    of = outcomes(exceptions, entry("paid", ids["1"], ids["3"], "not-there"))
    assert (of.discarded, left(of)) == (2, ["2"])
    [verdict], [result] = of.verdicts, of.results
    assert (verdict.name, verdict.passed) == ("waiver:paid", True)
    assert verdict.sentence == (
        "Discarded paid: 2 of 3 exceptions are open, and nothing will come of them; "
        "accepted up to 2026-11-01 by Ada (T-1)"
    )
    assert (result.owner, result.matched, result.max_breaks, result.passed) == ("Ada", 2, 3, True)


def test_behind_its_last_day_it_discards_nothing_and_says_no(
    exceptions: DataFrame, ids: dict[str, str]
) -> None:
    of = outcomes(
        exceptions, entry("late", ids["1"], expires="2026-10-31"), entry("good", ids["2"])
    )
    assert left(of) == ["1", "1", "3"]
    assert [verdict.passed for verdict in of.verdicts] == [False, True]
    assert "its last day was 2026-10-31; 1 of 1 exception are open" in of.verdicts[0].sentence
    assert of.results[0].expired


def test_one_of_which_nothing_is_open_says_no(exceptions: DataFrame) -> None:
    of = outcomes(exceptions, entry("old", "not-there"))
    assert [(v.passed, v.sentence) for v in of.verdicts] == [
        (False, "Discarded old: none of its 1 exception is open. Remove it")
    ]
    assert len(left(of)) == 4


def test_one_of_another_slice_is_none(exceptions: DataFrame, ids: dict[str, str]) -> None:
    of = outcomes(exceptions, entry("there", ids["1"], region="us-east"))
    assert (of.verdicts, of.discarded, len(left(of))) == ((), 0, 4)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"waivers": [], "discarded": [{"name": "a"}]}, "Field required"),
        (
            {"discarded": [entry("a", "x").model_dump(), entry("a", "y").model_dump()]},
            "two are called 'a'",
        ),
        (
            {"discarded": [entry("a", "x").model_dump(), entry("b", "x").model_dump()]},
            "exception x is in a and in b",
        ),
    ],
)
def test_a_file_that_says_it_wrong_is_refused(document: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WaiverFile.model_validate({"version": 1, **document})
