"""Views of commits that cannot be, and rules that may not ask them, are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    in_commit,
    part,
    reject,
    table,
)
from support.deliveries import DELIVERIES, Delivered, LineRow, NewOrderRow, OrderRow, Orders, Placed


class RateRow(SourceContract):
    """One row per rate, of another source."""

    order_no: T.IntegerType = column(doc="the order", nullable=False)
    factor: T.DoubleType = column(doc="what it is multiplied with")
    updated: T.IntegerType = column(doc="how often")

    class Config:
        """Where the rows come from."""

        metadata = table("rates", "rates", key=["order_no"])


def looking(**members: Any) -> type[Translator]:
    """A translator of orders with these members beside its part."""
    base = {"context": DELIVERIES, "aggregate": "order", "version": "1.0.0"}
    return type("Looking", (Translator,), base | {"order": part(OrderRow, subject="no")} | members)


def test_a_fact_that_asks_a_view_is_transient_and_names_it() -> None:
    rules = {rule.name: rule for rule in Orders.facts}
    assert (rules["delivered"].transient, rules["delivered"].of_commit) == (
        True,
        ("entries", "lines"),
    )
    assert (rules["placed"].transient, rules["placed"].of_commit) == (False, ())


def test_what_a_view_has_is_typed() -> None:
    lines = Orders.views["lines"]
    assert lines.fields == dict.fromkeys(("inserted", "updated", "deleted", "amount"), "bigint")


@pytest.mark.parametrize(
    ("view", "says"),
    [
        (lambda: in_commit(str, subject="no"), "is no contract"),  # type: ignore[arg-type]
        (lambda: in_commit(LineRow, subject="no", sums="amuont"), "Did you mean 'amount'"),
        (lambda: in_commit(RateRow, subject="order_no", sums="factor"), "column factor is double"),
        (lambda: in_commit(RateRow, subject="order_no", sums="updated"), "that name counts rows"),
    ],
    ids=["no contract", "misspelt sum", "floating point", "name of a count"],
)
def test_a_view_that_cannot_be(view: Callable[[], object], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        view()


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"lines": in_commit(LineRow, subject="order")}, "Did you mean 'order_no'"),
        ({"lines": in_commit(LineRow, subject=("order_no", "line"))}, "of 2 columns"),
        ({"rates": in_commit(RateRow, subject="order_no")}, "no commit can change both"),
    ],
    ids=["no such column", "another subject", "another source"],
)
def test_a_view_that_does_not_fit(members: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        looking(**members)


@fact(Delivered)
def misspelt(self: Translator, row: Any) -> Occurrence:
    return Occurrence(when=row.lines.amuont > 0, time_basis="commit")


@fact(Placed, per_row=True)
def in_python(self: Translator, row: Any) -> Occurrence:
    return Occurrence(when=row.lines.updated > 0, time_basis="commit")


@reject("touched")
def touched(self: Translator, row: Any) -> Any:
    return row.lines.updated > 0


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (misspelt, "amuont"),
        (in_python, "`per_row` cannot ask what its commit did"),
        (touched, "which only facts may"),
    ],
    ids=["misspelt", "per row", "a row rule"],
)
def test_a_rule_that_may_not_ask(rule: Callable[..., Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        looking(lines=in_commit(LineRow, subject="order_no", sums="amount"), rule=rule)


def test_an_entry_has_no_sums() -> None:
    assert set(in_commit(NewOrderRow, subject="order_no").fields) == {
        "inserted",
        "updated",
        "deleted",
    }
