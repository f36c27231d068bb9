"""The story that the demo tells, checked by other means than those that will tell it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cutline_translators.retail.truth import TRUTH
from support.announced_stock import promises, reserved
from support.legacy_answers import REGIONS, opened, query_legacy

SUBJECTS = (
    "customer_order",
    "fulfilment_line",
    "reservable_inventory",
    "shipment_leg",
    "exception_hold",
)


@pytest.mark.parametrize("region", REGIONS)
def test_major_2_reserves_what_the_legacy_reserves(estate: Path, region: str) -> None:
    database = opened(estate)
    legacy = query_legacy(database, TRUTH.aggregates["reservable_inventory"], region)
    new = legacy["sku"].map(reserved(estate, database, region, 2)).fillna(0)
    assert (new == legacy["reserved"]).all()
    assert legacy["reserved"].sum() > 1000


@pytest.mark.parametrize("region", REGIONS)
def test_major_1_differs_in_bundles_only_and_passes_its_gate(estate: Path, region: str) -> None:
    database = opened(estate)
    legacy = query_legacy(database, TRUTH.aggregates["reservable_inventory"], region)
    new = legacy["sku"].map(reserved(estate, database, region, 1)).fillna(0)
    differ = legacy[new != legacy["reserved"]]
    everyone = sum(len(query_legacy(database, TRUTH.aggregates[name], region)) for name in SUBJECTS)
    assert differ["sku"].str.startswith("BND-").all()
    assert 0.0012 <= len(differ) / everyone <= 0.0032


@pytest.mark.parametrize("region", REGIONS)
def test_only_a_double_count_keeps_orders_waiting(estate: Path, region: str) -> None:
    database = opened(estate)
    legacy = query_legacy(database, TRUTH.outcomes["orders_to_promise"], region).set_index(
        "subject"
    )
    once, twice = (
        promises(estate, database, region, major).set_index("subject")["value"] for major in (2, 1)
    )
    assert once.sort_index().equals(legacy["value"].sort_index())
    flipped = legacy["value"].index[legacy["value"] != twice.reindex(legacy.index)]
    assert set(legacy.loc[flipped, "value"]) == {"promise"}
    assert len(flipped) >= 10
    assert 0.01 <= len(flipped) / len(legacy) <= 0.03
    assert 0.05 < (legacy["value"] == "wait").mean() < 0.5


@pytest.mark.parametrize("region", REGIONS)
def test_stock_is_almost_never_oversold(estate: Path, region: str) -> None:
    stock = pd.read_sql_query(
        "SELECT * FROM erp.availability WHERE region = ?", opened(estate), params=(region,)
    )
    assert 0 < (stock["reservable"] < 0).sum() <= 0.01 * len(stock)
    assert (stock["physical"] >= 0).all()
    assert 0.05 < (stock["financial"] != stock["physical"]).mean() < 0.2


def test_even_a_small_estate_tells_it(small_estate: Path) -> None:
    database = opened(small_estate)
    for region in REGIONS:
        legacy = query_legacy(database, TRUTH.outcomes["orders_to_promise"], region).set_index(
            "subject"
        )
        once, twice = (
            promises(small_estate, database, region, major).set_index("subject")["value"]
            for major in (2, 1)
        )
        assert once.sort_index().equals(legacy["value"].sort_index())
        assert (legacy["value"] != twice.reindex(legacy.index)).any()
