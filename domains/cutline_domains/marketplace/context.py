"""The bounded context: one aggregate, and the decision it is judged by."""

from __future__ import annotations

from cutline.context import Context
from cutline_domains.marketplace.order import ORDER
from cutline_domains.marketplace.outcomes import MONEY_DUE

MARKETPLACE = Context(
    name="marketplace",
    doc="Purchases on a marketplace, from the click to the door.",
    aggregates=(ORDER,),
    outcomes=(MONEY_DUE,),
)
