"""The system's status letters, as far as their meaning is still known."""

from __future__ import annotations

QUOTED, ACTIVE, RESTING, LAPSED, CANCELLED, EXPIRED = "Q", "A", "B", "L", "C", "X"
BOUND = (ACTIVE, RESTING, LAPSED, CANCELLED, EXPIRED)
"""The letters of policies that were ever in force."""
UNREADABLE = ("W", "Z")
"""Left on policies by the migration of 2009."""
TEST_CUSTOMER = "TEST"
"""The prefix of the customer numbers of test policies."""

COVERED, ENDED = "A", "E"

DRAFT, ISSUED, VOID = "D", "I", "V"

REGISTERED, INVESTIGATED, APPROVED = "R", "U", "A"
DECLINED, PAID, VOIDED = "D", "P", "V"
