"""What the translators of a policy's other rows share: they look up its header."""

from __future__ import annotations

from typing import Any

from cutline.translator import Translator, ignore, lookup
from cutline_translators.policy_admin.contracts import Policy
from cutline_translators.policy_admin.letters import QUOTED, TEST_CUSTOMER


class OfPolicy(Translator):
    """Rows of a policy: without one a person must look, and of a mere quote they mean nothing."""

    # A lookup raises nothing: seen as of the row's own commit, what belongs to a quote would never
    # be told of once somebody is bound by it, for its own row does not change then.
    policy = lookup(Policy, on="policy_no", required=True, frozen=True)

    @ignore("of-a-test-policy")
    def of_a_test_policy(self, row: Any) -> Any:
        """The row belongs to a test policy."""
        return row.policy.customer_no.startswith(TEST_CUSTOMER)

    @ignore("of-a-quote")
    def of_a_quote(self, row: Any) -> Any:
        """The row belongs to a quote, by which nobody is bound yet."""
        return row.policy.status == QUOTED
