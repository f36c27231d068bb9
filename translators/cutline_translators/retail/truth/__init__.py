"""The legacy's own answers, by SQL on its own databases, for aggregates and outcomes."""

from __future__ import annotations

from importlib.resources import files

from cutline.translator import Truth


def _sql(name: str) -> str:
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


_AGGREGATES = (
    "customer_order",
    "fulfilment_line",
    "reservable_inventory",
    "shipment_leg",
    "exception_hold",
)
_OUTCOMES = ("orders_to_promise", "orders_released", "orders_cancelled")

TRUTH = Truth(
    aggregates={name: _sql(name) for name in _AGGREGATES},
    outcomes={name: _sql(name) for name in _OUTCOMES},
)
"""One SQL file each, beside this module; the same for every version of the translators."""
