-- One row per article of the region in the ERP's own availability screen. Nothing is left out:
-- bundles are listed too, with nothing in stock, because they are not things but lists of things.
-- What was adjusted since the count is no column of the screen, but follows from its arithmetic:
-- reservable = physical + adjusted - reserved.
SELECT
  a.region || '/' || a.sku AS subject,
  a.region,
  a.sku,
  a.physical AS counted,
  a.reservable - a.physical + a.reserved AS adjusted,
  a.financial,
  a.reserved,
  a.changed_at
FROM erp.availability a
WHERE a.region = :region
