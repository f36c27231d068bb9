"""The bounded context: one aggregate, and the decisions it is judged by."""

from __future__ import annotations

from cutline.context import Context
from cutline_domains.rental.outcomes import OUTCOMES
from cutline_domains.rental.rental import RENTAL

RENTAL_CONTEXT = Context(
    name="rental",
    doc="Films on loan: who has which copy, since when, and what was paid for it.",
    aggregates=(RENTAL,),
    outcomes=OUTCOMES,
)
