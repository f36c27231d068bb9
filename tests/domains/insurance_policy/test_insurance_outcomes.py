"""The new side's renewal notices, on literal states."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.engine.project import state_table
from cutline_domains.insurance_policy import CLAIM, POLICY, RENEWAL_NOTICES


def policy(name: str, **more: Any) -> dict[str, Any]:
    return {
        "subject": name,
        "status": "in_force",
        "covered_until": dt.date(2026, 12, 15),
        "premium_cents": 10_000,
        "endorsements": 0,
        "endorsed_cents": 0,
    } | more


POLICIES = [
    policy("plain"),
    policy("endorsed", endorsements=2, endorsed_cents=-250),
    policy("first-day", covered_until=dt.date(2026, 12, 1)),
    policy("last-day", covered_until=dt.date(2026, 12, 31)),
    policy("too-soon", covered_until=dt.date(2026, 11, 30)),
    policy("too-late", covered_until=dt.date(2027, 1, 1)),
    policy("noticed", noticed_for=dt.date(2026, 12, 15)),
    policy("noticed-last-year", noticed_for=dt.date(2025, 12, 15)),
    policy("open-claim"),
    policy("settled-claim"),
    policy("lapsed", status="lapsed"),
    policy("resting", status="suspended"),
    policy("cancelled", status="cancelled"),
]
CLAIMS = [
    {"subject": "c1", "policy_no": "open-claim", "status": "registered"},
    {"subject": "c2", "policy_no": "settled-claim", "status": "settled"},
    {"subject": "c3", "policy_no": "settled-claim", "status": "withdrawn"},
    {"subject": "c4", "policy_no": "nobody", "status": "registered"},
]


@pytest.fixture(scope="module")
def notices(spark: SparkSession) -> Iterator[dict[str, int]]:
    """subject -> cents."""
    for aggregate, rows in ((POLICY, POLICIES), (CLAIM, CLAIMS)):
        table = state_table(aggregate)
        full = [tuple(row.get(name) for name in table.names) for row in rows]
        frame = spark.createDataFrame(full, table.ddl.replace(" NOT NULL", ""))
        frame.createOrReplaceTempView(table.name)
    yield {r["subject"]: r["value"] for r in spark.sql(RENEWAL_NOTICES.decide).collect()}
    for aggregate in (POLICY, CLAIM):
        spark.catalog.dropTempView(state_table(aggregate).name)


def test_who_is_told_and_what_it_will_cost(notices) -> None:
    assert notices == {
        "plain": 10_000,
        "endorsed": 9_750,
        "first-day": 10_000,
        "last-day": 10_000,
        "noticed-last-year": 10_000,
        "settled-claim": 10_000,
    }
