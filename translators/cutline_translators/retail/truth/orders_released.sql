-- One row per order of the region that the warehouse is working on, by the ERP's work list.
-- Left out: orders without an order time; the work list is sorted by it and never shows them.
SELECT order_no AS subject, 'released' AS value
FROM erp.orders
WHERE region = :region AND status = 'RELEASED' AND ordered_at IS NOT NULL
