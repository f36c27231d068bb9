-- Who is to be sent a renewal notice, and what does it say that the next term costs, in cents?
-- One row per policy in force whose term ends in the month after that of the notices, and whose
-- customer has not been told yet. While a claim awaits a decision, underwriting writes by hand.
SELECT policy.subject, policy.premium_cents + policy.endorsed_cents AS value
FROM state_policy policy
LEFT ANTI JOIN state_claim claim
  ON claim.policy_no = policy.subject AND claim.status = 'registered'
WHERE policy.status = 'in_force'
  AND policy.covered_until >= DATE '$ends_from'
  AND policy.covered_until < DATE '$ends_before'
  AND coalesce(policy.noticed_for <> policy.covered_until, true)
