"""The decisions that fulfilment is judged by, each with the new side's answer as Spark SQL."""

from __future__ import annotations

from importlib.resources import files

from cutline.context import Outcome


def _sql(name: str) -> str:
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


ORDERS_TO_PROMISE = Outcome(
    name="orders_to_promise",
    question="Which open orders can be promised from stock?",
    aggregate="customer_order",
    decide=_sql("orders_to_promise"),
    looks_at=_sql("orders_to_promise_looks_at"),
)
ORDERS_RELEASED = Outcome(
    name="orders_released",
    question="Which orders is the warehouse working on?",
    aggregate="customer_order",
    decide=_sql("orders_released"),
)
ORDERS_CANCELLED = Outcome(
    name="orders_cancelled",
    question="Which orders are cancelled?",
    aggregate="customer_order",
    decide=_sql("orders_cancelled"),
)
OUTCOMES = (ORDERS_TO_PROMISE, ORDERS_RELEASED, ORDERS_CANCELLED)
