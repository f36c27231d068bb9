"""Truth that cannot be had: a sentence that names the aggregate, the file and the column."""

from __future__ import annotations

from typing import Any

import pytest

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from support.reconciled import OPEN, ORDER_TRUTH, ORDERS, Slice


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("SELECT no, status FROM erp.orders", ConfigurationError,
         "the truth of aggregate order has no column 'subject'"),
        ("SELEC 1", ConfigurationError, "the truth of aggregate order cannot be asked of"),
        ("SELECT no AS subject FROM erp.order_s", ConfigurationError, "no such table: erp.order_s"),
        ("SELECT no AS subject FROM erp.orders WHERE region = :slice", ConfigurationError,
         "asks for :slice, which nobody gives"),
        ("SELECT no AS subject FROM erp.orders WHERE region = ?", ConfigurationError,
         "asks for ?, which nobody gives"),
        ("SELECT no AS subject, status AS state FROM erp.orders", ConfigurationError,
         "the truth of aggregate order vouches for column 'state'"),
        ("SELECT NULL AS subject FROM erp.orders", RunFailed, "has 2 rows without a subject"),
        ("SELECT no AS subject, json_extract('{', '$') AS status FROM erp.orders", RunFailed,
         "the truth of aggregate order failed while it was read from erp ("),
        ("DELETE FROM erp.orders RETURNING no AS subject", ConfigurationError,
         "the truth of aggregate order cannot be asked"),
        ("SELECT no AS subject, 'x' AS cents FROM erp.orders", RunFailed,
         "the truth of aggregate order has 2 values in column cents that are no bigint"),
        ("SELECT no AS subject, 1.5 AS cents FROM erp.orders", RunFailed, "in column cents"),
        ("SELECT no AS subject, '9223372036854775808' AS cents FROM erp.orders", RunFailed,
         "in column cents"),
        ("SELECT no AS subject, '1.005' AS paid FROM erp.orders", RunFailed,
         "in column paid that are no decimal(12,2)"),
        ("SELECT no AS subject, '12345678901.00' AS paid FROM erp.orders", RunFailed,
         "in column paid"),
        ("SELECT 'A' AS subject FROM erp.orders", RunFailed,
         "the truth of aggregate order has 1 subjects more than once, such as A"),
    ],
)  # fmt: skip
def test_sql_that_does_not_tell_the_truth(
    shop_slice: Slice, sql: str, error: type[CutlineError], message: str
) -> None:
    shop_slice.orders(("A", "open", 1, 0), ("B", "open", 1, 0))
    with pytest.raises(error) as raised:
        shop_slice.reconcile({"order": sql})
    assert message in raised.value.what
    assert "aggregate order" in raised.value.what
    assert raised.value.next_step


def test_the_legacy_is_never_written(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "open", 1, 0))
    before = (shop_slice.folder / "erp.db").read_bytes()
    with pytest.raises(CutlineError):
        shop_slice.reconcile({"order": "DELETE FROM erp.orders RETURNING no AS subject"})
    assert (shop_slice.folder / "erp.db").read_bytes() == before
    assert [p.name for p in shop_slice.folder.iterdir() if p.name.startswith("erp")] == ["erp.db"]


def test_truth_without_rows_is_allowed_and_never_go(shop_slice: Slice) -> None:
    shop_slice.orders()
    reconciled = shop_slice.reconcile({"order": ORDER_TRUTH + " -- nothing\n;  -- and no more"})
    assert reconciled.rows("truth_order") == []
    assert reconciled.result.decided_by == "Record: nothing was compared, which is never GO"


def test_no_truth_at_all_is_never_go(shop_slice: Slice) -> None:
    assert shop_slice.reconcile({}).result.decided_by == (
        "Truth: nothing to compare with, because the translation brings no truth"
    )


def test_what_the_books_leave_unexplained_decides_first(shop_slice: Slice) -> None:
    facts = shop_slice.reconcile({}, lost=2).result.stored()["facts"]
    assert facts["unexplained"] == 2
    assert facts["decided_by"] == (
        "Conservation: 2 of 1,000 source rows and 2,000 candidate events are unexplained"
    )


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ({"path": "gone.db"}, ConfigurationError, "gone.db, which is not there"),
        ({"path": "erp.db", "truth": "gone.db"}, ConfigurationError, "gone.db, which is not there"),
        ({"path": "text.db"}, RunFailed, "the truth of source erp cannot be read from"),
        ({"path": "."}, ConfigurationError, "which is not there"),
    ],
)
def test_databases_that_cannot_be_read(
    shop_slice: Slice, source: dict[str, Any], error: type[CutlineError], message: str
) -> None:
    (shop_slice.folder / "text.db").write_text("this is no database, however long it may be " * 40)
    shop_slice.sources["erp"] = {"kind": "sqlite", "tables": {"orders": {}}} | source
    with pytest.raises(error) as raised:
        shop_slice.reconcile({"order": ORDER_TRUTH})
    assert message in raised.value.what


def test_truth_is_read_where_the_project_says(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "open", 1, 0))
    (shop_slice.folder / "legacy 100%").mkdir()
    (shop_slice.folder / "erp.db").rename(shop_slice.folder / "legacy 100%" / "e'r?p.db")
    shop_slice.sources["erp"] = {
        "kind": "sqlite", "path": "erp.db", "truth": "legacy 100%/e'r?p.db", "tables": {"orders": {}},
    }  # fmt: skip
    shop_slice.state("order", ORDERS, [])
    reconciled = shop_slice.reconcile({"order": ORDER_TRUTH})
    assert reconciled.breaks() == {("record", "order", "A", "missing", None, None, None)}


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ({"aggregates": {"orderz": ORDER_TRUTH}}, "aggregate orderz, which context shop does not "
         "have. Did you mean 'order'?"),
        ({"aggregates": {}, "outcomes": {"open": ORDER_TRUTH}}, "outcome open, which context shop"),
        ({"aggregates": {}, "gates": {"outcomes": {"open_order": {"min_match_rate": 0.5}}}},
         "gates.outcomes.open_order is about an outcome"),
    ],
)  # fmt: skip
def test_questions_about_what_is_not_there(
    shop_slice: Slice, questions: dict[str, Any], message: str
) -> None:
    shop_slice.orders()
    with pytest.raises(ConfigurationError) as raised:
        shop_slice.reconcile(**questions, declared=(OPEN,))
    assert message in raised.value.what
