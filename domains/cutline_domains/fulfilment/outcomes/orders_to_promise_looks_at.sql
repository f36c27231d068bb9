-- What a promise depends on: the order's waiting lines, the stock of what they need, and that of
-- the bundles which take from it.
WITH bill_of_materials AS (
  SELECT DISTINCT line.sku AS bundle, need.sku AS component
  FROM state_fulfilment_line line
  LATERAL VIEW explode(line.needs) exploded AS need
  WHERE need.sku <> line.sku
),
wanted AS (
  SELECT line.order_no, line.subject AS line, line.region, need.sku
  FROM state_fulfilment_line line
  LATERAL VIEW explode(line.needs) exploded AS need
  WHERE line.status = 'ordered' AND line.allocations = 0
)
SELECT
  order_no AS subject,
  line AS fulfilment_line,
  concat(region, '/', sku) AS reservable_inventory
FROM wanted
UNION ALL
SELECT order_no, CAST(NULL AS STRING), concat(region, '/', bundle)
FROM wanted JOIN bill_of_materials ON component = sku
