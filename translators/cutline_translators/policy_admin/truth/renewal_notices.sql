-- One row per policy of the region in the mailing run of the month, with what the letter says that
-- the next term costs: the latest premium, and all that endorsements add to it, in cents.
-- Left out, as there: policies whose customers have their letter already, those with a claim that
-- nobody has decided, for which underwriting writes by hand, and those that policy.sql leaves out.
SELECT
  p.policy_no AS subject,
  (
    SELECT m.premium_cents
    FROM pas.premiums m
    WHERE m.policy_no = p.policy_no
    ORDER BY m.period_from DESC
    LIMIT 1
  ) + coalesce((
    SELECT sum(n.premium_delta_cents)
    FROM pas.endorsements n
    WHERE n.policy_no = p.policy_no
      AND n.status = 'I'
      AND date(n.effective_on) >= p.inception_on
  ), 0) AS value
FROM pas.policies p
WHERE p.region = :region
  AND p.status = 'A'
  AND p.customer_no NOT LIKE 'TEST%'
  AND p.inception_on IS NOT NULL
  AND substr(p.term_to, 1, 7) = '$month_of_end'
  AND coalesce(p.noticed_for, '') <> p.term_to
  AND NOT EXISTS (
    SELECT 1 FROM pas.claims c WHERE c.policy_no = p.policy_no AND c.status IN ('R', 'U')
  )
