"""What strategies cost: messages, bytes, seconds, and money by the project's prices."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from cutline.advice.costs import cost_of
from cutline.advice.situation import RecordSizes, RetainedEvents, Situation
from cutline.advice.strategies import STRATEGIES
from cutline.project.readiness import CostBoundary

PRICES = CostBoundary(
    currency="EUR", limit=100, gigabyte_sent=1, gigabyte_month=2, months=10, hour=3
)
MEASURED: dict[str, Any] = {
    "now": dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
    "run": "run-1",
    "seconds": 7_200.0,
    "reading_seconds": 600.0,
    "published": True,
    "events": 9_000_000,
    "subjects": 1_000_000,
    "sizes": RecordSizes(1_000.0, 500.0, 1_000.0),
    "prices": PRICES,
    "copies": 3,
    "retained": (RetainedEvents("the live topics", 2_000_000, 4_000_000_000),),
}


def situation(**values: Any) -> Situation:
    return Situation(needs=frozenset({"state"}), **(MEASURED | values))  # type: ignore[arg-type]


COSTS = {
    # Sent once for 1, kept in three copies for ten months at 2 each, and hours at 3.
    "state-backfill": (1_000_000, 500_000_000, 7_200.0, 0.5 + 30 + 6),
    "synthetic-events": (10_000_000, 9_500_000_000, 7_200.0, 9.5 + 570 + 6),
    "raw-replay": (2_000_000, 4_000_000_000, 2_000.0, 4 + 240 + 1.67),
    "script": (0, 0, 1_800.0, None),
    "read-model-rebuild": (0, 0, None, None),
    "no-backfill": (0, 0, 0.0, None),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_costs_are_reckoned_from_what_was_measured(strategy: Any) -> None:
    cost = cost_of(strategy, situation())
    assert (cost.messages, cost.bytes, cost.seconds, cost.price) == COSTS[strategy]
    assert cost.currency == (None if cost.price is None else "EUR")
    assert cost.work


def test_sending_is_added_to_a_run_that_has_not_sent() -> None:
    cost = cost_of("state-backfill", situation(published=False))
    assert cost.seconds == 7_200 + 1_000


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({"sizes": None}, ("bytes", "price")),
        ({"sizes": None, "published": False}, ("bytes", "seconds", "price")),
        ({"subjects": None}, ("messages", "bytes", "price")),
        ({"seconds": None}, ("seconds", "price")),
        ({"prices": None}, ("price",)),
    ],
)
def test_what_was_not_measured_is_null(values: dict[str, Any], missing: tuple[str, ...]) -> None:
    cost = cost_of("state-backfill", situation(**values))
    names = ("messages", "bytes", "seconds", "price")
    assert tuple(name for name in names if getattr(cost, name) is None) == missing


def test_without_anything_retained_a_replay_has_no_figures() -> None:
    cost = cost_of("raw-replay", situation(retained=()))
    assert (cost.messages, cost.bytes, cost.seconds) == (None, None, None)


def test_words_of_times_and_sizes() -> None:
    from cutline.advice.words import percent, span, volume

    assert [span(s) for s in (0.4, 60, 5400, dt.timedelta(days=400))] == [
        "0.4 seconds", "1 minute", "1.5 hours", "1.1 years",
    ]  # fmt: skip
    assert [percent(s) for s in (0, 1e-6, 0.125, 1)] == [
        "0 %", "less than 0.1 %", "12.5 %", "100 %",
    ]  # fmt: skip
    assert [volume(n) for n in (12, 1500, 3e12)] == ["12 bytes", "1.5 kB", "3,000 GB"]
