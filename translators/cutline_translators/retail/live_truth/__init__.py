"""The legacy's own answers where its ERP is in PostgreSQL and goes on while it is asked.

The questions are those of `cutline_translators.retail.truth`, in PostgreSQL's SQL, and each answer
says when it changed last (`changed_at`).
"""

from __future__ import annotations

from importlib.resources import files

from cutline.translator import Truth
from cutline_translators.retail.truth import TRUTH


def _sql(name: str) -> str:
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


_AGGREGATES = ("customer_order", "fulfilment_line", "reservable_inventory", "exception_hold")

LIVE_TRUTH = Truth(
    aggregates={**TRUTH.aggregates, **{name: _sql(name) for name in _AGGREGATES}},
    outcomes={name: _sql(name) for name in TRUTH.outcomes},
)
"""One SQL file each, beside this module. Parcels are asked for in the warehouse's files as ever."""
