"""The example project, run as its README says on the real data, and on rows of a worse kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.run.outcome import RunOutcome
from support.documents import hold_to
from support.finished_olist import DATA, NO_DATA, finished_olist, olist_project
from support.whole_runs import run_here

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example project."""
    return olist_project(tmp_path / "olist")


@pytest.mark.skipif(not DATA.is_dir(), reason=NO_DATA)
def test_three_thousand_real_orders_tell_what_was_measured(
    spark: SparkSession, tmp_path: Path
) -> None:
    olist = finished_olist(spark, tmp_path / "finished")
    document = olist.printed
    assert (olist.exit_code, document["decision"], document["unexplained"]) == (0, "go", 0)
    assert document["findings"] == {
        "handed-over-before-approval": 50,
        "delivered-before-approval": 4,
        "cancelled-after-hand-over": 4,
        "delivered-never-approved": 1,
        "lifecycle:olist.orders.order_status": 0,
    }
    assert document["breaks"] == {"record": 0, "state": 17, "outcome": 13}
    assert document["exceptions"] == {}
    money = {name: n for name, n in document["outcomes"]["money_due"].items() if n}
    assert money == {"agree": 2954, "within-tolerance": 9, "differ": 13, "not-eligible": 24}
    announced = 3000 + 2991 + 2946 + 2904 + 24 + 17
    assert document["verdicts"]["accepted"] == sum(document["verdicts"].values()) == announced
    assert document["dispositions"]["translated"] == 3000
    hold_to(GOLDEN / "olist-run.json", document, olist.project, DATA, olist.run_in)


ORDERS = """\
order_id,customer_id,order_status,order_purchase_timestamp,order_approved_at,\
order_delivered_carrier_date,order_delivered_customer_date,order_estimated_delivery_date
good,c1,delivered,2018-05-01 10:00:00,2018-05-01 11:00:00,2018-05-02 10:00:00,2018-05-03 10:00:00,
dateless,c2,delivered,2018-05-01 10:00:00,2018-05-01 11:00:00,2018-05-02 10:00:00,,
unpaid,c3,delivered,2018-05-01 10:00:00,2018-05-01 11:00:00,2018-05-02 10:00:00,2018-05-03 10:00:00,
nobody,c9,shipped,2018-05-01 10:00:00,2018-05-01 11:00:00,2018-05-02 10:00:00,,
twin,c4,created,2018-05-01 10:00:00,,,,
twin,c4,canceled,2018-05-01 10:00:00,,,,
odd,c1,delivered,yesterday,2018-05-01 11:00:00,,,
"""
ITEMS = """\
order_id,order_item_id,product_id,seller_id,shipping_limit_date,price,freight_value
good,1,p,s,2018-05-02 10:00:00,10.00,1.50
dateless,1,p,s,2018-05-02 10:00:00,10.00,1.50
unpaid,1,p,s,2018-05-02 10:00:00,10.00,1.50
"""
PAYMENTS = """\
order_id,payment_sequential,payment_type,payment_installments,payment_value
good,1,voucher,1,1.50
good,2,credit_card,3,10.00
dateless,1,boleto,1,11.50
"""
CUSTOMERS = """\
customer_id,customer_unique_id,customer_zip_code_prefix,customer_city,customer_state
c1,u1,01000,sao paulo,SP
c1,u1,01000,sao paulo,SP
c2,u2,20000,"rio, de janeiro",RJ
c3,u3,01000,são paulo,SP
c4,u4,01000,sao paulo,SP
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A small data set with what the full one, or a worse one, may hold."""
    data = tmp_path / "data"
    data.mkdir()
    for table, text in {
        "orders": ORDERS,
        "order_items": ITEMS,
        "order_payments": PAYMENTS,
        "customers": CUSTOMERS,
    }.items():
        (data / f"olist_{table}_dataset.csv").write_text(text, encoding="utf-8")
    return data


@pytest.fixture
def run(
    spark: SparkSession, project: Path, hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], RunOutcome]:
    """Runs a region of it."""
    monkeypatch.setenv("OLIST_DATA", str(hostile))
    return lambda region: run_here(project, "marketplace", region)


@pytest.mark.soak
def test_rows_of_any_kind_are_told_and_none_is_lost(
    run: Callable[[str], RunOutcome], project: Path
) -> None:
    outcome = run("all")
    document = outcome.as_json()
    assert (outcome.exit_code, document["decision"], document["unexplained"]) == (1, "no-go", 0)
    rows = 7 + 3 + 5
    assert sum(document["dispositions"].values()) == rows
    # The customer that is there twice, the order that is there twice, and the unreadable time.
    assert sum(document["exceptions"].values()) >= 3
    assert document["outcomes"]["money_due"]["differ"] == 1


@pytest.mark.soak
def test_a_region_is_the_customers_state(run: Callable[[str], RunOutcome]) -> None:
    document = run("RJ").as_json()
    assert document["dispositions"]["translated"] == 1
    assert document["outcomes"]["money_due"]["agree"] == 1
    assert document["breaks"]["state"] == 1
