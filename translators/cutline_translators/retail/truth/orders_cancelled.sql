-- One row per order of the region that is cancelled, by the order desk's monthly report.
-- Left out: cancelled orders that are closed as well, which are on the desk's clean-up list, and
-- orders without an order time, which belong to no month.
SELECT order_no AS subject, 'cancelled' AS value
FROM erp.orders
WHERE region = :region AND status = 'CANCL' AND closed_at IS NULL AND ordered_at IS NOT NULL
