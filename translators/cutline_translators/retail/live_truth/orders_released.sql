-- One row per order of the region: `released` if the warehouse is working on it, by the ERP's work
-- list, and null if it is not on it; and when the ERP changed it last.
-- Null too: orders without an order time; the work list is sorted by it and never shows them.
SELECT
  order_no AS subject,
  CASE WHEN status = 'RELEASED' AND ordered_at IS NOT NULL THEN 'released' END AS value,
  changed_at
FROM erp.orders
WHERE region = :region
