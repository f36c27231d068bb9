"""The life of breaks over runs, held against a naive account in Python."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from cutline.identity import texts_id
from cutline.tables import BREAK_HISTORY, BREAKS, EXCEPTION_HISTORY, EXCEPTIONS
from cutline.tables.breaks import LEVELS
from cutline.tables.history import LIFE
from cutline_reconciliation.history.identity import with_break_id, with_exception_id
from cutline_reconciliation.history.lifecycle import RunStamp, history, level_figures, with_state

Life = dict[str, Any]
T0 = dt.datetime(2026, 11, 1)
LIVES = tuple(c.name for c in LIFE)


def naive(runs: list[dict[str, str]]) -> list[dict[str, Life]]:
    """After each run, by id what is known; a run maps the ids that it found to their value."""
    life_by_id: dict[str, Life] = {}
    accounts = []
    for number, values_by_id in enumerate(runs):
        run, at = f"run-{number}", T0 + dt.timedelta(days=number)
        life_by_id = {id: dict(life) for id, life in life_by_id.items()}
        for id, value in values_by_id.items():
            life = life_by_id.get(id)
            if life is None:
                life = {"state": "opened", "openings": 1}
                life |= {"first_seen_run": run, "first_seen_at": at}
            elif life["state"] == "fixed":
                life |= {"state": "reopened", "openings": life["openings"] + 1}
            else:
                life |= {"state": "persisting"}
            life |= {"last_seen_run": run, "last_seen_at": at, "value": value}
            life_by_id[id] = life | {"fixed_run": None, "fixed_at": None}
        for id, life in life_by_id.items():
            if id not in values_by_id and life["state"] != "fixed":
                life |= {"state": "fixed", "fixed_run": run, "fixed_at": at}
        accounts.append(life_by_id)
    return accounts


CASES = st.lists(
    st.lists(st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy")), max_size=5),
    min_size=20,
    max_size=40,
)


@settings(max_examples=2, deadline=None)
@given(cases=CASES)
def test_any_sequence_of_runs_is_told_as_the_naive_account_tells_it(
    spark: SparkSession, cases: list[list[dict[str, str]]]
) -> None:
    life = ", ".join(f"{c.name} {c.type}" for c in LIFE)
    before = spark.createDataFrame([], f"id string, value string, {life}")
    expected = [naive(runs) for runs in cases]
    for number in range(max(map(len, cases), default=0)):
        rows = [
            (f"{case}{id}", value)
            for case, runs in enumerate(cases)
            if number < len(runs)
            for id, value in runs[number].items()
        ]
        current = spark.createDataFrame(rows, "id string, value string")
        states = {r["id"]: r["state"] for r in with_state(current, before).collect()}
        stamp = RunStamp(f"run-{number}", (T0 + dt.timedelta(days=number)).replace(tzinfo=dt.UTC))
        after = history(current, before, stamp).collect()
        before = spark.createDataFrame(after, before.schema)
        assert len({r["id"] for r in after}) == len(after)
        for case, runs in enumerate(cases):
            if number < len(runs):
                life_by_id = {
                    r["id"].removeprefix(str(case)): {n: r[n] for n in (*LIVES, "value")}
                    for r in after
                    if r["id"][:-1] == str(case)
                }
                assert life_by_id == expected[case][number]
                for id in runs[number]:
                    assert states[f"{case}{id}"] == life_by_id[id]["state"]


def test_what_was_fixed_long_ago_is_no_news(spark: SparkSession) -> None:
    ddl = ", ".join(f"`{c.name}` {c.type}" for c in BREAK_HISTORY.columns)
    before = spark.createDataFrame([], ddl)
    figures_by_run = []
    for number, subjects in enumerate((("A", "B"), ("B",), ("B",), ("A", "B", "C"), ())):
        rows = [(s, "state" if s != "C" else "record") for s in subjects]
        current = spark.createDataFrame(rows, "id string, level string")
        for column in BREAKS.columns:
            if column.name not in ("id", "level", "state"):
                current = current.selectExpr("*", f"cast(null as {column.type}) as `{column.name}`")
        after = history(current, before, RunStamp(f"run-{number}", T0.replace(tzinfo=dt.UTC)))
        figure_columns = {
            f"{level}/{name}": one
            for level in LEVELS
            for name, one in level_figures(f"run-{number}", level).items()
        }
        [counted] = after.agg(*(c.alias(n) for n, c in figure_columns.items())).collect()
        figures_by_run.append({n: v for n, v in counted.asDict().items() if v})
        before = spark.createDataFrame(after.select(*BREAK_HISTORY.names).collect(), ddl)
    assert figures_by_run == [
        {"state/opened": 2, "state/open": 2},
        {"state/persisting": 1, "state/fixed": 1, "state/open": 1},
        {"state/persisting": 1, "state/open": 1},
        {
            **{"state/persisting": 1, "state/reopened": 1, "state/open": 2},
            **{"record/opened": 1, "record/open": 1},
        },
        {"state/fixed": 2, "record/fixed": 1},
    ]


def frame(spark: SparkSession, table: Any, *rows: dict[str, Any]) -> DataFrame:
    return spark.createDataFrame([tuple(r.get(n) for n in table.names) for r in rows], table.ddl)


def test_a_break_is_named_by_where_and_what_it_is_and_not_by_its_values(
    spark: SparkSession,
) -> None:
    break_row = {"level": "state", "name": "order", "subject": "SO-1", "kind": "different"}
    break_row |= {"column": "cents", "legacy": "1", "new": "2"}
    others = [
        break_row | {"legacy": "7", "new": None},
        break_row | {"level": "outcome"},
        break_row | {"name": "line"},
        break_row | {"subject": "SO-2"},
        break_row | {"kind": "missing"},
        break_row | {"column": None},
        break_row | {"column": ""},
    ]
    breaks = frame(spark, BREAKS, break_row, *others).drop("id")
    ids = [r["id"] for r in with_break_id(breaks, "shop", "north").collect()]
    assert ids[0] == texts_id("shop", "north", "state", "order", "SO-1", "cents", "different")
    assert ids[1] == ids[0]
    assert len(set(ids)) == len(ids) - 1
    elsewhere = with_break_id(breaks, "shop", "south").collect()
    assert not {r["id"] for r in elsewhere} & set(ids)


def test_an_exception_is_named_by_its_row_wherever_it_was_read(spark: SparkSession) -> None:
    row = {"rule": "odd", "level": "source-row", "source": "erp", "table": "orders", "checks": []}
    rows = [
        row | {"key": '["1"]', "position": "2", "reason": "then", "payload": "b"},
        row | {"key": '["1"]', "position": "1", "reason": "now", "payload": "a"},
        row | {"key": '["2"]', "position": "1", "payload": "a"},
        row | {"position": "9", "payload": "7;;"},
        row | {"position": "8", "payload": "7;;"},
        row | {"position": "8", "payload": "8;;"},
        row | {"level": "event", "event_id": "e", "payload": "x"},
    ]
    named = with_exception_id(frame(spark, EXCEPTIONS, *rows), "shop", "north").collect()
    exceptions = sorted(
        (r["key"] or r["event_id"] or r["payload"], r["rows"], r["reason"]) for r in named
    )
    assert exceptions == [
        ("7;;", 2, None),
        ("8;;", 1, None),
        ('["1"]', 2, "now"),
        ('["2"]', 1, None),
        ("e", 1, None),
    ]
    assert set(EXCEPTION_HISTORY.names) == {*named[0].asDict(), *LIVES}
