"""The ERP's words for how far an order, a line or a pick has come."""

from __future__ import annotations

HOLDS = (
    "CRHLD",
    "ADRCK",
    "FRDRV",
    "PAYPD",
    "BKORD",
    "SUBST",
    "DMGRT",
    "MANRV",
    "PRCMM",
    "TAXHL",
    "NOSTK",
    "RESCH",
    "CUSTC",
    "EDIER",
    "AGEDX",
    "DUPLO",
    "RTRNS",
    "LOSTX",
)
ELSEWHERE = ("SPLIT", "PARTL", "XFERP")
TEST = ("TESTO",)
UNREADABLE = ("MIGR1", "MIGR2", "Z9999")
STATUSES = (
    "NEW",
    "BOOKED",
    "ALLOCATED",
    "RELEASED",
    "CLOSED",
    "CANCL",
    *HOLDS,
    *ELSEWHERE,
    *TEST,
    *UNREADABLE,
)
"""Statuses of an order; columns hold the index."""
NEW, BOOKED, ALLOCATED, RELEASED, CLOSED, CANCELLED = range(6)
FIRST_HOLD = 6
FIRST_ELSEWHERE = FIRST_HOLD + len(HOLDS)
TESTO = FIRST_ELSEWHERE + len(ELSEWHERE)
FIRST_UNREADABLE = TESTO + 1

LINE_STATUSES = ("OPEN", "ALLOCATED", "SHIPPED", "CANCELLED")
LINE_OPEN, LINE_ALLOCATED, LINE_SHIPPED, LINE_CANCELLED = range(4)

PICK_STATUSES = ("ALLOCATED", "PICKED", "SHORT")
PICK_ALLOCATED, PICK_PICKED, PICK_SHORT = range(3)

CHANNELS = ("WEB", "STORE", "PHONE")
WEB = 0
