"""The decisions that the context is judged by: which copies are out, and what was paid."""

from __future__ import annotations

from cutline.context import Outcome

COPIES_OUT = Outcome(
    name="copies_out",
    question="Which copy is still with a customer, on each rental that is open?",
    aggregate="rental",
    decide="SELECT subject, copy_no AS value FROM state_rental WHERE status = 'out'",
    unit="copy",
)

MONEY_RECEIVED = Outcome(
    name="money_received",
    question="How much money was received for each rental?",
    aggregate="rental",
    decide="SELECT subject, paid_cents AS value FROM state_rental",
    unit="cents",
)

OUTCOMES = (COPIES_OUT, MONEY_RECEIVED)
