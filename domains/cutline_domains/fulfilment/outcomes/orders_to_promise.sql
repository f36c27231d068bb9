-- Which open orders can be promised from stock?
-- One row per order that is placed and no further, and has a line that waits for stock.
-- `promise` if for each waiting line, taken alone, every piece it needs is free; else `wait`.
-- A waiting line is neither allocated, shipped nor cancelled.
WITH bill_of_materials AS (
  SELECT DISTINCT line.sku AS bundle, need.sku AS component, need.quantity AS pieces
  FROM state_fulfilment_line line
  LATERAL VIEW explode(line.needs) exploded AS need
  WHERE need.sku <> line.sku
),
reserved_in_bundles AS (
  -- A bundle reserved as a unit has taken its components from the shelf as well.
  SELECT stock.region, bill.component AS sku, sum(stock.reserved * bill.pieces) AS pieces
  FROM state_reservable_inventory stock
  JOIN bill_of_materials bill ON bill.bundle = stock.sku
  GROUP BY stock.region, bill.component
),
free AS (
  SELECT
    stock.region,
    stock.sku,
    coalesce(stock.counted, 0) + stock.adjusted - stock.reserved - coalesce(bundled.pieces, 0)
      AS pieces
  FROM state_reservable_inventory stock
  LEFT JOIN reserved_in_bundles bundled
    ON bundled.region = stock.region AND bundled.sku = stock.sku
),
wanted AS (
  SELECT line.order_no, line.region, need.sku, line.quantity * need.quantity AS pieces
  FROM state_fulfilment_line line
  LATERAL VIEW explode(line.needs) exploded AS need
  WHERE line.status = 'ordered' AND line.allocations = 0
)
SELECT
  o.subject,
  CASE WHEN bool_and(wanted.pieces <= coalesce(free.pieces, 0)) THEN 'promise' ELSE 'wait' END
    AS value
FROM state_customer_order o
JOIN wanted ON wanted.order_no = o.subject
LEFT JOIN free ON free.region = wanted.region AND free.sku = wanted.sku
WHERE o.status = 'placed'
GROUP BY o.subject
