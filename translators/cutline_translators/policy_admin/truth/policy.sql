-- One row per policy of the region that binds somebody, as the policy inquiry screen shows it.
-- Left out, as there:
--   * quotes, and test policies, whose customer numbers begin with TEST;
--   * policies with a letter that nobody can read since 2009: the screen knows no word for it;
--   * policies without an inception date: the screen shows contracts by their age;
--   * cancelled policies that were reinstated later: they are on the clean-up list instead.
-- Endorsements that were made void count no more; those dated before the policy began, or at no
-- day of the calendar, wait on underwriting's list of errors. So do coverages below zero.
SELECT
  p.policy_no AS subject,
  CASE p.status
    WHEN 'A' THEN 'in_force'
    WHEN 'B' THEN 'suspended'
    WHEN 'L' THEN 'lapsed'
    WHEN 'C' THEN 'cancelled'
    WHEN 'X' THEN 'expired'
  END AS status,
  p.product,
  p.inception_on AS covered_from,
  p.term_to AS covered_until,
  (
    SELECT m.premium_cents
    FROM pas.premiums m
    WHERE m.policy_no = p.policy_no
    ORDER BY m.period_from DESC
    LIMIT 1
  ) AS premium_cents,
  coalesce(e.endorsements, 0) AS endorsements,
  coalesce(e.endorsed_cents, 0) AS endorsed_cents,
  coalesce(c.coverages, 0) AS coverages,
  coalesce(c.sum_insured_cents, 0) AS sum_insured_cents,
  p.noticed_for
FROM pas.policies p
LEFT JOIN (
  SELECT n.policy_no, count(*) AS endorsements, sum(n.premium_delta_cents) AS endorsed_cents
  FROM pas.endorsements n
  JOIN pas.policies h ON h.policy_no = n.policy_no
  WHERE n.status = 'I' AND date(n.effective_on) >= h.inception_on
  GROUP BY n.policy_no
) e ON e.policy_no = p.policy_no
LEFT JOIN (
  SELECT policy_no, count(*) AS coverages, sum(sum_insured_cents) AS sum_insured_cents
  FROM pas.coverages
  WHERE status = 'A' AND sum_insured_cents >= 0
  GROUP BY policy_no
) c ON c.policy_no = p.policy_no
WHERE p.region = :region
  AND p.status IN ('A', 'B', 'L', 'C', 'X')
  AND p.customer_no NOT LIKE 'TEST%'
  AND p.inception_on IS NOT NULL
  AND NOT (p.status = 'C' AND coalesce(p.reinstated_on, '') > coalesce(p.cancelled_on, '9999'))
