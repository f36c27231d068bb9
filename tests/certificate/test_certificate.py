"""The convergence certificate: what is proven by which figures, assumed by whom, violated where."""

from __future__ import annotations

from typing import Any

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.lake.lake import Lake
from cutline.results import (
    EXTRACT,
    MERGE,
    TRANSLATE,
    ExtractResult,
    MergeResult,
    TranslateResult,
)
from cutline.stages.certificate import write_certificate
from cutline.translator import SourceContract, column, table
from cutline.workspace import Workspace
from support.extracting import EXTRACT_TIME, Extract


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


class Cart(SourceContract):
    """One cart."""

    cart: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("web", "carts", key=["cart"])


LOG = {
    "changes": 7,
    "first": "1",
    "last": "9",
    "tables": {"orders": {"alone": 0}},
}


def certified(
    spark,
    tmp_path,
    snapshot,
    *,
    transactions="told",
    visible=0,
    log_kind="postgresql",
    held_by_rule=None,
    crossed=None,
    alone=0,
    within=None,
    deliveries=None,
    read=None,
):
    changes = {"kind": "debezium", "path": "x", "log": log_kind, "snapshot": snapshot}
    tables = {"orders": {"alone": alone}}
    log: dict[str, Any] = {"erp": LOG | {"crossed": crossed, "tables": tables} | (deliveries or {})}
    sources: dict[str, Any] = {
        "erp": {
            "kind": "csv",
            "path": "x",
            "tables": {"orders": {"path": "o.csv"}},
            "changes": changes,
        },
        "web": {"kind": "csv", "path": "x", "tables": {"carts": {"path": "c.csv"}}},
    }
    if snapshot is None:
        sources["erp"] |= {"previous": "y"}
        del sources["erp"]["changes"]
        log = {}
    extract = Extract(tmp_path, sources, (Order, Cart))
    done = {
        EXTRACT: ExtractResult(
            rows_in=12,
            rows_out=12,
            counts={"rows": {"erp.orders": 10, "web.carts": 2}},
            logs=log,
            extracts={
                "erp": {
                    "extracted_at": EXTRACT_TIME,
                    "position": "ff00",
                    "transactions": transactions,
                    "offsets": {"0": [5, 11], "10": [0, 3]},
                    **(read or {}),
                }
            },
        ),
        TRANSLATE: TranslateResult(
            rows_in=12,
            rows_out=20,
            counts={"dispositions": {"translated": 11, "no-op": 1, "visible-in-snapshot": 0}},
            visible={"erp": visible},
            times=TIMES,
            **(within or {}),
        ),
        MERGE: MergeResult(
            rows_in=20,
            rows_out=20,
            counts={"verdicts": {"accepted": 19, "held": 1}, "exceptions": held_by_rule or {}},
        ),
    }
    workspace = Workspace(
        run_id="run",
        region="eu",
        project=extract.project,
        context=extract.translation.context,
        translation=extract.translation,
        lake=Lake(str(tmp_path / "lake")),
        recorded_at=EXTRACT_TIME,
        positions={},
        done=done,
    )
    written, rows = write_certificate(workspace)
    assert written.table.rows == len(rows)
    return {(row.obligation, row.source): (row.status, row.by) for row in rows}


TIMES = {"erp": {"exact": 12, "inferred": 3, "extract": 1}, "web": {"commit": 4}}
IN_LOG = {"policy": "in-log"}
VISIBILITY = {"policy": "transaction-visibility", "visible": "700:720:705"}


def test_every_obligation_says_by_what_it_holds(spark, tmp_path):
    obligations = certified(spark, tmp_path, VISIBILITY, visible=3)
    assert sorted({code for code, _ in obligations}) == [f"O{n}" for n in range(1, 10)]
    assert {source for code, source in obligations if code <= "O5" or code == "O9"} == {
        "erp",
        "web",
    }
    assert obligations["O1", "erp"] == (
        "proven",
        "each table was read as one whole, and all rows were written: orders 10",
    )
    assert obligations["O2", "erp"] == (
        "proven",
        "the change file holds 3 changes that the snapshot shows already",
    )
    assert (
        obligations["O3", "erp"][0]
        == obligations["O4", "erp"][0]
        == obligations["O5", "erp"][0]
        == "proven"
    )
    assert obligations["O3", "web"] == ("proven", "it has no changes: its snapshot is all there is")
    assert obligations["O9", "erp"] == (
        "assumed",
        "by its contracts, that what they call stable never moves: of the events' times 12 exact, "
        "3 inferred, for its time or payload may have been written again since, 1 not known but "
        "for the extract",
    )
    assert obligations["O9", "web"] == (
        "proven",
        "none calls itself exact: 4 of a write, and not of the fact",
    )
    assert obligations["O8", None] == (
        "proven",
        "12 source rows = 1 no-op + 11 translated; 20 candidate events, each with one verdict",
    )


def test_an_order_that_contradicts_itself_is_not_assumed(spark, tmp_path):
    def o5(again, out_of_order, stray):
        deliveries = {
            "tables": {"orders": {"alone": 0, "again": again, "out_of_order": out_of_order}}
        }
        deliveries["stray"] = stray
        obligations = certified(spark, tmp_path, IN_LOG, log_kind="kafka", deliveries=deliveries)
        return obligations["O5", "erp"]

    by = "the topic's order is taken for that of commits: the source tells no other"
    assert o5(0, 0, None) == ("assumed", by)
    assert o5(2, 0, None) == ("assumed", f"{by}; 2 changes that came again counted once")
    status, by = o5(0, 1, ["0.7", "2026-09-02T00:00:00Z"])
    assert status == "held"
    assert by.startswith("1 change came behind a later one of the same row")
    assert "the first at 0.7, committed at 2026-09-02T00:00:00Z: they are held as" in by


def test_the_second_count_tells_rows_of_other_slices_and_what_stands_beside(spark, tmp_path):
    account = {"place": "o.csv", "lines": 16, "headers": 1, "rows": 12, "of_other_slices": 3}
    read = {"read": {"orders": [account]}}
    read["lines"] = {"lines": 7, "with_rows": 5, "tombstones": 1, "blank_lines": 1}
    obligations = certified(spark, tmp_path, VISIBILITY, visible=3, read=read)
    assert obligations["O8", None][1].endswith(
        "; 23 lines and every table counted a second time: 15 rows = 12 of this slice + 3 of other "
        "slices, beside them 1 blank line, 1 header, 1 tombstone"
    )


def test_one_change_is_told_as_one(spark, tmp_path):
    obligations = certified(spark, tmp_path, VISIBILITY, visible=1)
    assert (
        obligations["O2", "erp"][1]
        == "the change file holds 1 change that the snapshot shows already"
    )


def test_what_is_only_assumed_names_who_says_so(spark, tmp_path):
    point = {"policy": "exported-snapshot", "consistent_point": "0/1"}
    obligations = certified(
        spark, tmp_path, point, transactions="assumed", held_by_rule={"no-prior-image": 2, "odd": 5}
    )
    status, by = obligations["O3", "erp"]
    assert status == "assumed"
    assert by.startswith("sources.erp.changes.snapshot: that each connection of the extract")
    assert "their ends are not told" in by
    assert "the rows that are held (2 no-prior-image)" in by
    assert obligations["O2", "erp"][0] == "assumed"
    assert obligations["O6", None][0] == obligations["O7", None][0] == "assumed"


@pytest.mark.parametrize("rule", ["unknown-commit", "half-a-key-change"])
def test_held_rows_make_even_an_exact_cut_an_assumption(spark, tmp_path, rule):
    obligations = certified(spark, tmp_path, VISIBILITY, held_by_rule={rule: 1})
    assert obligations["O3", "erp"][0] == "assumed"


def test_a_violated_obligation_fails_the_run_and_its_certificate_is_kept(spark, tmp_path):
    frozen = {"policy": "kafka-offsets", "offsets": {0: 3}}
    with pytest.raises(RunFailed) as failed:
        certified(spark, tmp_path, frozen, log_kind="kafka")
    assert "O2 is violated by source erp" in failed.value.what
    assert "partition 0 begins at 5, the tail at 3" in failed.value.what
    assert failed.value.next_step == "cutline certify run"
    certificate = spark.read.parquet(str(tmp_path / "lake" / "certificate"))
    assert [r["obligation"] for r in certificate.where("status = 'violated'").collect()] == ["O2"]


def test_a_topic_that_reaches_back_before_the_frozen_offsets_is_whole(spark, tmp_path):
    frozen = {"policy": "kafka-offsets", "offsets": {0: 5}}
    obligations = certified(spark, tmp_path, frozen, log_kind="kafka")
    assert obligations["O2", "erp"][0] == "assumed"
    assert obligations["O5", "erp"] == (
        "assumed",
        "the topic's order is taken for that of commits: the source tells no other",
    )


def test_a_clock_that_ran_backwards_across_the_line_violates_both_sides_of_it(spark, tmp_path):
    moment = {"policy": "commit-timestamp", "at": "2026-11-01T01:00:00Z"}
    crossed = {
        "before": ["200", "2026-11-01T00:59:59Z"],
        "after": ["100", "2026-11-01T01:00:01Z"],
    }
    with pytest.raises(RunFailed) as failed:
        certified(spark, tmp_path, moment, crossed=crossed)
    assert "O3 is violated by source erp" in failed.value.what
    assert "O4 is violated by source erp" in failed.value.what
    assert "the change at 200 says that it was committed at 2026-11-01T00:59:59Z" in (
        failed.value.what
    )
    assert "`until`" in failed.value.what


def test_what_two_extracts_show_of_deletions_is_taken_on_trust(spark, tmp_path):
    obligations = certified(spark, tmp_path, None)
    for code in ("O2", "O3", "O4"):
        status, by = obligations[code, "erp"]
        assert status == "assumed"
        assert by.startswith("sources.erp.previous: that what came and went between two extracts")
    assert obligations["O5", "erp"] == ("proven", "it has no changes")


def test_changes_whose_transaction_is_not_told_are_assumed_to_be_commits(spark, tmp_path):
    status, by = certified(spark, tmp_path, VISIBILITY, alone=3)["O3", "erp"]
    assert status == "assumed"
    assert "that 3 changes whose transaction is not told were each committed alone" in by


def test_what_was_written_over_within_transactions_is_counted(spark, tmp_path):
    within = {"written_over": 2, "fell_within": 1}
    status, by = certified(spark, tmp_path, VISIBILITY, within=within)["O8", None]
    assert status == "proven"
    assert by.endswith(
        "; 2 changes written over in their own transactions, in which 1 fact held that nobody could"
        " read"
    )
