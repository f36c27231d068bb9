-- One row per claim of the region, as the claims desk's own list shows it.
-- Left out, as there:
--   * claims on policies that the system does not have, on quotes and on test policies;
--   * claims whose days contradict each other: told of before the incident, or decided before
--     anybody told of it; the desk asks the customer again;
--   * claims that are approved and declined at once: two clerks had them, and one must be asked.
SELECT
  c.claim_no AS subject,
  CASE c.status
    WHEN 'A' THEN 'approved'
    WHEN 'D' THEN 'declined'
    WHEN 'P' THEN 'settled'
    WHEN 'V' THEN 'withdrawn'
    ELSE 'registered'
  END AS status,
  c.policy_no,
  c.incident_on,
  c.reserve_cents,
  c.approved_cents,
  c.paid_cents
FROM pas.claims c
JOIN pas.policies p ON p.policy_no = c.policy_no
WHERE c.region = :region
  AND p.status <> 'Q'
  AND p.customer_no NOT LIKE 'TEST%'
  AND c.incident_on <= c.notified_on
  AND coalesce(c.approved_on, '9999') >= c.notified_on
  AND coalesce(c.declined_on, '9999') >= c.notified_on
  AND coalesce(c.paid_on, '9999') >= c.notified_on
  AND (c.approved_on IS NULL OR c.declined_on IS NULL)
