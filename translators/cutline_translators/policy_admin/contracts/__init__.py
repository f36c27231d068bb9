"""What the rows of the policy administration system look like: one contract per table."""

from cutline_translators.policy_admin.contracts.claims import Claim
from cutline_translators.policy_admin.contracts.coverages import Coverage
from cutline_translators.policy_admin.contracts.endorsements import Endorsement
from cutline_translators.policy_admin.contracts.policies import Policy
from cutline_translators.policy_admin.contracts.premiums import Premium
from cutline_translators.policy_admin.contracts.tariffs import Tariff

__all__ = ["Claim", "Coverage", "Endorsement", "Policy", "Premium", "Tariff"]
