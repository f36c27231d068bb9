"""Olist's own answers, by SQL on its tables, in which every value is text."""

from __future__ import annotations

from cutline.translator import Truth

# An id that stands there twice names no one order: nobody can say which of the rows it is.
_ORDERS_OF_REGION = """
  SELECT order_id, order_status
  FROM olist.orders
  WHERE (:region = 'all' OR customer_id IN (
    SELECT customer_id FROM olist.customers WHERE customer_state = :region
  ))
  AND order_id IS NOT NULL
  AND order_id NOT IN (
    SELECT order_id FROM olist.orders
    WHERE order_id IS NOT NULL
    GROUP BY order_id
    HAVING count(*) > 1
  )
"""

# Money is text such as 39.95 or 40: its two halves are read as integers, never through a float.
_CENTS_PAID = """
  CAST(substr(payment_value, 1, instr(payment_value || '.', '.') - 1) AS INTEGER) * 100
  + CAST(
    substr(substr(payment_value, instr(payment_value || '.', '.') + 1) || '00', 1, 2) AS INTEGER
  )
"""

_STATUS = f"""
-- The status column as it stands, whatever the timestamps beside it say.
SELECT order_id AS subject, order_status AS status
FROM ({_ORDERS_OF_REGION})
"""  # noqa: S608 - both parts are constants of this file

_MONEY_PAID = f"""
-- Cents paid for each order, over all its payments; 0 for an order without any.
SELECT orders.order_id AS subject, coalesce(sum(payments.cents), 0) AS value
FROM ({_ORDERS_OF_REGION}) AS orders
LEFT JOIN (SELECT order_id, {_CENTS_PAID} AS cents FROM olist.order_payments) AS payments
  ON payments.order_id = orders.order_id
GROUP BY orders.order_id
"""  # noqa: S608 - all parts are constants of this file

TRUTH = Truth(aggregates={"order": _STATUS}, outcomes={"money_due": _MONEY_PAID})
