-- One row per customer order of the region, as the order desk's own overview shows it, and when the
-- ERP changed it last.
-- Left out, as there:
--   * test orders, which monitoring writes and nobody ships;
--   * orders whose status nobody can read since the old migration: the overview knows no label;
--   * orders that are both closed and cancelled: they are on the desk's clean-up list instead;
--   * orders without an order time: the overview is sorted by it and never shows them.
SELECT
  o.order_no AS subject,
  CASE o.status
    WHEN 'RELEASED' THEN 'released'
    WHEN 'CLOSED' THEN 'completed'
    WHEN 'CANCL' THEN 'cancelled'
    ELSE 'placed'
  END AS status,
  o.channel,
  o.total_cents,
  o.ordered_at AS placed_at,
  coalesce(p.paid_cents, 0) AS paid_cents,
  o.changed_at
FROM erp.orders o
LEFT JOIN (
  -- What the shop still holds of the customer's money: refunds are marked on the payment itself.
  SELECT order_no, CAST(sum(amount_cents) AS bigint) AS paid_cents
  FROM shop.payments
  WHERE region = :region AND status = 'CAPTURED'
  GROUP BY order_no
) p ON p.order_no = o.order_no
WHERE o.region = :region
  AND o.status NOT IN ('TESTO', 'MIGR1', 'MIGR2', 'Z9999')
  AND o.ordered_at IS NOT NULL
  AND NOT (o.status = 'CLOSED' AND o.cancelled_at IS NOT NULL)
  AND NOT (o.status = 'CANCL' AND o.closed_at IS NOT NULL)
