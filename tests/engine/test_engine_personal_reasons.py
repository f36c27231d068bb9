"""The reason of a row's end or finding, which everybody may read, says no personal value."""

from __future__ import annotations

from typing import Any

import pyspark.sql.types as T
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event
from cutline.engine.translate import translate_changes
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    lifecycle,
    table,
)
from support.changes import change, changes_table, position, snapshot


class Enrolled(Event):
    """Somebody has enrolled."""


class Subscribed(Event):
    """They pay for something."""


MEMBER = Aggregate(name="member", doc="A member.", events=(Enrolled, Subscribed), state={})
CLUB = Context(name="club", doc="A club.", aggregates=(MEMBER,))


class MemberRow(SourceContract):
    """A member."""

    no: T.StringType = column(doc="its number", nullable=False)
    faith: T.StringType = column(doc="what they believe", classifies=True, personal=True)
    plan: T.StringType = column(doc="what they pay for", classifies=True)
    health: T.StringType = column(doc="how they are", personal=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "crm",
            "members",
            key=["no"],
            lifecycle=lifecycle("health", start=["well"], follows={}, otherwise="reject"),
        )


class Members(Translator):
    """Members, of whom rules know one faith and one plan."""

    context, aggregate, version = CLUB, "member", "1.0.0"
    source, subject = MemberRow, "no"

    @fact(Enrolled)
    def enrolled(self, row: Any) -> Occurrence:
        return Occurrence(when=row.faith == "none", time_basis=COMMIT)

    @fact(Subscribed)
    def subscribed(self, row: Any) -> Occurrence:
        return Occurrence(when=row.plan == "gold", time_basis=COMMIT)


def reasons(spark: SparkSession, *rows: dict[str, Any]) -> list[str | None]:
    """The reason of each row, in their order."""
    changes = changes_table(spark, MemberRow, rows, consistent_point=position(1))
    ends = translate_changes(Members, {MemberRow: changes})
    return [row["reason"] for row in ends.orderBy("position", "key").collect()]


def row(**values: str) -> dict[str, str]:
    return {"no": "1", "faith": "none", "plan": "gold", "health": "well"} | values


def test_a_value_without_a_meaning_is_named_unless_it_is_personal(spark: SparkSession) -> None:
    secret, plain = reasons(spark, snapshot(row(faith="SECRET")), snapshot(row(no="2", plan="X")))
    assert secret == "no rule says what faith means when it is a personal value"
    assert plain == "no rule says what plan means when it is X"


def test_a_move_that_a_lifecycle_forbids_names_no_personal_status(spark: SparkSession) -> None:
    created = change("c", 10, after=row())
    moved = change("u", 20, before=row(), after=row(health="SECRET"))
    _, reason = reasons(spark, created, moved)
    assert reason == (
        "health went from a personal value to a personal value, which its lifecycle does not allow"
    )
