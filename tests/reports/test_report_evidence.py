"""How far the evidence goes: what the report says of facts and of the order of sources."""

from __future__ import annotations

import re
from types import SimpleNamespace

from cutline.results import TranslateResult
from cutline.translator import Occurrence, Translation, Translator, fact
from cutline_reports import as_html
from cutline_reports.evidence import translators_used
from support.sample_reports import EMPTY_REPORT, NO_GO_REPORT
from support.shop import SHOP, ComposedOrders, OldOrder, Placed, Released


class Doubtful(Translator):
    """A fact that can cease to hold, and one in Python."""

    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = OldOrder, "no"

    @fact(Placed, per_row=True)
    def placed(self, row):
        return None

    @fact(Released, transient=True)
    def released(self, row):
        return Occurrence(row.status == "R", {"order": row.no}, at=row.released_at)


def test_evidence_is_what_translators_declare_and_the_stage_measured() -> None:
    facts = {
        "skew": {
            "composed-orders": {
                "sources": {"old": "2026-11-01T02:00:00+00:00", "web": "2026-11-01T02:05:00+00:00"},
                "crossings": 7,
                "within_a_minute": 3,
                "within_a_second": 1,
            }
        }
    }
    translation = Translation("shop", "1.0.0", SHOP, (ComposedOrders,))
    extended_translation = SimpleNamespace(translators=(*translation.translators, Doubtful))
    translated = TranslateResult(rows_in=0, rows_out=0, **facts)
    workspace = SimpleNamespace(translation=extended_translation, result_of=lambda _: translated)
    composed, doubtful = translators_used(workspace)  # type: ignore[arg-type]
    assert composed.skew is not None
    assert list(composed.skew.sources) == ["old", "web"]
    assert (composed.skew.crossings, composed.skew.within_a_second) == (7, 1)
    assert (doubtful.transient, doubtful.per_row) == (("Released",), ("Placed",))
    assert doubtful.skew is None


def text(report) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", as_html(report)).split())


def test_the_page_says_it_in_words_and_only_where_there_is_something_to_say() -> None:
    page = text(NO_GO_REPORT)
    assert "erp-orders: ExceptionHoldPlaced can cease to hold." in page
    assert "erp-orders draws on erp, shop, which have no position in common" in page
    assert (
        "1,312 changes follow one of another source; 12 within a minute, 1 within a second" in page
    )
    assert "store-picks: InventoryReserved is decided in Python, row by row" in page
    assert "How far the evidence goes" not in text(EMPTY_REPORT)
