"""The compiled verdicts are pandera's own, row by row and check by check.

What differs, and is documented in docs/contract-checks.md:

- rows with a null are not compared by `unique`, while pandera groups nulls for `Config.unique`;
- times before 1582 and dates before 1000 among the literals are exact here, while pandera takes
  Spark's, which are days off or refused;
- what pandera would let pass without a word (a null in `isin`, flags of a compiled pattern,
  `ignore_na`, `raise_warning`) is refused when the contract is used.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyspark.sql.types as T
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.engine.restore.checks import contract_checks, failed_rules
from cutline.translator import column
from support.contract_cases import Case, cases
from support.contracts import contract, failed
from support.pandera_verdicts import fails

CASES, IN_ONE_JOB = 120, 40


def drawn_cases(count: int) -> list[Case]:
    """So many cases; they are collected, so that Spark judges many of them in one job."""
    drawn: list[Case] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        drawn.append(data.draw(cases(len(drawn))))

    collect()
    return drawn


def test_compiled_verdicts_are_panderas(spark: SparkSession) -> None:
    drawn = drawn_cases(CASES)
    assert len(drawn) >= CASES * 0.9
    counts = {True: 0, False: 0}
    for start in range(0, len(drawn), IN_ONE_JOB):
        for case, row, ours, theirs in compared_verdicts(spark, drawn[start : start + IN_ONE_JOB]):
            assert ours == theirs, f"{case.checks}\n{row!r}\nwe: {ours}\npandera: {theirs}"
            for verdict in ours:
                counts[verdict] += 1
    assert min(counts.values()) > CASES / 2


def compared_verdicts(
    spark: SparkSession, some: list[Case]
) -> list[tuple[Case, Any, list[bool], list[bool]]]:
    """Each row of each case, with whether it breaks each check: by us, and by pandera."""
    fields = [f for case in some for f in case.contract.to_structtype().fields]
    schema = T.StructType([T.StructField("op", T.StringType()), *fields])
    rows = [
        ("r", *(value for case in some for value in case.rows[i])) for i in range(len(some[0].rows))
    ]
    frame = spark.createDataFrame(rows, schema)
    verdicts, rules = [], []
    for case in some:
        checks = contract_checks(case.contract, frame, F.struct(*case.contract.columns()))
        theirs = fails(case.contract, frame)
        assert len(checks) == len(theirs)
        rules.append([check.rule for check in checks])
        verdicts.append(failed_rules(checks))
        verdicts.append(F.array(*theirs) if theirs else F.array().cast("array<boolean>"))
    verdict_rows = frame.select(*(v.alias(f"v{i}") for i, v in enumerate(verdicts))).collect()
    return [
        (
            case,
            case.rows[i],
            [rule in verdict_rows[i][2 * n] for rule in rules[n]],
            verdict_rows[i][2 * n + 1],
        )
        for n, case in enumerate(some)
        for i in range(len(rows))
    ]


def test_panderas_validate_says_so_too(spark: SparkSession) -> None:
    """The verdicts above are those of `validate`: on frames of one row, and of the good rows."""
    some = drawn_cases(3)
    good: dict[Any, list[Any]] = {case.contract: [] for case in some}
    for case, row, ours, _ in compared_verdicts(spark, some):
        if any(ours):
            frame = spark.createDataFrame([row], case.contract.to_structtype())
            assert errors(case.contract, frame) == sum(ours)
        else:
            good[case.contract].append(row)
    for judge, rows in good.items():
        assert errors(judge, spark.createDataFrame(rows, judge.to_structtype())) == 0


def errors(judge: Any, frame: Any) -> int:
    """How many checks pandera finds broken."""
    errors_by_kind = judge.validate(frame).pandera.errors
    return sum(len(found) for group in errors_by_kind.values() for found in group.values())


@pytest.mark.parametrize(
    ("values", "broken"),
    [(["a", "b", None, None], False), (["a", "b", "a", None], True), ([None], False), ([], False)],
)
def test_unique_columns(spark: SparkSession, values: list[str | None], broken: bool) -> None:
    rows = contract({"x": (T.StringType, column(doc="it", unique=True))})
    frame = spark.createDataFrame([(str(i), v) for i, v in enumerate(values)], rows.to_structtype())
    ours = failed(spark, rows, [{"x": v} for v in values])
    assert errors(rows, frame) == broken == any(ours)


def test_unique_together_differs_for_nulls_only(spark: SparkSession) -> None:
    rows = contract(
        {"x": (T.StringType, column(doc="x")), "y": (T.LongType, column(doc="y"))},
        unique=["x", "y"],
    )
    for values, ours, theirs in (
        ([("a", 1), ("a", 2), ("b", 1)], False, 0),
        ([("a", 1), ("a", 1)], True, 1),
        ([("a", None), ("a", None)], False, 1),
    ):
        failed_checks = failed(spark, rows, [{"x": x, "y": y} for x, y in values])
        numbered = [(str(i), *v) for i, v in enumerate(values)]
        frame = spark.createDataFrame(numbered, rows.to_structtype())
        assert (any(failed_checks), errors(rows, frame)) == (ours, theirs)


def test_old_times_differ_and_ours_are_exact(spark: SparkSession) -> None:
    year_one = dt.datetime(1, 1, 1, tzinfo=dt.UTC)
    rows = contract({"x": (T.TimestampType, column(doc="it", eq=year_one))})
    frame = spark.createDataFrame([("0", year_one)], rows.to_structtype())
    assert failed(spark, rows, [{"x": year_one}]) == [[]]
    assert errors(rows, frame) == 1
