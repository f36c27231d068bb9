"""The kinds of spoilt rows in the estate: their share, and the rule that must find them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of row that is quarantined, held or ignored.

    `rate` is its share of the policies of a region; `rule` is the name of the rule that finds it.
    """

    name: str
    table: str
    rate: float
    rule: str

    def per_region(self, policies: int) -> int:
        """The number of such rows per region in an estate of that many policies."""
        return max(1, round(policies / 2 * self.rate))


POLICIES = (
    Kind("test policy", "policies", 0.005, "test-policy"),
    Kind("quote", "policies", 0.05, "only-quoted"),
    Kind("letter of before 2009", "policies", 0.005, "unreadable-status"),
    Kind("no inception date", "policies", 0.004, "policy-without-inception"),
    Kind("cancelled, then reinstated", "policies", 0.004, "cancelled-before-reinstated"),
    Kind("premium of before the first tariff", "premiums", 0.01, "lookup-missing:tariff"),
    Kind("premium under two tariffs", "premiums", 0.01, "several-rows:tariff"),
)
"""Every policy is of at most one of these kinds."""
OTHERS = (
    Kind("coverage below zero", "coverages", 0.004, "contract:sum_insured_cents:ge"),
    Kind("endorsement on no day", "endorsements", 0.004, "wrong-type:effective_on"),
    Kind(
        "endorsement before the policy",
        "endorsements",
        0.004,
        "EndorsementIssued-requires-PolicyBound",
    ),
    Kind("endorsement of no policy", "endorsements", 0.004, "lookup-missing:policy"),
    Kind("claim on no policy", "claims", 0.004, "lookup-missing:policy"),
    Kind("told before it happened", "claims", 0.004, "incident-after-notification"),
    Kind("decided before it was told", "claims", 0.004, "decided-before-notification"),
    Kind("approved and declined", "claims", 0.004, "both:approved+declined"),
)
SPOILT = {kind.name: kind for kind in (*POLICIES, *OTHERS)}
"""All kinds by name."""
