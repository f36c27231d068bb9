"""The system's status letters, as far as anybody can still say what they mean."""

from __future__ import annotations

QUOTED, ACTIVE, RESTING, LAPSED, CANCELLED, EXPIRED = "Q", "A", "B", "L", "C", "X"
BOUND = (ACTIVE, RESTING, LAPSED, CANCELLED, EXPIRED)
"""Policies that insurer and customer have agreed on, whatever became of them."""
UNREADABLE = ("W", "Z")
"""Left on policies by the migration of 2009."""
TEST_CUSTOMER = "TEST"
"""How the customer numbers of test policies begin."""

COVERED, ENDED = "A", "E"

DRAFT, ISSUED, VOID = "D", "I", "V"

REGISTERED, INVESTIGATED, APPROVED = "R", "U", "A"
DECLINED, PAID, VOIDED = "D", "P", "V"
