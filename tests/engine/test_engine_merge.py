"""Which candidate survives, and in what order: verdicts on literal events."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pyspark.sql import SparkSession

from cutline.context import AfterCut, DuplicateFacts, MergePolicy, PreferNative
from cutline.engine.merge import with_verdicts
from support.merge.candidates import at, candidate, frame
from support.shop import SHOP

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)

SHOWN = {"migtimebasis": "extract", "migconfidence": "approximate"}
"""A snapshot shows it, and nothing says when it came to be."""
WRITTEN = {"migtimebasis": "commit", "migconfidence": "approximate"}
"""Its time is that of a write: of the change, where it has a `migsrctime`; else a column's."""


def event(id: str, type: str, hour: float, **more: Any) -> dict[str, Any]:
    """A candidate on the side of the cut that its time, or its row's, is on."""
    row = candidate(id, type, hour, **more)
    happened = row["time"] if row["migorigin"] == "native" else row["migsrctime"]
    return row | {"side": "after" if happened is not None and happened > CUT else "before"}


def verdicts(spark: SparkSession, events: list[dict[str, Any]]) -> dict[str, str]:
    return {r["id"]: r["verdict"] for r in with_verdicts(frame(spark, events), SHOP).collect()}


def order(spark: SparkSession, events: list[dict[str, Any]]) -> list[str]:
    rows = with_verdicts(frame(spark, events), SHOP).where("ordinal is not null").collect()
    return [r["id"] for r in sorted(rows, key=lambda r: r["ordinal"])]


def test_many_small_histories_each_with_its_verdicts(spark: SparkSession) -> None:
    native = {"migorigin": "native", "source": "urn:live"}
    cases: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = {
        "all-good": (
            [event("p", "Placed", 1), event("r", "Released", 2)],
            {"p": "accepted", "r": "accepted"},
        ),
        "required-missing": ([event("r", "Released", 2)], {"r": "held"}),
        "required-later": (
            [event("p", "Placed", 3), event("r", "Released", 2)],
            {"p": "accepted", "r": "held"},
        ),
        "same-moment-is-soon-enough": (
            [event("p", "Placed", 2), event("r", "Released", 2)],
            {"p": "accepted", "r": "accepted"},
        ),
        "what-depends-on-a-held-one-is-held": (
            [event("r", "Released", 2), event("c", "Cancelled", 3)],
            {"r": "held", "c": "held"},
        ),
        "unknown-times-break-no-law": (
            [
                event("p", "Placed", 9, migtimebasis="extract", migconfidence="approximate"),
                event("r", "Released", 2),
            ],
            {"p": "accepted", "r": "accepted"},
        ),
        "nor-does-one-that-a-snapshot-shows-beside-the-time-of-a-write": (
            [event("p", "Placed", 9, **SHOWN), event("r", "Released", 2, **WRITTEN)],
            {"p": "accepted", "r": "accepted"},
        ),
        "nor-beside-the-commit-of-a-change": (
            [
                event("p", "Placed", 9, **WRITTEN),
                event("r", "Released", 5, migsrctime=at(5), **WRITTEN),
                event("c", "Cancelled", 5.5, **SHOWN),
            ],
            {"p": "accepted", "r": "accepted", "c": "accepted"},
        ),
        "nor-beside-an-earlier-extract": (
            [event("p", "Placed", 9, **SHOWN), event("r", "Released", 5, **SHOWN)],
            {"p": "accepted", "r": "accepted"},
        ),
        "commits-of-a-log-are-in-its-order": (
            [
                event("p", "Placed", 5, migsrctime=at(5), **WRITTEN),
                event("r", "Released", 3, migsrctime=at(3), **WRITTEN),
            ],
            {"p": "accepted", "r": "held"},
        ),
        "native-twin-wins": (
            [
                event("p", "Placed", 1, migfactkey="f"),
                event("n", "Placed", 1.1, migfactkey="f", **native),
            ],
            {"p": "native-preferred", "n": "accepted"},
        ),
        "native-after-the-cut-is-not-history": (
            [
                event("p", "Placed", 1, migfactkey="f"),
                event("n", "Placed", 6.5, migfactkey="f", **native),
            ],
            {"p": "accepted", "n": "after-cut"},
        ),
        "a-change-committed-after-the-cut": (
            [event("p", "Placed", 1, migsrctime=at(6.1))],
            {"p": "after-cut"},
        ),
        "a-change-committed-at-the-cut-is-history": (
            [event("p", "Placed", 1, migsrctime=at(6))],
            {"p": "accepted"},
        ),
        "business-time-never-decides-the-cut": (
            [event("p", "Placed", 9, migsrctime=at(5))],
            {"p": "accepted"},
        ),
        "exact-beats-inferred-beats-approximate": (
            [
                event("a", "Placed", 1, migfactkey="f", migconfidence="approximate"),
                event("b", "Placed", 1, migfactkey="f", migconfidence="inferred"),
                event("c", "Placed", 1, migfactkey="f", sequence="9"),
            ],
            {"a": "duplicate-fact", "b": "duplicate-fact", "c": "accepted"},
        ),
    }
    events = [
        e | {"subject": name, "id": f"{name}/{e['id']}"}
        for name, (given, _) in cases.items()
        for e in given
    ]
    # Fact keys are per subject in these cases.
    events = [e | {"migfactkey": f"{e['subject']}/{e['migfactkey']}"} for e in events]
    verdict_by_id = verdicts(spark, events)
    for name, (_, expected) in cases.items():
        case_verdicts = {
            id.split("/", 1)[1]: v for id, v in verdict_by_id.items() if id.startswith(f"{name}/")
        }
        assert case_verdicts == expected, name


def test_a_lost_event_names_its_winner_and_why(spark: SparkSession) -> None:
    native = event("n", "Placed", 1, migfactkey="f", migorigin="native")
    rows = with_verdicts(
        frame(spark, [event("p", "Placed", 1, migfactkey="f"), native]), SHOP
    ).collect()
    lost = next(r for r in rows if r["id"] == "p")
    assert (lost["winner"], lost["reason"]) == ("n", "the live producer announced the same fact")


def test_of_a_fact_that_nobody_can_decide_no_event_wins(spark: SparkSession) -> None:
    def placed_event(id: str, **more: Any) -> dict[str, Any]:
        return event(id, "Placed", 1, migfactkey=id[0]) | more

    crm, erp = {"source": "urn:crm", "data": '{"a":1}'}, {"source": "urn:erp", "data": '{"a":2}'}
    live = {"migorigin": "native"}
    events = [
        placed_event("a1", **crm),
        placed_event("a2", **erp),
        placed_event("a3", migconfidence="inferred"),
        # Of these the live producers contradict each other.
        placed_event("b1", **crm, **live),
        placed_event("b2", **erp, **live),
        placed_event("b3"),
    ]
    rows = with_verdicts(frame(spark, events), SHOP).collect()
    assert sorted((r["id"], r["rule"], r["winner"]) for r in rows) == [
        ("a1", "undecided", None),
        ("a2", "undecided", None),
        ("a3", "undecided", None),
        ("b1", "undecided", None),
        ("b2", "undecided", None),
        ("b3", "native-preferred", None),
    ]


def test_the_same_event_twice_is_one(spark: SparkSession) -> None:
    rows = with_verdicts(frame(spark, [event("p", "Placed", 1)] * 3), SHOP).collect()
    assert sorted(r["verdict"] for r in rows) == ["accepted", "duplicate-id", "duplicate-id"]


def test_ties_are_settled_by_declared_order_then_sequence_then_id(spark: SparkSession) -> None:
    events = [
        event("z", "Released", 2),
        event("y", "Placed", 2, sequence="2"),
        event("b", "Placed", 2, sequence="1"),
        event("a", "Placed", 2, sequence="1"),
    ]
    assert order(spark, events) == ["a", "b", "y", "z"]
    assert order(spark, events[::-1]) == ["a", "b", "y", "z"]


def test_an_unknown_time_is_placed_by_the_declared_order(spark: SparkSession) -> None:
    placed, released = event("p", "Placed", 5, **SHOWN), event("r", "Released", 2)
    assert order(spark, [placed, released]) == ["p", "r"]
    late = [event("p", "Placed", 1), released, event("c", "Cancelled", 5, **SHOWN)]
    assert order(spark, late) == ["p", "r", "c"]
    # Three that a snapshot shows, by what it knows of the last.
    shown = [placed, event("r", "Released", 4, **WRITTEN), event("c", "Cancelled", 3, **WRITTEN)]
    assert order(spark, shown) == ["p", "r", "c"]


def test_what_comes_back_by_a_later_change_stays_behind_what_it_came_back_from(
    spark: SparkSession,
) -> None:
    first, later = event("f", "Placed", 1), {"migsrcpos": "2", **WRITTEN}
    back = event("b", "Placed", 5.5, migsrctime=at(5.5), **later)
    shown = event("r", "Released", 5, **SHOWN)
    assert order(spark, [first, shown, back]) == ["f", "r", "b"]
    came = event("r", "Released", 3, migsrctime=at(3), **later)
    assert order(spark, [first, came, back]) == ["f", "r", "b"]


def test_an_expectation_that_is_broken_is_found_once_and_marked(spark: SparkSession) -> None:
    import dataclasses

    from cutline.context import Aggregate, Context, excludes, expects
    from support.shop import ORDER, Cancelled, Placed, Released

    lenient = dataclasses.replace(
        ORDER,
        order=(
            expects(Released, first=Placed, rule="too-early", missing="never-placed"),
            excludes(Cancelled, other=Released, rule="cancelled-after-release"),
        ),
    )
    context = Context(name="shop", doc="", aggregates=(lenient,))
    events = [
        event("p1", "Placed", 3),
        event("r1", "Released", 2),
        event("r1b", "Released", 2.5),
        event("c1", "Cancelled", 1),
        event("r2", "Released", 2, subject="o2"),
        event("p3", "Placed", 1, subject="o3"),
        event("r3", "Released", 2, subject="o3"),
    ]
    rows = with_verdicts(frame(spark, events), context).collect()
    assert {r["verdict"] for r in rows} == {"accepted"}
    rules_by_event = {r["id"]: [f["rule"] for f in r["findings"]] for r in rows if r["findings"]}
    assert rules_by_event == {
        "r1": ["too-early"],
        "c1": ["cancelled-after-release"],
        "r2": ["never-placed"],
    }
    assert {r["id"]: r["amended"]["migconfidence"] for r in rows if r["findings"]} == dict.fromkeys(
        rules_by_event, "inferred"
    )
    assert isinstance(lenient, Aggregate)


def test_each_rule_of_the_policy_can_be_switched_off(spark: SparkSession) -> None:
    import dataclasses

    events = [
        event("n", "Placed", 1, migfactkey="f", migorigin="native", migconfidence="inferred"),
        event("p", "Placed", 1, migfactkey="f"),
        event("q", "Placed", 1, migfactkey="f"),
        event("late", "Placed", 1, migsrctime=at(7)),
    ]

    def under(policy: MergePolicy) -> dict[str, str]:
        context = dataclasses.replace(SHOP, merge=policy)
        rows = with_verdicts(frame(spark, events), context).collect()
        return {r["id"]: r["verdict"] for r in rows}

    assert under(MergePolicy()) == {
        "n": "accepted",
        "p": "native-preferred",
        "q": "native-preferred",
        "late": "after-cut",
    }
    assert under(MergePolicy(after_cut=AfterCut(enabled=False)))["late"] == "accepted"
    assert under(MergePolicy(prefer_native=PreferNative(enabled=False))) == {
        "n": "duplicate-fact",
        "p": "accepted",
        "q": "duplicate-fact",
        "late": "after-cut",
    }
    assert under(
        MergePolicy(
            prefer_native=PreferNative(enabled=False), duplicate_facts=DuplicateFacts(enabled=False)
        )
    ) == {
        "n": "accepted",
        "p": "accepted",
        "q": "accepted",
        "late": "after-cut",
    }
