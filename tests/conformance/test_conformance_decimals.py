"""Decimals that histories draw: beside the limits of checks, up to the last digit of the type."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Annotated

import pyspark.sql.types as T

from cutline.conformance.generate.column_strategy import column_strategy
from cutline.translator import SourceContract, column, table

LIMIT = Decimal("9" * 35 + "8.50")


class Ledger(SourceContract):
    """One row is one balance."""

    id: T.LongType = column(doc="number", nullable=False)
    balance: Annotated[T.DecimalType, 38, 2] = column(doc="what is left", le=LIMIT)

    class Config:
        """Where the rows come from."""

        metadata = table("bank", "ledger", key=["id"])


def test_a_limit_of_many_digits_has_its_neighbours() -> None:
    strategy = column_strategy(Ledger, "balance", (), random.Random(1))
    assert {str(LIMIT), "9" * 35 + "8.49"} <= {str(value) for value in strategy.pool}
    assert max(strategy.pool) == LIMIT
