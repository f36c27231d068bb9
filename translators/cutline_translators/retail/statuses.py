"""The ERP's order statuses, as far as their meaning is still known."""

from __future__ import annotations

from cutline.translator import lifecycle

RELEASED, CLOSED, CANCELLED, TEST = "RELEASED", "CLOSED", "CANCL", "TESTO"

OPEN = ("NEW", "BOOKED", "ALLOCATED")
PARTLY_ELSEWHERE = ("SPLIT", "PARTL", "XFERP")
"""Open, but partly shipped from another house: the order goes on, so nothing is announced."""

HOLDS = {
    "CRHLD": "credit",
    "ADRCK": "address",
    "FRDRV": "fraud",
    "PAYPD": "payment",
    "BKORD": "backorder",
    "SUBST": "substitution",
    "DMGRT": "damage",
    "MANRV": "manual-review",
    "PRCMM": "price-mismatch",
    "TAXHL": "tax",
    "NOSTK": "no-stock",
    "RESCH": "reschedule",
    "CUSTC": "customer-callback",
    "EDIER": "edi-error",
    "AGEDX": "aged",
    "DUPLO": "duplicate-suspected",
    "RTRNS": "return-pending",
    "LOSTX": "lost",
}
"""Statuses that stop an order, and the kind of hold that each means."""

READABLE = (*OPEN, RELEASED, CLOSED, CANCELLED, TEST, *PARTLY_ELSEWHERE, *HOLDS)
"""The statuses of known meaning; others were left by an older migration."""

_ON_ITS_WAY = (*OPEN, *PARTLY_ELSEWHERE, *HOLDS)

ORDER_LIFECYCLE = lifecycle(
    "status",
    start=["NEW", TEST],
    follows={
        **{status: [*_ON_ITS_WAY, RELEASED, CLOSED, CANCELLED] for status in _ON_ITS_WAY},
        RELEASED: [CLOSED, CANCELLED, *HOLDS],
        CLOSED: [],
        CANCELLED: [],
        TEST: [],
    },
)
"""An order may be held and go on, in any order; what is closed, cancelled or a test stays so."""
