"""The testing kit: the events and dispositions that a translator makes of literal rows.

    from cutline.testing import created, event, given, row, snapshot, specification, updated

    ORDER = row(ErpOrder, order_no="1", status="N", ordered_at="2026-10-01T08:00Z")

    test_orders = specification(ErpOrders, {
        "a new order was placed": given(snapshot(ORDER)).means(
            event(Placed, subject="1", time="2026-10-01T08:00Z"),
        ),
        "an order is released once": given(
            snapshot(ORDER),
            updated(ORDER, status="R", at="2026-10-02T08:00Z"),
        ).means(event(Placed), event(Released)),
        "nobody knows status ?": given(snapshot(ORDER, status="?")).means(
            quarantined("unreadable-status"),
        ),
    }).tests()

All cases of a specification are translated in one Spark job. A case alone has a job of its own:
`given(…).translated_by(ErpOrders).expect(…)`.
"""

from cutline.testing.case import Case, CaseResult, Given, given
from cutline.testing.expected import ambiguous, event, nothing, quarantined, translated
from cutline.testing.row import Row, row
from cutline.testing.specification import Specification, meanings, specification
from cutline.testing.step import Step, Together, created, deleted, snapshot, together, updated
from cutline.testing.text_table import rows

Outcome = CaseResult
"""The former name of CaseResult."""

__all__ = [
    "Case",
    "CaseResult",
    "Given",
    "Outcome",
    "Row",
    "Specification",
    "Step",
    "Together",
    "ambiguous",
    "created",
    "deleted",
    "event",
    "given",
    "meanings",
    "nothing",
    "quarantined",
    "row",
    "rows",
    "snapshot",
    "specification",
    "together",
    "translated",
    "updated",
]
