"""Nested lines, columns that ask for a value, and subjects that end: literal timelines."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field
from pyspark.sql import DataFrame, SparkSession

from cutline.context import (
    Aggregate,
    Event,
    StateColumn,
    count,
    distinct,
    first,
    fold,
    last_of_types,
    latest,
    lines,
    total,
)
from cutline.engine.project import (
    accepted_facts,
    ended_subjects,
    facts_table,
    project,
    state_errors,
    state_table,
)
from cutline.errors import ConfigurationError, RunFailed
from cutline.masking import MASK, Masking
from cutline.tables import TOMBSTONES


class Added(Event):
    """A line was added."""

    identified_by: ClassVar[tuple[str, ...]] = ("line",)
    line: int
    sku: str
    price: Decimal = Field(max_digits=8, decimal_places=2)


class Picked(Event):
    """Pieces were picked."""

    line: int | None
    pieces: int
    how: Literal["hand", "robot"]
    urgent: bool = Field(description="whether it could not wait")


class Removed(Event):
    """A line was removed."""

    line: int


class Closed(Event):
    """The order is over."""


def order(state: dict[str, StateColumn] | None = None, **more: Any) -> Aggregate:
    return Aggregate(
        name="order",
        doc="An order.",
        events=(Added, Picked, Removed, Closed),
        state=state or {},
        ended_by=more.pop("ended_by", (Closed,)),
        **more,
    )


ORDER = order(
    {
        "lines": lines(
            "line",
            {
                "sku": latest("sku", Added),
                "first_price": first("price", Added),
                "picked": total("pieces", [Picked]),
                "picks": count(Picked),
                "hows": distinct("how", Picked),
                "status": last_of_types({Added: "open", Picked: "picked"}),
            },
            removed_by=[Removed],
        ),
        "by_hand": total("pieces", [Picked], where={"how": "hand"}),
        "urgent_by_robot": count(Picked, where={"how": ["robot"], "urgent": True}),
        "last_of_line_2": latest("pieces", Picked, where={"line": 2}),
        "any_way": distinct("line", Picked, where={"how": ["hand", "robot"]}),
    }
)
TypedPayload = tuple[type[Event], dict[str, Any]]


def added(line: int, sku: str, price: str = "1.00") -> TypedPayload:
    return Added, {"line": line, "sku": sku, "price": price}


def picked(line: int | None, pieces: int, how: str = "hand", urgent: bool = False) -> TypedPayload:
    return Picked, {"line": line, "pieces": pieces, "how": how, "urgent": urgent}


def timeline(spark: SparkSession, histories: dict[str, list[TypedPayload]]) -> DataFrame:
    rows = [
        (
            "order",
            subject,
            i + 1,
            f"{subject}-{i + 1}",
            event.event_type(),
            _hour(i),
            json.dumps(data),
        )
        for subject, history in histories.items()
        for i, (event, data) in enumerate(history)
    ]
    ddl = (
        "aggregate string, subject string, ordinal int, id string, type string, time timestamp, "
        "data string"
    )
    # In no order at all: the ordinal tells.
    return spark.createDataFrame(rows[::-1], ddl).repartition(3)


def _hour(i: int) -> dt.datetime:
    return dt.datetime(2026, 1, 1, i, tzinfo=dt.UTC)


def test_lines_are_sorted_by_key_and_removed_ones_are_gone(spark: SparkSession) -> None:
    histories = {
        "two-lines": [
            added(10, "ten"),
            added(2, "two", "0.10"),
            picked(2, 3),
            picked(2, 4, "robot", True),
            added(2, "other", "0.20"),
            picked(None, 1),
        ],
        "removed": [added(1, "a"), picked(1, 5), (Removed, {"line": 1})],
        "back-again": [added(1, "a"), (Removed, {"line": 1}), added(1, "b", "2.00")],
        "no-lines": [picked(None, 7, "robot")],
    }
    frame = project(timeline(spark, histories), ORDER)
    assert {f.name: f.dataType.simpleString() for f in frame.schema.fields} == {
        c.name: c.type for c in state_table(ORDER).columns
    }
    states = {r["subject"]: r.asDict(recursive=True) for r in frame.collect()}
    names = ("line", "sku", "first_price", "picked", "picks", "hows", "status")
    lines_of = {s: [tuple(one[n] for n in names) for one in r["lines"]] for s, r in states.items()}
    assert lines_of == {
        "two-lines": [
            (2, "other", Decimal("0.10"), 7, 2, ["hand", "robot"], "open"),
            (10, "ten", Decimal("1.00"), 0, 0, [], "open"),
        ],
        "removed": [],
        "back-again": [(1, "b", Decimal("1.00"), 0, 0, [], "open")],
        "no-lines": [],
    }
    columns = ("by_hand", "urgent_by_robot", "last_of_line_2", "any_way", "events")
    assert {s: tuple(r[n] for n in columns) for s, r in states.items()} == {
        "two-lines": (4, 1, 4, [2], 6),
        "removed": (5, 0, None, [1], 3),
        "back-again": (0, 0, None, [], 3),
        "no-lines": (0, 0, None, [], 1),
    }


def test_columns_may_have_any_name_and_fields_that_differ_in_case_only(spark: SparkSession) -> None:
    class Weighed(Event):
        """The order was weighed."""

        Pieces: str

    state = {
        "ends": latest("sku", Added),
        "has_lines": count(Picked),
        "has_longest": count(Weighed),
        "lines": lines("line", {"sku": latest("sku", Added)}),
        "longest": fold(0, _longest, Added, Picked, type="bigint"),
        "pieces": latest("pieces", Picked),
        "weighed": latest("Pieces", Weighed),
    }
    aggregate = Aggregate("order", "", (Added, Picked, Weighed, Closed), state, ended_by=(Closed,))
    history = [added(1, "A-1"), picked(1, 3), (Weighed, {"Pieces": "heavy"})]
    closed: list[TypedPayload] = [added(1, "A-1"), (Closed, {})]
    rows = timeline(spark, {"o": history, "closed": closed})
    frame = project(rows, aggregate)
    (row,) = frame.collect()
    assert frame.columns == list(state_table(aggregate).names)
    assert {name: row[name] for name in state} == {
        "ends": "A-1",
        "has_lines": 1,
        "has_longest": 1,
        "lines": [(1, "A-1")],
        "longest": 3,
        "pieces": 3,
        "weighed": "heavy",
    }


def test_a_subject_whose_last_event_ends_it_has_a_tombstone_and_no_state(
    spark: SparkSession,
) -> None:
    events = timeline(
        spark,
        {
            "over": [added(1, "a"), (Closed, {})],
            "reopened": [(Closed, {}), added(1, "a")],
            "open": [added(1, "a")],
        },
    )
    assert {r["subject"] for r in project(events, ORDER).collect()} == {"reopened", "open"}
    tombstones = ended_subjects(events, ORDER)
    assert tombstones.columns == list(TOMBSTONES.names)
    assert [(r["subject"], r["event_id"], r["type"]) for r in tombstones.collect()] == [
        ("over", "over-2", "Closed")
    ]
    endless = order(ended_by=())
    assert {r["subject"] for r in project(events, endless).collect()} == {
        "over",
        "reopened",
        "open",
    }


def test_facts_are_the_timeline_without_its_lineage(spark: SparkSession) -> None:
    ddl = ", ".join(f"`{c.name}` {c.type}" for c in facts_table(ORDER).columns)
    late = {"id": "c", "type": "Added", "subject": "s", "corrects": "a", "migorigin": "corrective"}
    rows = [
        (*(late.get(n) for n in facts_table(ORDER).names), name, 1) for name in ("order", "stock")
    ]
    timeline_rows = spark.createDataFrame(rows, f"{ddl}, aggregate string, ordinal int")
    [row] = accepted_facts(timeline_rows, ORDER).collect()
    assert (row["id"], row["corrects"], row["migorigin"]) == ("c", "a", "corrective")


def _longest(so_far: int, event: Event) -> int:
    """The most pieces that were picked without a break."""
    return max(so_far, event.pieces) if isinstance(event, Picked) else so_far


def _run_of_hands(so_far: int | None, event: Event) -> int | None:
    """How many picks by hand came last, one after the other; null after one by a robot."""
    if isinstance(event, Picked) and event.how == "robot":
        return None
    return (so_far or 0) + 1


def test_python_folds_what_no_column_can_say_in_the_timelines_order(spark: SparkSession) -> None:
    slow = order(
        {
            "most": fold(0, _longest, Added, Picked, type="bigint"),
            "hands": fold(0, _run_of_hands, Picked, type="bigint"),
            "picks": count(Picked),
            "lines": lines("line", {"sku": latest("sku", Added)}),
        }
    )
    histories = {
        "some": [added(1, "a"), picked(1, 3), picked(1, 9, "robot"), picked(1, 4), picked(1, 5)],
        "robot": [picked(1, 2), picked(1, 1, "robot")],
        "none": [added(1, "a")],
    }
    frame = project(timeline(spark, histories), slow)
    folds_by_order = {r["subject"]: (r["most"], r["hands"], r["picks"]) for r in frame.collect()}
    assert folds_by_order == {"some": (9, 2, 4), "robot": (2, None, 2), "none": (0, 0, 0)}
    assert slow.folded() == ("most", "hands")
    assert {c.name: c.type for c in state_table(slow).columns}["most"] == "bigint"


def _raising(_: int, event: Event) -> int:
    """A defect."""
    raise KeyError(event)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (
            fold(0, _raising, Picked, type="bigint"),
            "its fold raises KeyError at an event Picked",
        ),
        *(
            (
                fold(None, lambda _so_far, _event, value=value: value, Added, Picked, type=kind),
                f"what its fold gives after an event Picked is no {kind}: {why}",
            )
            for kind, value, why in (
                ("bigint", 1.5, "it is of float"),
                ("bigint", True, "it is of bool"),
                ("bigint", 2**63, "it has more than 64 bits"),
                ("decimal(4,2)", Decimal("1.005"), "it has more than 2 decimal places"),
                ("decimal(4,2)", 100, "it has more than 4 digits"),
                ("string", 7, "it is of int"),
            )
        ),
        (total("pieces", [Picked]), "its total has more digits than a bigint holds"),
    ],
)
def test_a_column_that_cannot_be_computed_is_named_with_its_subject(
    spark: SparkSession, column: StateColumn, says: str
) -> None:
    histories = {"o-1": [added(1, "a"), picked(1, 2**63 - 1), picked(1, 1)]}
    frame = project(timeline(spark, histories), order({"most": column}))
    of_persons = frozenset({"order"})
    for subjects, subject in ((frozenset[str](), "o-1"), (of_persons, MASK)):
        with (
            pytest.raises(RunFailed) as raised,
            state_errors(Masking(frozenset(), {}, subjects)),
        ):
            frame.collect()
        assert raised.value.what == (
            f"state column most of aggregate order cannot be computed for subject {subject}: {says}"
        )


def test_totals_and_folds_are_exact_up_to_the_ends_of_their_types(spark: SparkSession) -> None:
    largest, forever = 2**63 - 1, dt.datetime(9999, 12, 31, tzinfo=dt.UTC)
    columns = {
        "pieces": total("pieces", [Picked]),
        "lines": lines("line", {"pieces": total("pieces", [Picked])}),
        "day": fold(None, lambda _, _event: dt.date(1, 1, 1), Picked, type="date"),
        "until": fold(None, lambda _, _event: forever, Picked, type="timestamp"),
        "worth": fold(0, lambda so_far, _: so_far + Decimal("0.5"), Picked, type="decimal(5,2)"),
    }
    more_on_the_way = [picked(1, largest), picked(1, 1), picked(1, -1), picked(2, -largest)]
    histories = {"o": more_on_the_way, "least": [picked(1, -(2**63))]}
    frame = project(timeline(spark, histories), order(columns))
    shown = frame.select("subject", "pieces", "lines.pieces", "day", "worth", "until")
    as_text = shown.selectExpr("*", "cast(until AS string) AS until_text").drop("until")
    assert sorted(tuple(row) for row in as_text.collect()) == [
        ("least", -(2**63), [-(2**63)], dt.date(1, 1, 1), Decimal("0.50"), "9999-12-31 00:00:00"),
        ("o", 0, [largest, -largest], dt.date(1, 1, 1), Decimal("2.00"), "9999-12-31 00:00:00"),
    ]


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        (
            lambda: order({"x": latest("pieces", Picked, where={"how": "hnad"})}),
            "asks Picked.how for 'hnad', which it never is. Did you mean 'hand'",
        ),
        (lambda: order({"x": count(Picked, where={"hwo": "hand"})}), "Did you mean 'how'"),
        (lambda: order({"x": count(Picked, where={"pieces": "1"})}), "for '1', but it is a bigint"),
        (lambda: order({"x": count(Picked, where={"urgent": 1})}), "for 1, but it is a boolean"),
        (lambda: order({"x": lines("lin", {"y": count(Picked)})}), "Did you mean 'line'"),
        (lambda: order({"x": lines([], {"y": count(Picked)})}), "the lines of x have no key"),
        (
            lambda: order({"x": lines("line", {"y": latest("pices", Picked)})}),
            "Picked.pices, but Picked has no such field. Did you mean 'pieces'",
        ),
        (
            lambda: order({"x": lines("line", {"y": lines("line", {"z": count(Picked)})})}),
            "column y of the lines of x nests again",
        ),
        (
            lambda: order({"x": lines("line", {"line": count(Picked)})}),
            "column line of the lines of x is the key",
        ),
        (
            lambda: order({"x": lines("line", {"a b": count(Picked)})}),
            "a column of the lines of x cannot be called 'a b': it is no name",
        ),
        (
            lambda: order({"x": lines("line", {"Line": count(Picked)})}),
            "a column of the lines of x cannot be called 'Line': the key is 'line'",
        ),
        (
            lambda: order({"x": lines("line", {"y": count(Picked), "Y": count(Added)})}),
            "cannot be called 'Y': 'y' differs in upper and lower case only",
        ),
        (
            lambda: order({"x": fold(0, _longest, Picked, type="bigin")}),
            "state column x folds to a bigin. Did you mean 'bigint'",
        ),
        (
            lambda: order({"x": fold(0.5, _longest, Picked, type="bigint")}),
            "state column x folds to a bigint, and begins with 0.5: it is of float",
        ),
        (
            lambda: order({"x": fold(10**38, _longest, Picked, type="decimal(38,0)")}),
            "it has more than 38 digits",
        ),
        (
            lambda: order({"x": lines("line", {"y": fold(0, _longest, Picked, type="bigint")})}),
            "column y of the lines of x nests again, or is a fold",
        ),
        (
            lambda: Aggregate("order", "", (Added,), {}, ended_by=(Closed,)),
            "it is ended by Closed, which is not one of its events",
        ),
    ],
)
def test_what_cannot_be_projected_is_refused(declared: Any, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        declared()
