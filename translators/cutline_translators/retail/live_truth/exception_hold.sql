-- One row per order of the region that is on hold, by the list on the exception team's wall.
-- Left out: statuses that are no holds, and orders without an order time, which the team's list,
-- sorted by age, never shows.
SELECT
  o.order_no || '/' || o.status AS subject,
  o.order_no,
  o.status AS code,
  wall.kind,
  o.changed_at
FROM erp.orders o
JOIN (
  SELECT 'CRHLD' AS code, 'credit' AS kind
  UNION ALL SELECT 'ADRCK', 'address'
  UNION ALL SELECT 'FRDRV', 'fraud'
  UNION ALL SELECT 'PAYPD', 'payment'
  UNION ALL SELECT 'BKORD', 'backorder'
  UNION ALL SELECT 'SUBST', 'substitution'
  UNION ALL SELECT 'DMGRT', 'damage'
  UNION ALL SELECT 'MANRV', 'manual-review'
  UNION ALL SELECT 'PRCMM', 'price-mismatch'
  UNION ALL SELECT 'TAXHL', 'tax'
  UNION ALL SELECT 'NOSTK', 'no-stock'
  UNION ALL SELECT 'RESCH', 'reschedule'
  UNION ALL SELECT 'CUSTC', 'customer-callback'
  UNION ALL SELECT 'EDIER', 'edi-error'
  UNION ALL SELECT 'AGEDX', 'aged'
  UNION ALL SELECT 'DUPLO', 'duplicate-suspected'
  UNION ALL SELECT 'RTRNS', 'return-pending'
  UNION ALL SELECT 'LOSTX', 'lost'
) wall ON wall.code = o.status
WHERE o.region = :region AND o.ordered_at IS NOT NULL
