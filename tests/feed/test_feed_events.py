"""What live events make of the rows of a version: one story in three rounds, told once, of which each
test looks at the orders of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from cutline.feed import CycleDone
from cutline.readmodels import AsideDecision
from cutline.workspace import Workspace
from support.fed import (
    FedDesk,
    candidate_of,
    epoch,
    event,
    historic,
    of_region,
    ordered,
    paid,
    withdrawn,
)

HISTORY = [
    *(historic(ordered(name, 1, name)) for name in ("plain-1", "plain-2", "plain-3")),
    *(
        historic(ordered(name, 1, name))
        for name in ("twice", "ended", "back", "poison", "stranger")
    ),
    *(historic(ordered(name, 1, name)) for name in ("value", "later")),
    historic(paid("p", 2, "twice", 9)),
    historic(paid("h", 2, "held", 5)),
    # Live events that the run read: the second is of after the cut.
    candidate_of(paid("e1", 2, "later", 5)),
    candidate_of(paid("e2", 8, "later", 30), side="after"),
]
READ_BY_RUN = [
    paid("e1", 2, "later", 5),
    event("e9", "Paid", 2, "later"),
    paid("e2", 8, "later", 30),
]
ANOTHER_DESK = {"ce_source": "urn:another-desk"}


def told_elsewhere(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"headers": record["headers"] | ANOTHER_DESK}


FIRST = [
    *(paid("a1", 8, "plain-1", 30), paid("a2", 9, "plain-1", 20), withdrawn("a3", 8, "plain-2")),
    *(ordered("a4", 8, "plain-4", 700), of_region("us-east", ordered("a6", 8, "plain-5"))),
    # Its fact, and its id, are those of history.
    ordered("b1", 8, "twice", 999),
    event("h-p", "Paid", 9, "twice", payment="q", amount=5),
    *(withdrawn("c1", 9, "ended"), paid("c2", 8, "first", 4)),
    *(paid("d1", 8, "back", 5, payment="p"), ordered("d2", 8, "back-2")),
    *(epoch(ordered("f1", 8, "epoch"), 7), epoch(paid("f2", 9, "epoch"), 6)),
    *(epoch(paid("f3", 9, "epoch", 10), 8), paid("f4", 9, "epoch", 100)),
    *(paid("g1", 8, "poison"), event("g2", "Paid", 8, "poison", payment="p")),
    *(event("g3", "Refunded", 8, "stranger"), "no record\n", paid("g4", 9, "poison", 10)),
    event("v1", "Noted", 8, "value", note="a\0b"),
    paid("l3", 9, "later", 700),
]
SECOND = [
    *(paid("b2", 9, "twice", 3), paid("b2", 9, "twice", 3), paid("b3", 9, "twice", 70)),
    paid("b3", 10, "twice", 1, payment="other words"),
    # Of before its end, and what a payment and history waited for.
    *(paid("c3", 8, "ended"), ordered("c4", 7, "first"), ordered("c5", 1, "held", 50)),
    told_elsewhere(paid("d3", 8, "back", 6, payment="p")),
    told_elsewhere(ordered("d4", 8, "back-2", 7)),
    paid("g5", 10, "poison", 100),
]
THIRD = [paid("b2", 9, "twice", 3), paid("c6", 11, "ended", 2)]


@dataclass
class Story:
    """What the view showed after each round, what each came to, and what was put aside."""

    desk: FedDesk
    shown: list[dict[str, tuple[Any, ...]]]
    done: list[CycleDone]
    aside: list[list[tuple[Any, ...]]]

    def of(self, order: str) -> list[tuple[Any, ...] | None]:
        """What the view showed of an order, from the beginning on."""
        return [shown.get(order) for shown in self.shown]


@pytest.fixture(scope="module")
def story(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Story:
    desk = FedDesk(spark, tmp_path_factory.mktemp("desk"), HISTORY)
    desk.append_records(*READ_BY_RUN)
    desk.run_read_everything()
    story = Story(desk, [desk.shown()], [], [])

    def round(*records: Any) -> None:
        desk.append_records(*records)
        story.done.append(desk.feed())
        story.shown.append(desk.shown())
        story.aside.append(desk.aside())

    desk.append_records(
        paid("a5", 9, "plain-4", 7), epoch(ordered("f5", 8, "epoch-2"), 6), partition=1
    )
    round(*FIRST)
    model = desk.model()
    assert model.decide_aside("older-epoch", AsideDecision("admitted", "kim", "in time")) == 1
    # It is no better when it is read again.
    assert model.decide_aside("invalid-native-payload", AsideDecision("admitted", "kim")) == 1
    round(*SECOND)
    assert model.decide_aside("waits-behind-exception", AsideDecision("discarded", "kim")) == 0
    poison = next(r for r in model.aside_records(1, 10) if r.rule == "invalid-native-payload")
    record = "/".join(map(str, poison.place))
    assert model.decide_aside(record, AsideDecision("discarded", "kim", "no amount")) == 1
    round(*THIRD)
    return story


def test_rows_are_changed_added_and_ended(story: Story) -> None:
    assert (
        story.shown[1]
        | {
            "plain-1": ("paid", 100, 50, 3),
            "plain-3": ("open", 100, 0, 1),
            "plain-4": ("paid", 700, 7, 2),
        }
        == story.shown[1]
    )
    assert not {"plain-2", "plain-5"} & set(story.shown[1])
    ids = story.desk.event_ids()
    assert [ids[f"plain-{n}"] for n in (1, 2, 3, 4)] == ["a2", "a3", None, "a5"]
    assert story.desk.model().verify(story.desk.version) == ()


def test_what_history_holds_or_came_before_changes_nothing(story: Story) -> None:
    before = ("paid", 100, 9, 2)
    assert story.of("twice") == [before, before, *[("paid", 100, 82, 4)] * 2]


def test_events_have_their_places_and_wait_for_what_must_come_first(story: Story) -> None:
    assert story.of("first") == [None, None, *[("paid", 100, 4, 2)] * 2]
    assert story.of("held") == [None, None, *[("paid", 50, 5, 2)] * 2]
    assert story.of("ended") == [("open", 100, 0, 1), None, None, ("paid", 100, 3, 4)]


def test_an_event_that_is_taken_back_leaves_the_row_as_history_has_it(story: Story) -> None:
    """Of a fact that two producers tell in two ways nobody can say which is right."""
    before = ("open", 100, 0, 1)
    assert story.of("back") == [before, ("paid", 100, 5, 2), before, before]
    assert story.of("back-2") == [None, before, None, None]
    ids = story.desk.event_ids()
    assert (ids["back"], ids["back-2"]) == ("d3", "d4")


def test_an_older_epoch_is_put_aside_until_it_is_admitted(story: Story) -> None:
    assert story.of("epoch") == [None, ("paid", 100, 100, 2), *[("paid", 100, 101, 3)] * 2]
    assert story.shown[1]["epoch-2"] == ("open", 100, 0, 1), "partitions are held apart"
    of_epochs = [[row[0] for row in aside if row[1] == "epoch"] for aside in story.aside]
    assert of_epochs == [["older-epoch", "unissued-epoch"], *[["unissued-epoch"]] * 2]


def test_what_cannot_be_read_holds_its_subject_alone(story: Story) -> None:
    paid_once = ("paid", 100, 1, 2)
    assert story.of("poison")[1:] == [paid_once, paid_once, ("paid", 100, 111, 4)]
    assert {(rule, subject) for rule, subject, _ in story.aside[0]} >= {
        ("invalid-native-payload", "poison"),
        ("waits-behind-exception", "poison"),
        ("unknown-event-type", "stranger"),
        ("unreadable-native-event", None),
    }
    assert [(rule, made) for rule, subject, made in story.aside[2] if subject == "poison"] == [
        ("invalid-native-payload", "discarded")
    ]


def test_a_value_that_no_database_keeps_holds_its_subject(story: Story) -> None:
    assert story.of("value") == [("open", 100, 0, 1)] * 4
    assert ("value-no-database-keeps", "value", None) in story.aside[2]


def test_what_the_run_left_for_later_is_applied(story: Story) -> None:
    """It is in no timeline, so the topic is read from where the run began; what the run could not
    read is among its own exceptions."""
    assert story.of("later") == [("paid", 100, 5, 2), *[("paid", 100, 735, 4)] * 3]
    assert not [row for row in story.aside[0] if row[1] == "later"]
    assert story.done[0].records == len(READ_BY_RUN) + len(FIRST) + 2


def test_a_process_that_only_feeds_starts_spark_itself(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column can be made only where a session is: no other command started one."""
    desk = FedDesk(spark, tmp_path, [historic(ordered("value", 1))])
    desk.append_records(paid("e1", 2))
    desk.run_read_everything()
    desk.append_records(paid("e2", 8))
    context, started = SparkContext._active_spark_context, Workspace.spark.fget

    def start(workspace: Workspace) -> SparkSession:
        monkeypatch.setattr(SparkContext, "_active_spark_context", context)
        return started(workspace)

    monkeypatch.setattr(Workspace, "spark", property(start))
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    assert desk.feed().events == 1
