"""What became of changes within transactions is shown beside the books, where there is any."""

from __future__ import annotations

from dataclasses import replace

from cutline.results import SourceLog
from cutline_reports.gather import untold_transactions
from cutline_reports.model import RunBooks
from cutline_reports.waterfall import waterfall

NONE = RunBooks(40, {"translated": 40}, (), 40, 0, 0, {"accepted": 40}, 40, {"order": 9})


def test_nothing_is_shown_where_nothing_is_known() -> None:
    assert [panel.title for panel in waterfall(NONE)] == ["Source rows", "Events", "State"]


def test_each_figure_that_is_not_zero_has_a_line() -> None:
    books = replace(NONE, written_over=8, untold_transactions={"crm": 2, "erp": 4})
    *_, panel = waterfall(books)
    assert panel.title == "Changes within transactions"
    assert [(line.label, line.count, line.width) for line in panel.lines] == [
        ("Written over", 8, 100.0),
        ("Untold by erp", 4, 50.0),
        ("Untold by crm", 2, 25.0),
    ]
    assert panel.unexplained is None
    *_, panel = waterfall(replace(books, fell_within=3))
    assert panel.lines[1].label == "Facts between them"


def test_changes_without_a_transaction_are_counted_by_source() -> None:
    changes = {
        "erp": {"orders": {"alone": 3}, "lines": {"alone": 1}, "stock": {}},
        "crm": {"customers": {"alone": 0}},
    }
    logs = {
        source: SourceLog.model_validate({"tables": tables, "changes": 9})
        for source, tables in changes.items()
    }
    assert untold_transactions(logs) == {"erp": 4}
