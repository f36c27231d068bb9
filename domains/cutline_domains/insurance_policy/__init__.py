"""Insurance policy: what is insured on which terms, and what is claimed."""

from cutline_domains.insurance_policy.claim import (
    CLAIM,
    ClaimApproved,
    ClaimDeclined,
    ClaimRegistered,
    ClaimReopened,
    ClaimSettled,
    ClaimWithdrawn,
    ReserveSet,
)
from cutline_domains.insurance_policy.context import INSURANCE_POLICY
from cutline_domains.insurance_policy.outcomes import NOTICE_MONTH, RENEWAL_NOTICES, renewal_notices
from cutline_domains.insurance_policy.policy import (
    POLICY,
    CoverageAdded,
    CoverageEnded,
    EndorsementIssued,
    EndorsementWithdrawn,
    PolicyBound,
    PolicyCancelled,
    PolicyExpired,
    PolicyLapsed,
    PolicyReinstated,
    PolicySuspended,
    PremiumChanged,
    RenewalNoticeSent,
    TermAgreed,
)

__all__ = [
    "CLAIM",
    "INSURANCE_POLICY",
    "NOTICE_MONTH",
    "POLICY",
    "RENEWAL_NOTICES",
    "ClaimApproved",
    "ClaimDeclined",
    "ClaimRegistered",
    "ClaimReopened",
    "ClaimSettled",
    "ClaimWithdrawn",
    "CoverageAdded",
    "CoverageEnded",
    "EndorsementIssued",
    "EndorsementWithdrawn",
    "PolicyBound",
    "PolicyCancelled",
    "PolicyExpired",
    "PolicyLapsed",
    "PolicyReinstated",
    "PolicySuspended",
    "PremiumChanged",
    "RenewalNoticeSent",
    "ReserveSet",
    "TermAgreed",
    "renewal_notices",
]
