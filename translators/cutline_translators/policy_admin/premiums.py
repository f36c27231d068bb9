"""Premiums of a policy per period, and corrections of earlier ones."""

from __future__ import annotations

from typing import Any

from cutline.translator import Occurrence, changed, lookup
from cutline_domains.insurance_policy import INSURANCE_POLICY, PremiumChanged
from cutline_translators.policy_admin.contracts import Premium, Tariff
from cutline_translators.policy_admin.policy_row_translator import PolicyRowTranslator


class PasPremiums(PolicyRowTranslator):
    """A premium happens on the first day of its period, whenever it was keyed in or corrected."""

    context, aggregate, version = INSURANCE_POLICY, "policy", "1.0.0"
    source, subject = Premium, "policy_no"

    tariff = lookup(
        Tariff,
        on="tariff_code",
        by="tariff_code",
        as_of="period_from",
        valid=("valid_from", "valid_to"),
        required=True,
    )

    @changed(PremiumChanged, of=["premium_cents"], opening=True)
    def premium_changed(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.period_from,
            data={
                "period_from": row.period_from,
                "revision": row.revision,
                "premium_cents": row.premium_cents,
                "tariff": row.tariff.name,
            },
        )
