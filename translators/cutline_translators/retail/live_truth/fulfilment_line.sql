-- One row per order line of the region, as the pick planners see it.
-- Left out, as there: lines whose order is gone, because planning starts from the order; and
-- lines with a quantity below one, which the returns desk keys in and planning must not touch.
SELECT
  l.order_no || '/' || l.line_no AS subject,
  CASE l.line_status
    WHEN 'SHIPPED' THEN 'shipped'
    WHEN 'CANCELLED' THEN 'cancelled'
    ELSE 'ordered'
  END AS status,
  l.order_no,
  l.region,
  l.sku,
  l.quantity,
  CASE
    WHEN l.line_status IN ('ALLOCATED', 'SHIPPED') THEN 1
    WHEN l.line_status = 'CANCELLED' AND l.allocated_at IS NOT NULL THEN 1
    ELSE 0
  END AS allocations,
  greatest(l.changed_at, o.changed_at) AS changed_at
FROM erp.order_lines l
JOIN erp.orders o ON o.order_no = l.order_no
WHERE l.region = :region AND l.quantity >= 1
