"""Formats whose order is that of a topic: what comes again counts once, what contradicts is held."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Part(SourceContract):
    """One part."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    price: T.StringType = column(doc="its price")

    class Config:
        metadata = table("shop", "parts", key=["id"])


def canal(price, day, old=None, number=1, **more):
    record = {"data": [{"id": str(number), "price": price}], "database": "shop", "table": "parts"}
    record |= {"type": "INSERT" if old is None else "UPDATE", "es": day * 86_400_000}
    return json.dumps(record | {"old": None if old is None else [{"price": old}]} | more)


def maxwell(price, second, old=None, **more):
    record = {"type": "insert" if old is None else "update", "database": "shop", "table": "parts"}
    record |= {"ts": second, "data": {"id": 1, "price": price}}
    return json.dumps(record | ({} if old is None else {"old": {"price": old}}) | more)


def dms(price, second, **more):
    record = {
        "record-type": "data",
        "operation": "update",
        "schema-name": "s",
        "table-name": "parts",
    }
    record |= {"commit-timestamp": f"2026-09-01T10:00:{second:02d}Z"} | more
    return json.dumps({"data": {"id": 1, "price": price}, "metadata": record})


def rows_of(spark, extracted):
    frame = extracted.lake.read(spark, "changes_shop_parts")
    return frame.orderBy("position", "partition", "offset").collect()


def deliveries_of(spark, folder, files, kind="canal", **section):
    """Of each delivery in the order of times: price, whether it is another's place, its defects."""
    for name, lines in files.items():
        write(folder / "in" / name, "\n".join(lines))
    changes = {"kind": kind, "path": "in/*", "snapshot": {"policy": "in-log"}} | section
    sources = {"shop": {"kind": "log", "tables": {"parts": {}}, "changes": changes}}
    extracted = Extract(folder, sources, (Part,)).run(spark)
    rows = rows_of(spark, extracted)
    places = [row["position"] for row in rows]
    again = [place in places[:at] for at, place in enumerate(places)]
    deliveries = [
        (row["after"]["price"] if row["after"] else None, twice, row["defects"])
        for row, twice in zip(rows, again, strict=True)
    ]
    return deliveries, extracted.result.stored()["facts"]["logs"]["shop"]


FIRST, SECOND, THIRD = canal("1", 1), canal("2", 2, "1"), canal("3", 3, "2")
RAISED, LOWERED = canal("2", 5, "1"), canal("1", 5, "2")
OUT_OF_ORDER = ["out-of-order"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([FIRST, SECOND, THIRD], ["1", "2", "3"]),
        ([FIRST, SECOND, THIRD, SECOND, THIRD], ["1", "2", "2 again", "3", "3 again"]),
        ([FIRST, FIRST, SECOND, SECOND, SECOND], ["1", "1 again", "2", "2 again", "2 again"]),
        (
            [FIRST, SECOND, THIRD, FIRST, SECOND, THIRD],
            ["1", "1 again", "2", "2 again", "3", "3 again"],
        ),
        # There and back, and there again, within one second: all three happened.
        ([FIRST, RAISED, LOWERED, RAISED], ["1", "2", "1", "2"]),
        # Delivered again within one second, seen by where the row stood.
        (
            [FIRST, RAISED, canal("3", 5, "2"), RAISED, canal("3", 5, "2")],
            ["1", "2", "2 again", "3", "3 again"],
        ),
        # Another change of before what came already is no repeated delivery.
        ([FIRST, THIRD, canal("9", 2, "1")], ["1", "3", "9 held"]),
        ([FIRST, THIRD, canal("9", 2, "1"), THIRD], ["1", "3", "3 again", "9 held"]),
        ([FIRST, canal("7", 1, number=2), SECOND], ["1", "7", "2"]),
    ],
)
def test_canal_tells_what_comes_again_by_its_images(spark, tmp_path, lines, expected):
    deliveries, log = deliveries_of(spark, tmp_path, {"a.json": lines})
    shown = [
        f"{price}{' again' if twice else ''}{' held' if defects == OUT_OF_ORDER else ''}"
        for price, twice, defects in deliveries
    ]
    assert shown == expected
    assert log["tables"]["parts"]["again"] == sum("again" in one for one in expected)
    assert log["tables"]["parts"]["out_of_order"] == sum("held" in one for one in expected)
    assert (log["stray"] is not None) == any("held" in one for one in expected)


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_files_follow_one_another_by_their_times_and_not_by_their_names(spark, tmp_path, names):
    early, late = names
    deliveries, _ = deliveries_of(
        spark, tmp_path, {early: [FIRST, SECOND], late: [THIRD, canal("4", 4, "3")]}
    )
    assert deliveries == [("1", False, []), ("2", False, []), ("3", False, []), ("4", False, [])]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_what_two_files_have_of_one_row_at_one_moment_is_held(spark, tmp_path, names):
    first, second = names
    deliveries, log = deliveries_of(
        spark, tmp_path, {first: [FIRST, RAISED], second: [canal("9", 5, "1")]}
    )
    assert [defects for _, _, defects in deliveries] == [[], [], OUT_OF_ORDER]
    assert log["tables"]["parts"]["out_of_order"] == 1


def test_a_file_that_holds_again_what_another_has_tells_nothing_new(spark, tmp_path):
    deliveries, _ = deliveries_of(
        spark, tmp_path, {"a": [FIRST, SECOND, THIRD], "b": [SECOND, THIRD]}
    )
    assert [(price, twice) for price, twice, _ in deliveries] == [
        ("1", False),
        ("2", False),
        ("2", True),
        ("3", False),
        ("3", True),
    ]


def _flip(make, tell):
    """There and back, and the same delivered again, all within one second."""
    lines = [make("1", 5, **tell(0)), make("2", 5, **tell(1)), make("1", 5, **tell(2))]
    return [*lines, *lines[1:]]


@pytest.mark.parametrize(
    ("kind", "lines", "section"),
    [
        ("maxwell", _flip(maxwell, lambda at: {"xid": 7, "xoffset": at}), {"complete": False}),
        ("maxwell", _flip(maxwell, lambda at: {"position": f"bin.01:{at}"}), {}),
        ("maxwell", _flip(maxwell, lambda at: {"position": f"bin.01:{at}"}), {"log": "mysql"}),
        ("dms", _flip(dms, lambda at: {"transaction-id": 7, "transaction-record-id": at}), {}),
    ],
)
def test_the_place_that_a_record_tells_settles_it(spark, tmp_path, kind, lines, section):
    deliveries, _ = deliveries_of(spark, tmp_path, {"a": lines}, kind=kind, **section)
    assert [(price, twice) for price, twice, _ in deliveries] == [
        ("1", False),
        ("2", False),
        ("2", True),
        ("1", False),
        ("1", True),
    ]


@pytest.mark.parametrize("log", ["kafka", "mysql"])
def test_rows_of_one_event_of_the_binary_log_are_several_changes(spark, tmp_path, log):
    numbers = ({"xoffset": 0}, {"xoffset": 1}, {"commit": True})
    there_and_back = [
        maxwell(price, 5, old, xid=2, position="bin.01:20", **number)
        for price, old, number in zip("212", "121", numbers, strict=True)
    ]
    first = maxwell("1", 0, xid=1, commit=True, position="bin.01:10")
    lines = [first, *there_and_back, first, *there_and_back]
    deliveries, _ = deliveries_of(spark, tmp_path, {"a": lines}, kind="maxwell", log=log)
    assert [(price, twice) for price, twice, _ in deliveries] == [
        (price, twice) for price in "1212" for twice in (False, True)
    ]


DAY = 86_400


@pytest.mark.parametrize(
    ("kind", "lines", "groups", "section"),
    [
        # The id is that of the transaction before, and the commit is another.
        (
            "dms",
            [
                dms("1", 1, **{"transaction-id": 1, "commit-timestamp": "2026-09-01T10:00:01Z"}),
                dms("2", 1, **{"transaction-id": 1, "commit-timestamp": "2026-09-01T10:00:01Z"}),
                dms("3", 1, **{"transaction-id": 1, "commit-timestamp": "2026-09-02T10:00:01Z"}),
            ],
            [0, 0, 1],
            {},
        ),
        # A server that starts anew counts from the beginning. Statements of one transaction
        # have times of their own, none of which is behind the last row's.
        (
            "maxwell",
            [
                maxwell("1", 1, xid=7, xoffset=0),
                maxwell("2", 4, xid=7, commit=True),
                maxwell("3", DAY, xid=7, xoffset=0),
                maxwell("4", DAY + 5, xid=7, commit=True),
                maxwell("5", DAY + 9, xid=8, commit=True),
            ],
            [0, 0, 1, 1, 2],
            {},
        ),
        (
            "maxwell",
            [maxwell("1", 1, xid=7, xoffset=0), maxwell("2", 9, xid=7, commit=True)],
            [0, 0],
            {},
        ),
        # The last row of the third transaction, and that of the last, are of another table.
        (
            "maxwell",
            [
                maxwell("1", 1, xid=7, xoffset=0),
                maxwell("2", 4, xid=7, commit=True),
                maxwell("3", DAY, xid=7, commit=True),
                maxwell("4", 2 * DAY, xid=8, xoffset=0),
                maxwell("5", 3 * DAY, xid=7, xoffset=3),
            ],
            [0, 0, 1, 2, 3],
            {"complete": False},
        ),
    ],
)
def test_an_id_that_begins_again_is_another_transaction(
    spark, tmp_path, kind, lines, groups, section
):
    write(tmp_path / "in.json", "\n".join(lines))
    changes = {"kind": kind, "path": "in.json", "snapshot": {"policy": "in-log"}} | section
    sources = {"shop": {"kind": "log", "tables": {"parts": {}}, "changes": changes}}
    rows = rows_of(spark, Extract(tmp_path, sources, (Part,)).run(spark))
    ids = list(dict.fromkeys(row["transaction"] for row in rows))
    assert [ids.index(row["transaction"]) for row in rows] == groups
    assert [row["defects"] for row in rows] == [[]] * len(rows)
