"""Histories and rules at the corners of the language, where events were lost, doubled or misread."""

from __future__ import annotations

import datetime as dt
import json

import pyspark.sql.types as T
import pytest
from pyspark.sql import functions as F

from cutline.engine.examine import analyse_translator
from cutline.engine.translate import translate_changes
from cutline.errors import ConfigurationError
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    each,
    fact,
    ignore,
    lookup,
    part,
    removed,
    row_check,
    table,
    understood,
)
from support.changes import change, changes_table, position, snapshot
from support.cover import (
    JAN,
    MAR,
    Base,
    Bound,
    Closed,
    Lapsed,
    Papers,
    Policies,
    Rated,
    Reinstated,
    Suspended,
    Tariffs,
    policy,
)


class AllUnderstood(Base):
    """Every letter is understood."""

    source, subject = Policies, "no"

    @understood("any")
    def any_letter(self, row):
        return row.status.isNotNull()


class Boxes(SourceContract):
    """One row is one box of a rating."""

    box: T.LongType = column(doc="box")
    rating: T.StringType = column(doc="rating")
    label: T.StringType = column(doc="label")

    class Config:
        metadata = table("adm", "boxes", key=["box"])


def row_ends(spark, translator, **tables):
    """(table, key, op, rule, event types) of each row, in the order of positions."""
    contracts = {"policies": Policies, "papers": Papers, "boxes": Boxes}
    inputs = {
        contracts[name]: changes_table(spark, contracts[name], rows, consistent_point=position(1))
        for name, rows in tables.items()
    }
    rows = translate_changes(translator, inputs).collect()
    rows.sort(key=lambda r: (r["position"], r["table"], r["key"]))
    return [
        (json.loads(r["key"])[0], r["op"], r["rule"], [e["type"] for e in r["events"]])
        for r in rows
    ]


class Moved(AllUnderstood, Translator):
    @fact(Bound)
    def bound(self, row):
        return Occurrence(row.bound_at.isNotNull(), {"holder": row.holder}, at=row.bound_at)

    @changed(Reinstated, of="bound_at")
    def bound_again(self, row):
        return Occurrence(time_basis=COMMIT)


def test_what_a_change_tells_of_a_quarantined_row_was_never_announced(spark) -> None:
    broken = policy("p")
    moved = policy("q", bound_at=JAN + dt.timedelta(microseconds=7))
    ends = row_ends(
        spark,
        Moved,
        policies=[
            snapshot(broken, defects=["wrong-type:premium"]),
            change("u", 10, before=broken, after=policy("p", premium=3)),
            snapshot(policy("q")),
            # A microsecond is a difference, too.
            change("u", 20, before=policy("q"), after=moved),
        ],
    )
    assert ends == [
        ("p", "r", "wrong-type:premium", []),
        ("q", "r", "Bound", ["Bound"]),
        ("p", "u", "Bound", ["Bound"]),
        ("q", "u", "Reinstated", ["Reinstated"]),
    ]


class Filed(Base, Translator):
    """A policy and its paper, which it must have."""

    policy = part(Policies, subject="no")
    paper = part(Papers, subject="no")

    @understood("any")
    def any_letter(self, row):
        return row.policy.status.isNotNull()

    @fact(Bound)
    def bound(self, row):
        return Occurrence(data={"holder": row.policy.holder}, at=row.policy.bound_at)

    @fact(Suspended, many=True, transient=True)
    def suspended(self, row):
        return Occurrence(row.policy.status == "S", time_basis=COMMIT)

    @removed(Closed)
    def closed(self, row):
        return Occurrence(False, {"premium": row.policy.premium}, time_basis=COMMIT)

    @removed(Lapsed, part="paper")
    def lost(self, row):
        return Occurrence(False, time_basis=COMMIT)


def paper(no):
    return {"no": no, "shelf": "3"}


def test_parts_that_are_deleted_one_after_the_other_are_each_told(spark) -> None:
    again = paper("back")
    ends = row_ends(
        spark,
        Filed,
        policies=[
            snapshot(policy("a")),
            snapshot(policy("b")),
            snapshot(policy("back", "S")),
            change("u", 5, after=policy("back", "A")),
            change("u", 6, after=policy("back", "S")),
            change("d", 20, before=policy("a")),
            change("d", 10, before=policy("b")),
        ],
        papers=[
            snapshot(paper("a")),
            snapshot(paper("b")),
            snapshot(again),
            change("d", 10, before=paper("a")),
            change("d", 20, before=paper("b")),
            # What was said before the paper went away is not news when it is there again.
            change("d", 30, before=again),
            change("c", 40, after=again),
        ],
    )
    assert [one for one in ends if one[1] != "r"] == [
        ("back", "u", "nothing-to-announce", []),
        ("back", "u", "Suspended", ["Suspended"]),
        ("a", "d", "Lapsed", ["Lapsed"]),
        ("b", "d", "Closed", ["Closed"]),
        ("b", "d", "Lapsed", ["Lapsed"]),
        ("a", "d", "Closed", ["Closed"]),
        ("back", "d", "Lapsed", ["Lapsed"]),
        ("back", "c", "nothing-to-announce", []),
    ]


class Perhaps(Base, Translator):
    """A policy with a paper or without."""

    policy = part(Policies, subject="no")
    paper = part(Papers, subject="no", required=False)

    @understood("any")
    def any_letter(self, row):
        return row.policy.status.isNotNull()

    @fact(Bound)
    def bound(self, row):
        return Occurrence(data={"holder": row.policy.holder}, at=row.policy.bound_at)

    @fact(Suspended, many=True, transient=True)
    def unfiled(self, row):
        return Occurrence(row.paper.no.isNull(), time_basis=COMMIT)

    @removed(Closed)
    def closed(self, row):
        return Occurrence(False, {"premium": row.policy.premium}, time_basis=COMMIT)


def test_a_deletion_tells_what_rises_from_it(spark) -> None:
    ends = row_ends(
        spark,
        Perhaps,
        policies=[
            snapshot(policy("a")),
            snapshot(policy("b")),
            change("d", 20, before=policy("b")),
        ],
        papers=[snapshot(paper("a")), snapshot(paper("b")), change("d", 10, before=paper("a"))],
    )
    assert [one for one in ends if one[1] != "r"] == [
        ("a", "d", "Suspended", ["Suspended"]),
        # The paper is still there, and its policy is not: nothing is wrong with that.
        ("b", "d", "Closed", ["Closed"]),
    ]


class Boxed(AllUnderstood, Translator):
    boxes = lookup(Boxes, on="rating", by="rating", many=True)

    @fact(Rated)
    def rated(self, row):
        return each(
            row.boxes, lambda row: Occurrence(data={"rating": row.label}, time_basis=COMMIT)
        )


class OneBox(AllUnderstood, Translator):
    box = lookup(Boxes, on="premium")

    @fact(Rated)
    def rated(self, row):
        return Occurrence(row.box.label.isNotNull(), {"rating": row.box.label}, time_basis=COMMIT)


def test_two_of_what_there_must_be_one_of_are_for_a_person(spark) -> None:
    def boxes(*rows):
        return [snapshot(dict(zip(("box", "rating", "label"), row, strict=True))) for row in rows]

    twice = boxes((1, "X", "same"), (2, "X", "same"), (3, "Y", "one"), (4, "Y", "two"))
    rated = [snapshot(policy("x", rating="X")), snapshot(policy("y", rating="Y"))]
    assert row_ends(spark, Boxed, policies=rated, boxes=twice) == [
        ("x", "r", "two-facts-one-key:Rated", []),
        ("y", "r", "Rated", ["Rated", "Rated"]),
    ]
    inputs = {
        Policies: changes_table(spark, Policies, [snapshot(policy("p", premium=1))]),
        # Without changes nothing has brought the rows of a key together.
        Boxes: changes_table(spark, Boxes, boxes((1, "X", "a"), (1, "X", "b"))),
    }
    (row,) = translate_changes(OneBox, inputs).collect()
    assert (row["rule"], row["reason"]) == ("several-rows:box", "2 rows of adm.boxes meet the key")


class InPython(AllUnderstood, Translator):
    @fact(Bound, per_row=True)
    def bound(self, row):
        if row.rating == "text":
            return Occurrence(data={"holder": "x"}, at="yesterday")
        return Occurrence(
            data={"holder": "x"}, subject=[row.no, row.holder], at=row.bound_at.date()
        )

    @fact(Lapsed, per_row=True)
    def lapsed(self, row):
        return Occurrence(row.status == "L", subject=row.holder, time_basis=COMMIT)

    @fact(Suspended, per_row=True, many=True, transient=True)
    def suspended(self, row):
        return Occurrence(row.status == "S", time_basis=COMMIT)


def test_a_fact_in_python_says_what_a_fact_in_columns_would(spark) -> None:
    rows = [
        snapshot(policy("fine", bound_at=MAR + dt.timedelta(hours=3))),
        snapshot(policy("text", rating="text")),
        snapshot(policy("nobody", "L", holder=None)),
        snapshot(policy("unplaced", "S")),
    ]
    translated = translate_changes(
        InPython, {Policies: changes_table(spark, Policies, rows)}
    ).collect()
    assert {
        json.loads(r["key"])[0]: (r["rule"], [(e["subject"], e["time"]) for e in r["events"]])
        for r in translated
    } == {
        "fine": ("Bound", [("fine/H", MAR.replace(tzinfo=None))]),
        "text": ("per-row:bound:TypeError", []),
        "nobody": ("payload:Bound:subject-missing", []),
        "unplaced": ("Bound", [("unplaced/H", JAN.replace(tzinfo=None))]),
    }


class AlikeBoxes(AllUnderstood, Translator):
    boxes = lookup(Boxes, on="rating", by="rating", many=True)

    @fact(Lapsed)
    def lapsed(self, row):
        return each(row.boxes, lambda box: Occurrence(box.box > 0, time_basis=COMMIT))


class LetterAsPredicate(AllUnderstood, Translator):
    @ignore("letter")
    def letter(self, row):
        return row.status


class NumberAsTime(AllUnderstood, Translator):
    @fact(Lapsed)
    def lapsed(self, row):
        return Occurrence(at=row.premium)


@pytest.mark.parametrize(
    ("translator", "message"),
    [
        (AlikeBoxes, "fact lapsed: nothing tells the elements of each(…) apart"),
        (LetterAsPredicate, "ignore letter, when is a column of type string"),
        (NumberAsTime, "fact lapsed, at is a column of type bigint"),
    ],
)
def test_what_would_go_wrong_with_data_shows_without_it(spark, translator, message) -> None:
    with pytest.raises(ConfigurationError) as refused:
        analyse_translator(spark, translator)
    assert message in str(refused.value)


def test_a_row_is_followed_into_methods_and_let_go_where_its_name_is_another() -> None:
    class Right(AllUnderstood, Translator):
        @ignore("right")
        def right(self, row):
            numbers = [row.real for row in (1, 2)]
            if numbers:
                row = F.lit(True)
            return row

    with pytest.raises(ConfigurationError, match="Did you mean 'status'"):

        class Wrong(AllUnderstood, Translator):
            @ignore("wrong")
            def wrong(self, row):
                return self.misspelt(row)

            @staticmethod
            def misspelt(row):
                return row.stauts == "A"


@pytest.mark.parametrize(
    ("given_lookup", "message"),
    [
        (lambda: lookup(Tariffs, on="premium", by="rating"), "premium is bigint, but rating"),
        (
            lambda: lookup(Tariffs, on="rating", as_of="holder", valid=("since", "until")),
            "holder is string; `as_of` and `valid` must be",
        ),
    ],
)
def test_a_lookup_that_cannot_be_compared_is_refused(given_lookup, message) -> None:
    with pytest.raises(ConfigurationError, match=message):

        class Wrong(AllUnderstood, Translator):
            tariff = given_lookup()


def test_one_table_is_one_part() -> None:
    with pytest.raises(ConfigurationError, match="is part one and part other"):

        class Wrong(Base, Translator):
            one, other = part(Policies, subject="no"), part(Policies, subject="holder")


def checked(bound: int, label: str) -> type[Translator]:
    class Checked(SourceContract):
        """One row is one policy."""

        no: T.StringType = column(doc="number", isin=["a", "b", "c", "d"])
        premium: T.LongType = column(doc="cents")

        @row_check
        def dear(cls, row):
            """It is too cheap."""
            return row.premium > bound

        class Config:
            metadata = table("adm", "checked", key=["no"])

    class CheckedPolicies(Translator):
        context, aggregate, version = Base.context, "policy", "1.0.0"
        source, subject = Checked, "no"

        @fact(Lapsed)
        def lapsed(self, row):
            return Occurrence(row.premium > 7, time_basis=COMMIT, confidence=label)

    return CheckedPolicies


def test_a_contract_and_a_label_are_part_of_what_a_translator_means(spark) -> None:
    def print_of(bound, label):
        return analyse_translator(spark, checked(bound, label)).fingerprint

    assert print_of(1, "exact") == print_of(1, "exact")
    assert len({print_of(1, "exact"), print_of(2, "exact"), print_of(1, "inferred")}) == 3
