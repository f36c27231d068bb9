"""What live events make of the rows of a version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.readmodels import AsideDecision
from support.fed import (
    REGION,
    TOPIC,
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


def test_rows_are_what_a_projection_of_everything_would_give(
    spark: SparkSession, tmp_path: Path
) -> None:
    history = [historic(ordered(n, 1, n, 100)) for n in ("o1", "o2", "o3")]
    desk = FedDesk(spark, tmp_path, history)
    desk.put(
        paid("e1", 8, "o1", 30),
        paid("e2", 9, "o1", 20),
        withdrawn("e3", 8, "o2"),
        ordered("e4", 8, "o4", 700),
    )
    desk.put(paid("e5", 9, "o4", 7), partition=1)
    done = desk.feed()
    assert (done.records, done.events, done.rows, done.ended, done.aside) == (5, 5, 2, 1, 0)
    assert desk.shown() == {
        "o1": ("paid", 100, 50, 3),
        "o3": ("open", 100, 0, 1),
        "o4": ("paid", 700, 7, 2),
    }
    assert desk.event_ids() == {"o1": "e2", "o2": "e3", "o3": None, "o4": "e5"}
    assert desk.model().verify(desk.version) == ()
    assert desk.feed().records == 0


def test_what_history_holds_or_came_before_changes_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    desk = FedDesk(spark, tmp_path, [historic(ordered("x", 1)), historic(paid("p", 2, amount=9))])
    before = desk.query(f'SELECT * FROM "order_{REGION}_v1"')
    other_words = ordered("e1", 8, cents=999)
    by_its_id = event("h-p", "Paid", 9, payment="q", amount=5)
    desk.put(other_words, by_its_id)
    assert (desk.feed().rows, desk.query(f'SELECT * FROM "order_{REGION}_v1"')) == (0, before)
    desk.put(paid("e2", 9, amount=3), paid("e2", 9, amount=3))
    desk.feed()
    desk.put(paid("e2", 9, amount=3), paid("e2", 10, amount=70, payment="other words"))
    assert desk.feed().events == 0
    assert desk.shown() == {"o1": ("paid", 100, 12, 3)}


def test_events_are_placed_by_their_times_and_wait_for_what_must_come_first(
    spark: SparkSession, tmp_path: Path
) -> None:
    held = historic(paid("h", 2, "o2", 5))
    desk = FedDesk(spark, tmp_path, [historic(ordered("x", 1)), held])
    desk.put(withdrawn("e1", 9, "o1"), paid("e2", 8, "o3", 4))
    desk.feed()
    assert desk.shown() == {}
    # Of before the end, of after it, and what the payments waited for.
    desk.put(paid("e3", 8, "o1", 1), ordered("e4", 7, "o3"), ordered("e5", 1, "o2", 50))
    desk.feed()
    assert desk.shown() == {"o2": ("paid", 50, 5, 2), "o3": ("paid", 100, 4, 2)}
    desk.put(ordered("e6", 10, "o1", 70))
    desk.feed()
    # One order has one fact of having been placed, which history holds.
    assert "o1" not in desk.shown()
    desk.put(paid("e7", 11, "o1", 2))
    desk.feed()
    assert desk.shown()["o1"] == ("paid", 100, 3, 4)
    assert desk.model().verify(desk.version) == ()


def test_an_event_that_is_taken_back_leaves_the_row_as_history_has_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Of a fact that two producers tell in two ways nobody can say which is right."""
    desk = FedDesk(spark, tmp_path, [historic(ordered("x", 1))])
    desk.put(paid("e1", 8, amount=5, payment="p"), ordered("e2", 8, "o2"))
    desk.feed()
    assert desk.shown() == {"o1": ("paid", 100, 5, 2), "o2": ("open", 100, 0, 1)}
    for record in (paid("e3", 8, amount=6, payment="p"), ordered("e4", 8, "o2", 7)):
        record["headers"]["ce_source"] = "urn:another-desk"
        desk.put(record)
    desk.feed()
    assert desk.shown() == {"o1": ("open", 100, 0, 1)}
    assert desk.event_ids() == {"o1": "e3", "o2": "e4"}
    assert desk.model().verify(desk.version) == ()


def test_an_older_epoch_is_put_aside_until_it_is_admitted(
    spark: SparkSession, tmp_path: Path
) -> None:
    desk = FedDesk(spark, tmp_path)
    desk.put(
        epoch(ordered("e1", 8), 7),
        epoch(paid("e2", 9), 6),
        epoch(paid("e3", 9, amount=10), 8),
        paid("e4", 9, amount=100),
    )
    desk.put(epoch(ordered("e5", 8, "o2"), 6), partition=1)
    done = desk.feed()
    assert (done.events, done.aside) == (3, 2)
    assert desk.shown() == {"o1": ("paid", 100, 100, 2), "o2": ("open", 100, 0, 1)}
    assert desk.aside() == [("older-epoch", "o1", None), ("unissued-epoch", "o1", None)]
    saying = AsideDecision("admitted", "kim", "written in time")
    assert desk.model().decide_aside("older-epoch", saying) == 1
    desk.feed()
    assert desk.shown()["o1"] == ("paid", 100, 101, 3)
    assert desk.aside() == [("unissued-epoch", "o1", None)]


def test_what_cannot_be_read_holds_its_subject_alone(spark: SparkSession, tmp_path: Path) -> None:
    desk = FedDesk(spark, tmp_path, [historic(ordered(n, 1, n)) for n in ("o1", "o2")])
    desk.put(
        paid("e1", 8),
        event("e2", "Paid", 8, "o1", payment="p"),
        event("e3", "Refunded", 8, "o2"),
        "no record\n",
        paid("e4", 9, amount=10),
        paid("e5", 9, "o3"),
        ordered("e6", 8, "o3"),
    )
    done = desk.feed()
    assert (done.records, done.events, done.aside) == (7, 3, 4)
    assert desk.shown()["o1"] == ("paid", 100, 1, 2)
    assert desk.shown()["o3"] == ("paid", 100, 1, 2)
    assert [(rule, subject) for rule, subject, _ in desk.aside()] == [
        ("invalid-native-payload", "o1"),
        ("unknown-event-type", "o2"),
        ("unreadable-native-event", None),
        ("waits-behind-exception", "o1"),
    ]
    desk.put(paid("e7", 10, amount=100))
    assert desk.feed().events == 0
    # It is no better when it is read again; then it is given up.
    model = desk.model()
    assert model.decide_aside("invalid-native-payload", AsideDecision("admitted", "kim")) == 1
    assert desk.feed().events == 0
    assert model.decide_aside("waits-behind-exception", AsideDecision("discarded", "kim")) == 0
    poison = next(r for r in model.aside_records(1, 10) if r.rule == "invalid-native-payload")
    record = "/".join(map(str, poison.place))
    assert model.decide_aside(record, AsideDecision("discarded", "kim", "no amount")) == 1
    desk.feed()
    assert desk.shown()["o1"] == ("paid", 100, 111, 4)
    assert [r.rule for r in model.aside_records(1, 10)] == [
        "unknown-event-type",
        "unreadable-native-event",
    ]


def test_a_value_that_no_database_keeps_holds_its_subject(
    spark: SparkSession, tmp_path: Path
) -> None:
    desk = FedDesk(spark, tmp_path, [historic(ordered("x", 1))])
    desk.put(event("e1", "Noted", 8, note="a\0b"), paid("e2", 9, "o2"), ordered("e3", 8, "o2"))
    desk.feed()
    assert desk.aside() == [("value-no-database-keeps", "o1", None)]
    assert desk.shown() == {"o1": ("open", 100, 0, 1), "o2": ("paid", 100, 1, 2)}


def test_a_version_begins_where_its_run_ended(spark: SparkSession, tmp_path: Path) -> None:
    desk = FedDesk(spark, tmp_path, [historic(ordered("x", 1))])
    # The run could not read it, and has it among its exceptions.
    desk.put(event("e1", "Paid", 2, "o1"))
    desk.run_read_everything()
    desk.put(paid("e2", 8, amount=3), of_region("us-east", ordered("e3", 8, "o9")))
    desk.put(event("e4", "Ordered", 8, "o5", cents=1) | {"key": None}, partition=1)
    done = desk.feed()
    assert (done.records, done.aside) == (3, 0)
    assert desk.shown() == {"o1": ("paid", 100, 3, 2), "o5": ("open", 1, 0, 1)}


def test_what_the_run_left_for_later_is_applied(spark: SparkSession, tmp_path: Path) -> None:
    """Live events of after the cut are in no timeline, though the run read them."""
    of_live = [
        candidate_of(paid("e1", 2, amount=5)),
        candidate_of(paid("e2", 8, amount=30), side="after"),
    ]
    desk = FedDesk(spark, tmp_path, [historic(ordered("x", 1)), *of_live])
    assert desk.shown() == {"o1": ("paid", 100, 5, 2)}
    desk.put(paid("e1", 2, amount=5), event("e9", "Paid", 2, "o1"), paid("e2", 8, amount=30))
    desk.run_read_everything()
    desk.put(paid("e3", 9, amount=700))
    assert desk.feed().aside == 0
    assert desk.shown() == {"o1": ("paid", 100, 735, 4)}


def test_a_topic_that_was_cut_off_or_made_anew_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    desk = FedDesk(spark, tmp_path)
    desk.put(ordered("e1", 8))
    desk.feed()
    (tmp_path / "topics" / TOPIC / "00000.jsonl").write_text("")
    with pytest.raises(RunFailed, match=f"topic {TOPIC}, partition 0 was made anew or cut off"):
        desk.feed()
    assert desk.shown() == {"o1": ("open", 100, 0, 1)}


def test_a_line_without_its_end_is_not_there_yet(spark: SparkSession, tmp_path: Path) -> None:
    desk = FedDesk(spark, tmp_path)
    whole = json.dumps(ordered("e1", 8)) + "\n"
    desk.put(whole[:50])
    assert desk.feed().records == 0
    desk.put(whole[50:])
    assert desk.feed().events == 1
