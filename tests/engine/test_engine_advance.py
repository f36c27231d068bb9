"""What new changes concern: keys and subjects that hang together, and rows that look up others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.engine.advance import (
    EDGES,
    ROW_KEYS,
    KeptRows,
    concerned_rows,
    edges_of_changes,
    keys_of_changes,
    looked_up_rows,
    lookers,
    needs_lookers,
    why_not_by_subject,
)
from support.changes import change, changes_table, position
from support.repairs import TRANSLATION, Customer, Ticket, Tickets, Tier

Keys = set[tuple[str, str, str | None]]


def row_keys(spark: SparkSession, *keys: str | None) -> DataFrame:
    return spark.createDataFrame([("s", "t", key) for key in keys], ROW_KEYS.ddl)


def edges(spark: SparkSession, pairs: Iterable[tuple[str, str]]) -> DataFrame:
    rows = [("s", "t", key, "ticket", subject) for key, subject in pairs]
    return spark.createDataFrame(rows, EDGES.ddl)


def keep_rows(rows: DataFrame) -> KeptRows:
    back = rows.sparkSession.createDataFrame(rows.collect(), rows.schema)
    return KeptRows(back, back.count())


def names(rows: DataFrame) -> list[str | None]:
    return sorted((row["key"] for row in rows.collect()), key=repr)


@pytest.mark.parametrize(
    ("pairs", "seeds", "concerned"),
    [
        ([("a", "1"), ("b", "2")], ["a"], ["a"]),
        ([("a", "1"), ("b", "1"), ("b", "2"), ("c", "2"), ("d", "3")], ["a"], ["a", "b", "c"]),
        ([("a", "1")], ["z"], ["z"]),
        ([("a", "1"), ("b", "1")], [None, "b"], ["a", "b", None]),
        ([], [], []),
    ],
)
def test_keys_that_share_a_subject_hang_together(
    spark: SparkSession,
    pairs: list[tuple[str, str]],
    seeds: list[str | None],
    concerned: list[str | None],
) -> None:
    rows = concerned_rows(edges(spark, pairs), row_keys(spark, *seeds), keep_rows)
    assert names(rows) == concerned


def ticket(no: str, customer: int | None) -> dict[str, Any]:
    return {"no": no, "customer": customer, "status": "open", "note": None}


def test_a_changed_key_joins_both_keys_and_both_subjects(spark: SparkSession) -> None:
    renamed = change("u", 10, before=ticket("T1", 1), after=ticket("T2", 1))
    frame = changes_table(
        spark, Ticket, [renamed | {"old_key": '["T1"]'}], consistent_point=position(1)
    ).frame
    pairs = edges_of_changes(frame, Tickets.parts["ticket"], "ticket").collect()
    assert {(row["key"], row["subject"]) for row in pairs} == {
        (key, subject) for key in ('["T1"]', '["T2"]') for subject in ("T1", "T2")
    }
    assert names(keys_of_changes(frame)) == ['["T1"]', '["T2"]']


def test_rows_that_look_up_a_changed_row_are_met_by_any_image(spark: SparkSession) -> None:
    tickets = changes_table(
        spark,
        Ticket,
        [
            change("c", 10, after=ticket("T1", 1)),
            change("u", 20, before=ticket("T1", 1), after=ticket("T1", 2)),
            change("c", 30, after=ticket("T2", 3)),
            change("c", 40, after=ticket("T3", None)),
        ],
        consistent_point=position(1),
    ).frame
    tiers = changes_table(
        spark,
        Tier,
        [
            change("c", 50, after={"customer": 1, "tier": "gold"}),
            change("c", 60, after={"customer": 3, "tier": "gold"}),
        ],
        consistent_point=position(1),
    ).frame
    changed = keys_of_changes(tiers.where("position < '" + position(55) + "'"))
    lookup = Tickets.lookups["tier"]
    assert names(lookers(tickets, lookup, tiers, changed)) == ['["T1"]']
    assert names(looked_up_rows(tiers, lookup, tickets.where("key = '[\"T2\"]'"))) == ["[3]"]


def test_a_row_that_sees_its_commit_needs_no_look_at_later_ones() -> None:
    customer, tier = Tickets.lookups["customer"], Tickets.lookups["tier"]
    assert not needs_lookers(Tickets, customer, exact_commits=True)
    assert needs_lookers(Tickets, customer, exact_commits=False)
    assert needs_lookers(Tickets, tier, exact_commits=True)
    assert {customer.contract, tier.contract} == {Customer, Tier}


def test_what_can_be_followed_is_not_refused() -> None:
    assert why_not_by_subject(TRANSLATION) is None
