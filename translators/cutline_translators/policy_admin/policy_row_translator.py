"""The base of translators of a policy's other rows, which look up its header."""

from __future__ import annotations

from typing import Any

from cutline.translator import Translator, ignore, lookup
from cutline_translators.policy_admin.contracts import Policy
from cutline_translators.policy_admin.letters import QUOTED, TEST_CUSTOMER


class PolicyRowTranslator(Translator):
    """Rows of a policy: quarantined without a policy, ignored for a quote or a test policy."""

    # A lookup raises no fact. It is `frozen`, as a quote's rows do not change when it is bound:
    # seen as of their own commits, they would belong to a quote for ever.
    policy = lookup(Policy, on="policy_no", required=True, frozen=True)

    @ignore("of-a-test-policy")
    def of_a_test_policy(self, row: Any) -> Any:
        """The row belongs to a test policy."""
        return row.policy.customer_no.startswith(TEST_CUSTOMER)

    @ignore("of-a-quote")
    def of_a_quote(self, row: Any) -> Any:
        """The row belongs to a quote, by which nobody is bound yet."""
        return row.policy.status == QUOTED
