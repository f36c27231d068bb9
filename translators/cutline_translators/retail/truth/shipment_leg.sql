-- One row per parcel of the region that has left, by the warehouse's own tracking list.
-- Left out, as there:
--   * parcels that only have a label: tracking begins at the gate;
--   * parcels that arrived before they left: tracking parks them until the carrier answers;
--   * lines of the feed that tracking itself cannot read: no status, or no time where one is said.
SELECT
  s.shipment_no AS subject,
  CASE s.status WHEN 'DELIVERED' THEN 'delivered' ELSE 'dispatched' END AS status,
  s.order_no,
  s.carrier,
  nullif(s.dispatched_at, '') AS dispatched_at
FROM warehouse.shipments s
WHERE s.region = :region
  AND s.status IN ('DISPATCHED', 'DELIVERED')
  AND (coalesce(s.dispatched_at, '') = '' OR s.dispatched_at LIKE '____-__-__T__:__:__Z')
  AND NOT (
    s.status = 'DELIVERED'
    AND coalesce(s.delivered_at, '') <> ''
    AND s.delivered_at < coalesce(nullif(s.dispatched_at, ''), '9999')
  )
