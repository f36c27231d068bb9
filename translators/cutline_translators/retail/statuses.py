"""The ERP's order statuses, as far as anybody can still say what they mean."""

from __future__ import annotations

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
"""Every status that somebody can read; the others were left by an older migration."""
