"""The SQL of outcomes, checked before any stage works."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from cutline.context import Context
from cutline.errors import ConfigurationError
from cutline_reconciliation.levels.outcome_sql import check_outcomes
from cutline_reconciliation.stage import RECONCILE
from support.reconciled import BY_STATUS, LINE, OPEN

LOOKED_AT = replace(OPEN, looks_at="SELECT subject, subject AS line FROM state_line")
SHOP = Context("shop", "A shop.", (BY_STATUS, LINE), (LOOKED_AT,))


@pytest.mark.parametrize(
    ("key", "sql", "message"),
    [
        ("decide", "SELECT subject FROM state_order", "its `decide` returns no column 'value'"),
        ("decide", "SELECT subject, nope AS value FROM state_order",
         "its `decide` is not understood: [UNRESOLVED_COLUMN"),
        ("decide", "SELECT subject, 1 AS value, status AS categry FROM state_order",
         "its `decide` returns a column 'categry', which means nothing. Did you mean 'category'?"),
        ("looks_at", "SELECT subject, subject AS lin FROM state_line",
         "its `looks_at` returns a column 'lin', which is named as none of the aggregates."),
        ("looks_at", "SELECT subject FROM state_line",
         "its `looks_at` returns no column named as an aggregate"),
        ("looks_at", "SELECT status AS line FROM state_order",
         "its `looks_at` returns no column 'subject'"),
        ("looks_at", "SELECT subject, x AS line FROM state_ordr",
         "its `looks_at` is not understood: [TABLE_OR_VIEW_NOT_FOUND]"),
    ],
)  # fmt: skip
def test_a_misspelt_statement_stops_before_any_work(
    spark: SparkSession, key: str, sql: str, message: str
) -> None:
    changed: dict[str, Any] = {key: sql}
    context = replace(SHOP, outcomes=(LOOKED_AT, replace(LOOKED_AT, name="misspelt", **changed)))
    project = cast("Any", SimpleNamespace(waivers_of=lambda _context, _region: ()))
    translation = cast("Any", SimpleNamespace(context=context))
    assert RECONCILE.check is not None
    with pytest.raises(ConfigurationError) as error:
        RECONCILE.check(project, translation, "north", spark)
    assert error.value.what.startswith("outcome misspelt: ")
    assert message in error.value.what
    assert error.value.left_behind == "Nothing was started."


def test_what_the_states_answer_is_let_through_and_leaves_no_view(spark: SparkSession) -> None:
    check_outcomes(SHOP, spark)
    assert not {"state_order", "state_line"} & {t.name for t in spark.catalog.listTables()}
