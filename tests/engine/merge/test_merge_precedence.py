"""Of two rules that both apply, the earlier in the written precedence wins: every pair of them.

A victim is spoiled in two ways at once. That each way alone would decide is shown by the reference,
asked with that rule only; what the merge says of both is asked of Spark, for all pairs in one job.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from pyspark.sql import SparkSession

from cutline.context import (
    Foreign,
    LateArrivals,
    MergePolicy,
    NativeCollision,
    NotAuthoritative,
    Overlap,
    SubjectTooLong,
)
from cutline.context.merge_policy import PRECEDENCE, MergeRule
from cutline.context.merge_rules import Rule
from cutline.engine.merge import with_verdicts
from support.merge.candidates import at, candidate, frame
from support.merge.reference import judge
from support.paths import DOCS
from support.shop import SHOP

Row = dict[str, Any]
POLICY = MergePolicy(
    not_authoritative=NotAuthoritative(foreign=(Foreign(region="elsewhere"),)),
    subject_too_long=SubjectTooLong(limit=60),
    late_arrivals=LateArrivals(before=at(5), allowed=dt.timedelta(hours=2)),
    overlap=Overlap(idempotent_consumers=False),
    native_collision=NativeCollision(enabled=True, within=dt.timedelta(minutes=10)),
)
STEPS = [step for step in PRECEDENCE if step.declared_by]
NEVER_MEET = {
    frozenset(pair)
    for pair in combinations(("too-late", "after-cut", "in-overlap", "late-arrival"), 2)
}
"""An event has one side, and what is late is not asked whether it is after the cut."""

_NATIVE = {"migorigin": "native", "source": "urn:live", "migtranslator": None}


class Case:
    """A victim among events of its subject, all good until it is spoiled."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.placed = candidate("placed", "Placed", 1)
        self.victim = candidate("victim", "Released", 4, migfactkey="f", sequence="5", data="{}")
        self.others: list[Row] = []

    def add_companion(self, id: str, **more: Any) -> None:
        self.others.append(self.victim | {"id": id} | more)

    def rows(self) -> list[Row]:
        # The victim's own time may have moved after its companions were made.
        subject_columns = {"subject": self.subject, "partitionkey": self.subject}
        rows = [*([self.placed] if self.placed else []), self.victim, *self.others]
        return [
            r
            | subject_columns
            | {"id": f"{self.subject}/{r['id']}", "migfactkey": f"{self.subject}/{r['migfactkey']}"}
            for r in rows
        ]


def foreign(case: Case) -> None:
    case.victim["migregion"] = "elsewhere"


def too_long(case: Case) -> None:
    case.subject += "é" * 31


def too_late(case: Case) -> None:
    case.victim |= {"side": "after", "time": at(2)}


def after_cut(case: Case) -> None:
    case.victim |= {"side": "after", "time": at(6)}


def in_overlap(case: Case) -> None:
    case.victim["side"] = "overlap"


def same_id(case: Case) -> None:
    case.add_companion("victim", sequence="1", side="before", migregion=None)


def native_twin(case: Case) -> None:
    case.add_companion("native", side="before", migregion=None, **_NATIVE)


def newer_version(case: Case) -> None:
    case.add_companion(
        "newer", side="before", migregion=None, migtranslatorver="1.10.0", sequence="6"
    )


def contradiction(case: Case) -> None:
    case.add_companion(
        "contra", side="before", migregion=None, source="urn:b", data='{"x":1}', migtranslator="B"
    )


def same_fact(case: Case) -> None:
    case.add_companion("better", side="before", migregion=None, sequence="2")


def native_near(case: Case) -> None:
    moment = case.victim["time"] + dt.timedelta(minutes=10)
    case.add_companion(
        "near", side="before", migregion=None, migfactkey="g", time=moment, **_NATIVE
    )


def nothing_first(case: Case) -> None:
    case.placed = {}


def late(case: Case) -> None:
    case.victim["side"] = "after"


SPOILED: dict[str, Callable[[Case], None]] = {
    "not-authoritative": foreign,
    "subject-too-long": too_long,
    "too-late": too_late,
    "after-cut": after_cut,
    "in-overlap": in_overlap,
    "duplicate-id": same_id,
    "native-preferred": native_twin,
    "superseded": newer_version,
    "undecided": contradiction,
    "duplicate-fact": same_fact,
    "native-collision": native_near,
    "held": nothing_first,
    "late-arrival": late,
}
RULE_OF_HELD = "Released-requires-Placed"


def pairs() -> Iterator[tuple[MergeRule, MergeRule, Case]]:
    for earlier, later in combinations(STEPS, 2):
        if frozenset((earlier.rule, later.rule)) not in NEVER_MEET:
            case = Case(f"{earlier.rule}+{later.rule}")
            # What moves the victim comes first, so that its companions are near it.
            for step in (earlier, later):
                SPOILED[step.rule](case)
            yield earlier, later, case


def only(step: MergeRule) -> MergePolicy:
    """The policy with every rule switched off but one."""
    names = [field.name for field in dataclasses.fields(MergePolicy)]
    rules: dict[str, Rule] = {
        name: dataclasses.replace(getattr(POLICY, name), enabled=name == step.declared_by)
        for name in names
    }
    return MergePolicy(**rules)  # type: ignore[arg-type]


def name_of(step: MergeRule) -> str:
    return RULE_OF_HELD if step.rule == "held" else step.rule


def test_every_rule_has_its_way_to_spoil_an_event() -> None:
    assert list(SPOILED) == [step.rule for step in STEPS]


def test_of_every_two_rules_that_apply_the_earlier_wins(spark: SparkSession) -> None:
    rows: list[Row] = []
    expected: dict[str, str] = {}
    for earlier, later, case in pairs():
        case_rows = case.rows()
        victim = next(i for i, r in enumerate(case_rows) if r["id"].endswith("/victim"))
        for step in (earlier, later):
            alone = judge(case_rows, SHOP, only(step))[victim].end()[0]
            assert alone == name_of(step), f"{step.rule} does not apply in {case.subject}"
        assert judge(case_rows, SHOP, POLICY)[victim].end()[0] == name_of(earlier), case.subject
        expected[case.subject] = name_of(earlier)
        # The companions of a duplicate id have the victim's id: it is told by its sequence.
        rows += case_rows
    assert len(expected) == 13 * 12 // 2 - len(NEVER_MEET)
    victims = with_verdicts(frame(spark, rows), SHOP, POLICY).where(
        "id like '%/victim' and sequence = '5'"
    )
    assert {r["subject"]: r["rule"] for r in victims.collect()} == expected


def test_the_page_shows_the_precedence_as_it_is() -> None:
    page = (DOCS / "merging.md").read_text()
    shown = [
        tuple(cell.strip(" `") for cell in line.strip("|").split("|"))[1:5]
        for line in page.splitlines()
        if line.startswith("| ") and line.split("|")[1].strip().isdigit()
    ]
    assert shown == [(s.rule, s.declared_by or "", s.verdict, s.reason) for s in PRECEDENCE]
