"""Major version 1 of the translation of the policy administration system."""

from __future__ import annotations

from cutline.translator import Translation
from cutline_domains.insurance_policy import INSURANCE_POLICY
from cutline_translators.policy_admin.claims import PasClaims
from cutline_translators.policy_admin.coverages import PasCoverages
from cutline_translators.policy_admin.endorsements import PasEndorsements
from cutline_translators.policy_admin.policies import PasPolicies
from cutline_translators.policy_admin.premiums import PasPremiums
from cutline_translators.policy_admin.truth import TRUTH

POLICY_ADMIN_1 = Translation(
    name="policy_admin",
    version="1.0.0",
    context=INSURANCE_POLICY,
    translators=(PasPolicies, PasCoverages, PasPremiums, PasEndorsements, PasClaims),
    truth=TRUTH,
)
