"""The bounded context: its aggregates, and the decision it is judged by."""

from __future__ import annotations

from cutline.context import Context
from cutline_domains.insurance_policy.claim import CLAIM
from cutline_domains.insurance_policy.outcomes import OUTCOMES
from cutline_domains.insurance_policy.policy import POLICY

INSURANCE_POLICY = Context(
    name="insurance_policy",
    doc="What is insured on which terms, and what is claimed.",
    aggregates=(POLICY, CLAIM),
    outcomes=OUTCOMES,
)
