"""What the language says, on literal rows: one translator a table, one Spark job a test."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from cutline.engine.translate import translate_changes
from cutline.translator import (
    COMMIT,
    HOLD,
    INFER,
    Occurrence,
    Translator,
    changed,
    fact,
    lookup,
    part,
    reject,
    removed,
    todo,
    understood,
)
from support.changes import change, changes_table, position, snapshot
from support.cover import (
    JAN,
    JUN,
    MAR,
    Base,
    Bound,
    Closed,
    Lapsed,
    Papers,
    Policies,
    PremiumChanged,
    Rated,
    Reinstated,
    Suspended,
    Tariffs,
    policy,
)

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)


class PolicyFacts(Base, Translator):
    """Everything that one table can say."""

    source, subject = Policies, "no"

    @reject("unreadable")
    def unreadable(self, row):
        """Nobody can read it."""
        return row.status == "?"

    @todo("status-Z")
    def status_z(self, row):
        """Somebody has to say what Z means."""
        return row.status == "Z"

    @understood("in-force")
    def in_force(self, row):
        return row.status == "A"

    @fact(Bound)
    def bound(self, row):
        return Occurrence(row.bound_at.isNotNull(), {"holder": row.holder}, at=row.bound_at)

    @fact(Lapsed, many=True, transient=True, excludes="suspended")
    def lapsed(self, row):
        return Occurrence(
            row.status.isin("L", "LS"), at=row.lapsed_at, key=row.lapsed_at.cast("date")
        )

    @fact(Reinstated, many=True, transient=True)
    def reinstated(self, row):
        return Occurrence(row.back_at.isNotNull() & (row.status == "A"), at=row.back_at)

    @fact(Suspended, many=True, transient=True)
    def suspended(self, row):
        return Occurrence(row.status.isin("S", "LS"), time_basis=COMMIT)

    @changed(PremiumChanged, of="premium")
    def premium_moved(self, row):
        return Occurrence(data={"premium": row.premium}, time_basis=COMMIT)

    @removed(Closed)
    def closed(self, row):
        return Occurrence(row.deleted, {"premium": row.premium}, time_basis=COMMIT)


def translate_rows(spark, translator, rows):
    """The translated rows by position and key."""
    inputs = {Policies: changes_table(spark, Policies, rows, consistent_point=position(1))}
    translated = translate_changes(translator, inputs).collect()
    return sorted(translated, key=lambda r: (r["position"], r["key"]))


def trail(rows):
    return [(r["op"], r["rule"], [(e["type"], e["occurrence"]) for e in r["events"]]) for r in rows]


def test_a_fact_that_recurs_is_told_apart_by_its_key_its_time_or_its_position(spark) -> None:
    a = policy()
    lapsed = policy(status="L", lapsed_at=MAR)
    back = policy(status="A", lapsed_at=MAR, back_at=JUN)
    again = policy(status="L", lapsed_at=JUN, back_at=JUN)
    suspended = policy(status="S", lapsed_at=JUN, back_at=JUN)
    rows = translate_rows(
        spark,
        PolicyFacts,
        [
            snapshot(a),
            change("u", 10, before=a, after=lapsed),
            change("u", 20, before=lapsed, after=back),
            change("u", 30, before=back, after=again),
            change("u", 40, before=again, after=suspended),
            change("u", 50, before=suspended, after=suspended),
        ],
    )
    at_40 = f'["adm:policies:{position(40)}"]'
    assert trail(rows) == [
        ("r", "Bound", [("Bound", None)]),
        ("u", "Lapsed", [("Lapsed", '["2026-03-01"]')]),
        ("u", "Reinstated", [("Reinstated", '["2026-06-01T00:00:00.000000Z"]')]),
        ("u", "Lapsed", [("Lapsed", '["2026-06-01"]')]),
        ("u", "Suspended", [("Suspended", at_40)]),
        ("u", "nothing-to-announce", []),
    ]


def test_a_snapshot_tells_what_it_shows_and_what_it_cannot_know_it_says(spark) -> None:
    rows = translate_rows(
        spark,
        PolicyFacts,
        [
            snapshot(policy("bound")),
            snapshot(policy("lapsed", "L", lapsed_at=MAR)),
            # The letter says so, and nobody wrote down when: no key, no event.
            snapshot(policy("when", "L")),
            # Told apart by position, and a snapshot has none of it.
            snapshot(policy("suspended", "S")),
            snapshot(policy("both", "LS", lapsed_at=MAR)),
            snapshot(policy("gone", deleted=True)),
            snapshot(policy("todo", "Z")),
            snapshot(policy("new-letter", "Q")),
            snapshot(policy("no-letter", None)),
        ],
    )
    assert {json.loads(r["key"])[0]: r["rule"] for r in rows} == {
        "bound": "Bound",
        "lapsed": "Bound, Lapsed",
        "when": "payload:Lapsed:occurrence-missing",
        "suspended": "Bound",
        "both": "both:lapsed+suspended",
        "gone": "Bound, Closed",
        "todo": "unmapped:status-Z",
        "new-letter": "unmapped:status",
        "no-letter": "unmapped:status",
    }
    reasons = {json.loads(r["key"])[0]: r["reason"] for r in rows}
    assert reasons["both"] == "the row says both lapsed and suspended, which exclude each other"
    assert reasons["new-letter"] == "no rule says what status means when it is Q"
    assert reasons["todo"] == "Somebody has to say what Z means."
    confidence = {(e["type"], e["basis"]): e["confidence"] for r in rows for e in r["events"]}
    # The holder is stable, so a snapshot still shows it; the premium may have moved.
    assert confidence[("Bound", "effective")] == "exact"
    assert confidence[("Closed", "extract")] == "approximate"


def test_a_value_that_moves_is_told_each_time_and_an_unreadable_image_is_stepped_over(
    spark,
) -> None:
    first, dearer = policy(), policy(premium=120)
    unreadable, after = policy(status="?", premium=130), policy(premium=130, lapsed_at=MAR)
    rows = translate_rows(
        spark,
        PolicyFacts,
        [
            snapshot(first),
            change("u", 10, before=first, after=dearer),
            change("u", 20, before=dearer, after=unreadable),
            change("u", 30, before=unreadable, after=after),
            change("u", 40, before=after, after=policy(premium=None)),
            change("c", 50, after=policy("fresh")),
        ],
    )
    assert [(r["op"], r["rule"], [e["data"] for e in r["events"]]) for r in rows] == [
        ("r", "Bound", ['{"holder":"H","premium":null}']),
        ("u", "PremiumChanged", ['{"premium":120}']),
        ("u", "unreadable", []),
        # What moved while nobody could read the row is told when it can be read again.
        ("u", "PremiumChanged", ['{"premium":130}']),
        ("u", "PremiumChanged", ['{"premium":null}']),
        ("c", "Bound", ['{"holder":"H","premium":null}']),
    ]


def test_a_deletion_is_told_once_from_the_last_image(spark) -> None:
    row, marked = policy(premium=5), policy("m", premium=7)
    unreadable = policy("u", "?")
    rows = translate_rows(
        spark,
        PolicyFacts,
        [
            snapshot(row),
            snapshot(marked),
            change("d", 10, before=row),
            change("u", 20, before=marked, after=marked | {"deleted": True}),
            change("d", 30, before=marked | {"deleted": True}),
            change("c", 40, after=row),
            snapshot(unreadable),
            change("d", 50, before=unreadable),
        ],
    )
    assert [
        (r["op"], r["rule"], [e["data"] for e in r["events"]]) for r in rows if r["op"] != "r"
    ] == [
        ("d", "Closed", ['{"premium":5}']),
        ("u", "Closed", ['{"premium":7}']),
        ("d", "nothing-to-announce", []),
        ("c", "Bound", ['{"holder":"H","premium":null}']),
        # Nothing was ever announced of it, so there is nothing to take back.
        ("d", "nothing-to-announce", []),
    ]


def test_transitions_that_the_lifecycle_does_not_allow_are_findings(spark) -> None:
    a = policy()
    rows = translate_rows(
        spark,
        PolicyFacts,
        [
            snapshot(a),
            change("u", 10, before=a, after=policy(status="L", lapsed_at=MAR)),
            change("u", 20, after=policy(status="S", lapsed_at=MAR)),
            change("u", 30, after=policy(status="A", lapsed_at=MAR)),
            change("c", 40, after=policy("born-lapsed", "L", lapsed_at=MAR)),
        ],
    )
    assert [r["finding_reason"] for r in rows] == [
        None,
        None,
        "status went from L to S, which its lifecycle does not allow",
        "status went from S to A, which its lifecycle does not allow",
        "a row was created with status L, which its lifecycle does not allow",
    ]
    assert {r["finding"] for r in rows} == {None, "lifecycle:adm.policies.status"}


class WithOpening(Base, Translator):
    """A premium whose first value is told as well."""

    source, subject = Policies, "no"

    @understood("any")
    def any_letter(self, row):
        return row.status.isNotNull()

    @changed(PremiumChanged, of=["premium", "holder"], opening=True)
    def premium_moved(self, row):
        return Occurrence(
            row.status != "S", {"premium": row.premium}, at=row.bound_at, key=row.premium
        )


def test_an_opening_value_is_told_where_it_is_declared(spark) -> None:
    rows = translate_rows(
        spark,
        WithOpening,
        [
            snapshot(policy(premium=1)),
            change("u", 10, before=policy(premium=1), after=policy(premium=2, status="S")),
            change("u", 20, before=policy(premium=2), after=policy(premium=2)),
            change("u", 30, before=policy(premium=2), after=policy(premium=2, holder="I")),
            change("c", 40, after=policy("fresh", premium=9)),
            change("d", 50, before=policy("fresh", premium=9)),
        ],
    )
    assert trail(rows) == [
        ("r", "PremiumChanged", [("PremiumChanged", "[1]")]),
        ("u", "nothing-to-announce", []),
        ("u", "nothing-to-announce", []),
        ("u", "PremiumChanged", [("PremiumChanged", "[2]")]),
        ("c", "PremiumChanged", [("PremiumChanged", "[9]")]),
        ("d", "deletion-without-meaning", []),
    ]


class RatedPolicies(Base, Translator):
    """Ratings with the tariff that was in force when the policy was rated."""

    source, subject = Policies, "no"
    tariff = lookup(
        Tariffs, on="rating", by="rating", as_of="rated_at", valid=("since", "until"), required=True
    )

    @understood("any")
    def any_letter(self, row):
        return row.status.isNotNull()

    @fact(Rated)
    def rated(self, row):
        return Occurrence(data={"rating": row.rating, "tariff": row.tariff.tariff}, at=row.rated_at)


def test_a_lookup_as_of_a_business_time_takes_the_row_in_force_then(spark) -> None:
    def rated(no, rating, at):
        return snapshot(policy(no, rating=rating, rated_at=at))

    def tariff(rating, since, until, name):
        row = {"rating": rating, "since": since, "until": until, "tariff": name}
        return snapshot(row)

    rows = sorted(
        translate_changes(
            RatedPolicies,
            {
                Policies: changes_table(
                    spark,
                    Policies,
                    [
                        rated("first", "X", JAN),
                        rated("edge", "X", MAR),
                        rated("open", "X", JUN),
                        rated("before", "Y", JAN),
                        rated("twice", "Z", JUN),
                        rated("unkeyed", None, JUN),
                        rated("timeless", "X", None),
                    ],
                ),
                Tariffs: changes_table(
                    spark,
                    Tariffs,
                    [
                        tariff("X", JAN, MAR, "x1"),
                        tariff("X", MAR, None, "x2"),
                        tariff("Y", MAR, None, "y1"),
                        tariff("Z", JAN, None, "z1"),
                        tariff("Z", MAR, None, "z2"),
                    ],
                ),
            },
        ).collect(),
        key=lambda r: r["key"],
    )
    assert {
        json.loads(r["key"])[0]: (r["rule"], [json.loads(e["data"])["tariff"] for e in r["events"]])
        for r in rows
    } == {
        "first": ("Rated", ["x1"]),
        "edge": ("Rated", ["x2"]),
        "open": ("Rated", ["x2"]),
        "before": ("lookup-missing:tariff", []),
        "twice": ("several-rows:tariff", []),
        "unkeyed": ("lookup-missing:tariff", []),
        "timeless": ("lookup-missing:tariff", []),
    }
    reasons = {json.loads(r["key"])[0]: r["reason"] for r in rows}
    assert reasons["twice"] == "2 rows of adm.tariffs meet the key"
    assert reasons["unkeyed"] == "the row names none: rating is null"
    assert reasons["before"] == "adm.tariffs has no readable row that the key meets"


def with_papers(missing: str) -> type[Translator]:
    class Filed(Base, Translator):
        """A policy and its paper file."""

        policy = part(Policies, subject="no")
        paper = part(Papers, subject="no", missing=missing)

        @understood("any")
        def any_letter(self, row):
            return row.policy.status.isNotNull()

        @fact(Bound)
        def bound(self, row):
            return Occurrence(data={"holder": row.policy.holder}, at=row.policy.bound_at)

    return Filed


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("reject", ("part-missing:paper", [])),
        (HOLD, ("part-awaited:paper", [])),
        (INFER, ("Bound", ["inferred"])),
    ],
)
def test_what_a_missing_part_means_is_declared(spark, missing, expected) -> None:
    inputs = {
        Policies: changes_table(
            spark, Policies, [snapshot(policy("with")), snapshot(policy("without"))]
        ),
        Papers: changes_table(spark, Papers, [snapshot({"no": "with", "shelf": "3"})]),
    }
    rows = translate_changes(with_papers(missing), inputs).where("source = 'adm'").collect()
    assert {
        json.loads(r["key"])[0]: (r["rule"], [e["confidence"] for e in r["events"]]) for r in rows
    } == {"with": ("Bound", ["exact"]), "without": expected}


def test_the_order_of_two_sources_is_measured_where_it_was_assumed(spark) -> None:
    inputs = {
        Policies: changes_table(
            spark,
            Policies,
            [
                snapshot(policy("p")),
                change("u", 10, after=policy("p", premium=2), at="2026-11-01T03:00:00+00:00"),
                change("u", 20, after=policy("p", premium=3), at="2026-11-01T03:00:05+00:00"),
            ],
            consistent_point=position(1),
        ),
        Papers: changes_table(
            spark,
            Papers,
            [
                snapshot({"no": "p", "shelf": "3"}),
                change(
                    "u", 10, after={"no": "p", "shelf": "4"}, at="2026-11-01T03:00:05.250000+00:00"
                ),
            ],
            consistent_point=position(1),
        ),
    }
    rows = translate_changes(with_papers(HOLD), inputs).collect()
    assert {(r["source"], r["position"][:20].lstrip("0")): r["skew_us"] for r in rows} == {
        ("adm", ""): None,
        ("archive", ""): None,
        ("adm", "10"): None,
        ("adm", "20"): None,
        ("archive", "10"): 250_000,
    }


class Twins(Base, Translator):
    """Two rules that announce one and the same event."""

    source, subject = Policies, "no"

    @fact(Lapsed)
    def by_letter(self, row):
        return Occurrence(row.status == "L", time_basis=COMMIT)

    @fact(Lapsed)
    def by_time(self, row):
        return Occurrence(row.lapsed_at.isNotNull(), at=row.lapsed_at)


class InPython(Base, Translator):
    """A fact that columns cannot say."""

    source, subject = Policies, "no"

    @understood("any")
    def any_letter(self, row):
        return row.status.isNotNull()

    @fact(Bound, per_row=True)
    def bound(self, row):
        if row.holder == "boom":
            raise ValueError("boom")
        if row.bound_at is None:
            return None
        backwards = "".join(reversed(row.holder)) if row.holder else None
        return Occurrence(data={"holder": backwards, "premium": row.premium}, at=row.bound_at)

    @changed(PremiumChanged, of="premium")
    def premium_moved(self, row):
        return Occurrence(data={"premium": row.premium}, time_basis=COMMIT)


def test_two_facts_that_announce_the_same_event_are_for_a_person(spark) -> None:
    rows = translate_rows(
        spark,
        Twins,
        [
            snapshot(policy("letter", "L")),
            snapshot(policy("time", lapsed_at=MAR)),
            snapshot(policy("both", "L", lapsed_at=MAR)),
        ],
    )
    # Rules with an eye on the letter leave the others unmapped.
    assert {json.loads(r["key"])[0]: r["rule"] for r in rows} == {
        "letter": "Lapsed",
        "time": "unmapped:status",
        "both": "two-facts-one-key:Lapsed",
    }


class TwoMovements(Base, Translator):
    """Two values whose movements are one kind of event."""

    source, subject = Policies, "no"

    @understood("any")
    def any_letter(self, row):
        return row.status.isNotNull()

    @changed(PremiumChanged, of="premium", opening=True)
    def premium_moved(self, row):
        return Occurrence(data={"premium": row.premium}, at=row.rated_at, key=row.premium)

    @changed(PremiumChanged, of="rating")
    def rating_moved(self, row):
        return Occurrence(data={"premium": row.premium}, time_basis=COMMIT)


def test_two_values_may_announce_their_movements_under_one_event(spark) -> None:
    first = policy(premium=1, rating="X", rated_at=JAN)
    second, third = first | {"rating": "Y"}, first | {"rating": "Y", "premium": 2}
    rows = translate_rows(
        spark,
        TwoMovements,
        [
            snapshot(first),
            change("u", 10, before=first, after=second),
            change("u", 20, before=second, after=third),
            change("u", 30, before=third, after=third),
        ],
    )
    assert trail(rows) == [
        ("r", "PremiumChanged", [("PremiumChanged", "[1]")]),
        ("u", "PremiumChanged", [("PremiumChanged", f'["adm:policies:{position(10)}"]')]),
        ("u", "PremiumChanged", [("PremiumChanged", "[2]")]),
        ("u", "nothing-to-announce", []),
    ]


def test_a_fact_in_python_rises_and_fails_like_the_others(spark) -> None:
    rows = translate_rows(
        spark,
        InPython,
        [
            snapshot(policy("plain", holder="abc")),
            snapshot(policy("timeless", bound_at=None)),
            snapshot(policy("raises", holder="boom")),
            snapshot(policy("misfit", holder=None)),
            change(
                "u",
                10,
                before=policy("plain", holder="abc"),
                after=policy("plain", holder="abc", premium=7),
            ),
            change("c", 20, after=policy("later", holder="xy")),
        ],
    )
    assert [
        (json.loads(r["key"])[0], r["rule"], [e["data"] for e in r["events"]]) for r in rows
    ] == [
        ("misfit", "payload:Bound.holder", []),
        ("plain", "Bound", ['{"holder":"cba","premium":100}']),
        ("raises", "per-row:bound:ValueError", []),
        ("timeless", "nothing-to-announce", []),
        ("plain", "PremiumChanged", ['{"premium":7}']),
        ("later", "Bound", ['{"holder":"yx","premium":100}']),
    ]
    labels = {(e["basis"], e["confidence"]) for r in rows for e in r["events"] if r["op"] == "r"}
    assert labels == {("effective", "inferred")}
    assert {e["occurrence"] for r in rows for e in r["events"] if e["type"] == "Bound"} == {None}
