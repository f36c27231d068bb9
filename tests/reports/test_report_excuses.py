"""The report names, of what is not judged, the very row, event or answer that this rests on."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from cutline.masking import MASK
from cutline_reports import RunReport, as_html
from cutline_reports.gather import gather
from support.reported import reported


@pytest.fixture(scope="module")
def report(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> RunReport:
    return gather(reported(spark, tmp_path_factory.mktemp("excused")))


def test_reasons_are_told_with_their_first_subjects_and_rows(report: RunReport) -> None:
    *decisions, customers, orders = report.excuses
    assert {(g.level, g.name, g.kind, g.rests_on, g.count) for g in decisions} == {
        ("outcome", "money_due", "not-eligible", "truth", 1)
    }
    # Truth may write a reason for each subject: the report stays bounded.
    assert len(decisions) == 20
    assert (orders.level, orders.name, orders.kind, orders.reason, orders.count) == (
        "record", "order", "explained", "odd", 7,
    )  # fmt: skip
    assert [e.subject for e in orders.examples] == [f"SO-{n}" for n in range(1, 6)]
    first = orders.examples[0]
    assert (first.source, first.table, first.key, first.position) == (
        "erp", "orders", '["SO-1"]', "0",
    )  # fmt: skip
    [masked] = customers.examples
    assert (masked.subject, masked.key, masked.whole) == (MASK, f'["{MASK}"]', MASK)


def test_the_page_shows_them(report: RunReport) -> None:
    page = as_html(report)
    assert "Not judged, and what that rests on" in page
    assert "record order: explained, odd" in page
    assert "bob@x.example" not in page
