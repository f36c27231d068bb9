-- One row per order of the region that has lines: may it be promised? `promise` if for each line that
-- waits for stock, taken alone, the availability screen has enough reservable of everything the line
-- needs; else `wait`; null if it is not open or nothing waits. A bundle needs its components. And when
-- the ERP last changed the order, its lines, or the stock that it waits for.
-- Null too: orders that are with the warehouse or done, test orders, orders that nobody can read
-- or that have no order time (see customer_order.sql), and lines with a quantity below one.
WITH waiting AS (
  SELECT l.order_no, l.region, l.sku, l.quantity
  FROM erp.order_lines l
  JOIN erp.orders o ON o.order_no = l.order_no
  WHERE l.region = :region
    AND l.line_status = 'OPEN'
    AND l.quantity >= 1
    AND o.ordered_at IS NOT NULL
    AND o.status NOT IN ('RELEASED', 'CLOSED', 'CANCL', 'TESTO', 'MIGR1', 'MIGR2', 'Z9999')
),
needed AS (
  SELECT w.order_no, w.region, w.sku, w.quantity AS pieces
  FROM waiting w
  WHERE w.sku NOT IN (SELECT bundle_sku FROM erp.bundle_components)
  UNION ALL
  SELECT w.order_no, w.region, b.component_sku, w.quantity * b.quantity
  FROM waiting w
  JOIN erp.bundle_components b ON b.bundle_sku = w.sku
),
decided AS (
  SELECT
    n.order_no,
    CASE WHEN bool_and(n.pieces <= coalesce(a.reservable, 0)) THEN 'promise' ELSE 'wait' END
      AS value,
    max(a.changed_at) AS changed_at
  FROM needed n
  LEFT JOIN erp.availability a ON a.region = n.region AND a.sku = n.sku
  GROUP BY n.order_no
),
lines AS (
  SELECT order_no, max(changed_at) AS changed_at
  FROM erp.order_lines
  WHERE region = :region
  GROUP BY order_no
)
SELECT
  o.order_no AS subject,
  d.value,
  greatest(o.changed_at, l.changed_at, d.changed_at) AS changed_at
FROM erp.orders o
JOIN lines l ON l.order_no = o.order_no
LEFT JOIN decided d ON d.order_no = o.order_no
WHERE o.region = :region
