-- One row per order of the region: `cancelled` if it is, by the order desk's monthly report, and null if
-- it is not in it; and when the ERP changed it last.
-- Null too: cancelled orders that are closed as well, which are on the desk's clean-up list, and
-- orders without an order time, which belong to no month.
SELECT
  order_no AS subject,
  CASE WHEN status = 'CANCL' AND closed_at IS NULL AND ordered_at IS NOT NULL THEN 'cancelled' END
    AS value,
  changed_at
FROM erp.orders
WHERE region = :region
