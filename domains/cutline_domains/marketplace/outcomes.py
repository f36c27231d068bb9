"""The decision that the marketplace is judged by: how much money each order is about."""

from __future__ import annotations

from decimal import Decimal

from cutline.context import Outcome

MONEY_DUE = Outcome(
    name="money_due",
    question="How much money is due for each order?",
    aggregate="order",
    decide="""
    SELECT
      subject,
      CAST(amount_due * 100 AS BIGINT) AS value,
      CASE WHEN amount_due IS NULL THEN 'without-items' END AS not_eligible
    FROM state_order
    """,
    unit="cents",
    # A total paid in instalments is rounded to whole cents per instalment.
    tolerance=Decimal(1),
)
