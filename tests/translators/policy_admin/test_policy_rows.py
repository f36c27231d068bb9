"""What coverages, premiums and endorsements mean."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from cutline_translators.policy_admin.contracts import (
    Coverage,
    Endorsement,
    Policy,
    Premium,
    Tariff,
)
from cutline_translators.policy_admin.coverages import PasCoverages
from cutline_translators.policy_admin.endorsements import PasEndorsements
from cutline_translators.policy_admin.premiums import PasPremiums
from support.changes import change
from support.policy_rows import (
    coverage,
    day,
    endorsement,
    ends,
    events_of,
    heads,
    policy,
    premium,
    tariff,
    translation,
)

POLICIES = [
    policy("P"),
    policy("migrated", "W"),
    policy("quote", "Q"),
    policy("test", customer_no="TEST-1"),
]
TARIFFS = [
    tariff(1, "2019-01-01", "2023-01-01"),
    tariff(2, "2022-12-01", "2025-01-01"),
    tariff(3, "2025-01-01", None),
    tariff(1, "2000-01-01", None, tariff_code="T-MOTOR", name="Motor 2000"),
]


def test_coverages(spark: SparkSession) -> None:
    coverages = [
        coverage("P", 1),
        coverage("P", 2, "E", ended_on="2026-04-01", sum_insured_cents=70),
        coverage("P", 3, "E"),
        coverage("P", 4, "?"),
        coverage("P", 5, sum_insured_cents=-1),
        coverage("quote", 1),
        coverage("test", 1),
        coverage("gone", 1),
        coverage("migrated", 1),
    ]
    rows = translation(spark, PasCoverages, {Policy: POLICIES, Coverage: coverages}).collect()
    assert ends(rows, "coverages") == {
        "P/1": ("translated", "CoverageAdded"),
        "P/2": ("translated", "CoverageAdded, CoverageEnded"),
        "P/3": ("translated", "CoverageAdded, CoverageEnded"),
        "P/4": ("quarantined", "unmapped:status"),
        "P/5": ("quarantined", "contract:sum_insured_cents:ge"),
        "quote/1": ("no-op", "of-a-quote"),
        "test/1": ("no-op", "of-a-test-policy"),
        "gone/1": ("quarantined", "lookup-missing:policy"),
        "migrated/1": ("translated", "CoverageAdded"),
    }
    by_cover = {
        (e["type"], r["key"]): (e["time"].isoformat(), e["data"]) for r in rows for e in r["events"]
    }
    assert by_cover["CoverageEnded", '["P",2]'] == (
        "2026-04-01T00:00:00",
        '{"coverage_no":2,"sum_insured_cents":70}',
    )


@pytest.fixture(scope="module")
def premiums(spark: SparkSession):
    """Premiums of many periods, one of them corrected twice."""
    first, second = premium("P", "2025-03-01", 1_000), premium("P", "2026-03-01", 1_030)
    corrected = first | {"premium_cents": 950, "revision": 2}
    rekeyed = corrected | {"region": "north", "entered_at": None}
    again = corrected | {"premium_cents": 940, "revision": 3}
    steps = [
        first,
        second,
        premium("P", "2022-11-30", 800),
        premium("P", "2022-12-15", 810),
        premium("P", "2018-06-01", 700),
        premium("P", "2018-07-01", 710, tariff_code="T-MOTOR"),
        premium("P", "2024-12-31", 900),
        premium("P", "2025-01-01", 910),
        premium("quote", "2025-03-01", 5),
        premium("gone", "2025-03-01", 5),
        change("u", 11, before=first, after=corrected),
        change("u", 12, before=corrected, after=rekeyed),
        change("u", 13, before=rekeyed, after=again),
        change("c", 14, after=premium("P", "2026-10-01", 2_000)),
    ]
    inputs = {Policy: POLICIES, Tariff: TARIFFS, Premium: steps}
    return translation(spark, PasPremiums, inputs).collect()


def test_a_premium_happens_when_its_period_begins_under_the_tariff_of_that_day(premiums) -> None:
    first = [
        (at, data["tariff"], data["premium_cents"])
        for kind, at, data in events_of(premiums, "P")
        if data["revision"] == 1
    ]
    assert sorted(first) == [
        ("2018-07-01", "Motor 2000", 710),
        ("2022-11-30", "Home 2019", 800),
        ("2024-12-31", "Home 2022", 900),
        ("2025-01-01", "Home 2025", 910),
        ("2025-03-01", "Home 2025", 1_000),
        ("2026-03-01", "Home 2025", 1_030),
        ("2026-10-01", "Home 2025", 2_000),
    ]


def test_a_correction_is_an_event_of_the_earlier_period(premiums) -> None:
    later = [
        (at, d["revision"], d["premium_cents"])
        for _, at, d in events_of(premiums, "P")
        if d["revision"] > 1
    ]
    assert later == [("2025-03-01", 2, 950), ("2025-03-01", 3, 940)]
    ids = [(e["type"], e["occurrence"]) for r in premiums for e in r["events"]]
    assert len(ids) == len(set(ids))


def test_premiums_without_one_tariff_go_to_a_person(premiums) -> None:
    ends_by_key = {
        tuple(r["key"][1:-1].replace('"', "").split(",")): (r["disposition"], r["rule"])
        for r in premiums
        if r["disposition"] not in ("translated",)
    }
    assert ends_by_key == {
        ("P", "2018-06-01"): ("quarantined", "lookup-missing:tariff"),
        ("P", "2022-12-15"): ("ambiguous", "several-rows:tariff"),
        ("P", "2025-03-01"): ("no-op", "nothing-to-announce"),
        ("quote", "2025-03-01"): ("no-op", "of-a-quote"),
        ("gone", "2025-03-01"): ("quarantined", "lookup-missing:policy"),
    }


def test_endorsements_take_effect_when_they_say_and_deletion_withdraws(spark: SparkSession) -> None:
    in_force, late, draft = endorsement("kept"), endorsement("late"), endorsement("draft", "D")
    void = late | {"status": "V", "voided_on": day("2026-10-20")}
    steps = [
        in_force,
        late,
        draft,
        endorsement("void", "V", voided_on="2026-06-01", premium_delta_cents=-7),
        endorsement("void-some-day", "V"),
        endorsement("scribble", "?"),
        endorsement("orphan", policy_no="gone"),
        change("d", 11, before=in_force),
        change("u", 12, before=late, after=void),
        change("d", 13, before=void),
        change("u", 14, before=draft, after=draft | {"status": "I"}),
    ]
    inputs = {Policy: POLICIES, Endorsement: steps}
    rows = translation(spark, PasEndorsements, inputs).collect()
    by_row: dict[str, list[tuple[str, str, str]]] = {}
    for r in sorted(rows, key=lambda r: r["position"]):
        for e in r["events"]:
            mine = by_row.setdefault(r["key"][2:-2], [])
            mine.append((e["type"], e["time"].isoformat(), e["basis"]))
    issued = ("EndorsementIssued", "2026-05-01T00:00:00", "effective")
    assert by_row == {
        "kept": [issued, ("EndorsementWithdrawn", "2026-11-01T02:11:00", "commit")],
        "late": [issued, ("EndorsementWithdrawn", "2026-10-20T00:00:00", "effective")],
        "draft": [issued],
        "void": [issued, ("EndorsementWithdrawn", "2026-06-01T00:00:00", "effective")],
        "void-some-day": [issued, ("EndorsementWithdrawn", "2026-11-01T02:00:00", "extract")],
    }
    last = {
        r["key"]: (r["disposition"], r["rule"]) for r in sorted(rows, key=lambda r: r["position"])
    }
    assert last['["scribble"]'] == ("quarantined", "unmapped:status")
    assert last['["orphan"]'] == ("quarantined", "lookup-missing:policy")
    assert last['["late"]'][0] == "no-op"
    snapshots = {r["key"]: r["rule"] for r in rows if r["op"] == "r"}
    assert snapshots['["draft"]'] == "draft"
    assert heads(rows, "P")[0][0] == "EndorsementIssued"
