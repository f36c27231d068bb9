"""Where files of snapshot rows alone stand among change files that names do not order."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.sources.changes.file_times import FileTimes, order_of
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


def changes(first, last, table="w"):
    return {"commits": {table: (first, last)}, "reads": {}}


def snapshot(first, last, table="w"):
    return {"commits": {}, "reads": {table: (first, last)}}


UNDATED = {"commits": {}, "reads": {"w": None}}
EMPTY = {"commits": {}, "reads": {}}
LOAD_AND_CHANGES = {"commits": {"v": (40, 50)}, "reads": {"w": (10, 30)}}


@pytest.mark.parametrize(
    ("files", "order"),
    [
        # A load, and the changes that came while it ran and later.
        ([changes(20, 90), snapshot(10, 30)], [1, 0]),
        ([changes(10, 90), snapshot(10, 30)], [1, 0]),
        # A load in two files is one reading: the second shows what the first began with.
        ([changes(12, 14), changes(35, 50), snapshot(10, 12), snapshot(15, 30)], [2, 3, 0, 1]),
        # A table that was read again alone, behind all that was committed before.
        ([changes(1, 9), changes(20, 30), snapshot(10, 12)], [0, 2, 1]),
        ([snapshot(10, 12), changes(13, 14), snapshot(15, 16), changes(17, 18)], [0, 1, 2, 3]),
        ([changes(1, 9), snapshot(10, 12)], [0, 1]),
        # Changes of another table do not speak of these rows.
        ([changes(1, 90, "v"), snapshot(10, 12)], [1, 0]),
        ([changes(1, 9, "v"), changes(20, 90, "v"), snapshot(15, 16), UNDATED], [3, 0, 2, 1]),
        ([changes(20, 30), LOAD_AND_CHANGES], [1, 0]),
        ([EMPTY, changes(5, 6), EMPTY, changes(1, 2)], [3, 1, 0, 2]),
        ([UNDATED, EMPTY, UNDATED], [0, 2, 1]),
    ],
)
def test_files_of_snapshot_rows_stand_where_their_reading_began(files, order):
    by_time = order_of([FileTimes(number, **file) for number, file in enumerate(files)])
    assert (list(by_time.numbers), by_time.undecided) == (order, None)


@pytest.mark.parametrize(
    ("files", "undecided"),
    [
        ([changes(1, 20), snapshot(10, 12)], (1, 0)),
        ([changes(1, 9), UNDATED], (1, 0)),
        # The first file began with another table, and its changes of this one are the later.
        ([{"commits": {"v": (1, 1), "w": (15, 20)}, "reads": {}}, changes(2, 9), snapshot(10, 12)],
         (2, 1)),
    ],
)  # fmt: skip
def test_what_times_do_not_tell_is_undecided(files, undecided):
    files = [FileTimes(number, **file) for number, file in enumerate(files)]
    assert order_of(files).undecided == undecided


class Part(SourceContract):
    """One part."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    price: T.StringType = column(doc="its price")

    class Config:
        metadata = table("shop", "parts", key=["id"])


def maxwell(type_, price, second, **more):
    record = {"type": type_, "database": "shop", "table": "parts", "ts": second}
    return json.dumps(record | {"data": {"id": 1, "price": price}} | more)


def dms(operation, price, second):
    metadata = {"record-type": "data", "operation": operation, "schema-name": "s"}
    metadata |= {"table-name": "parts", "timestamp": f"2026-09-01T10:00:{second:02d}Z"}
    return json.dumps({"data": {"id": 1, "price": price}, "metadata": metadata})


def debezium(op, price, second):
    source = {"db": "shop", "table": "parts", "ts_ms": second * 1000}
    return json.dumps({"op": op, "source": source, "after": {"id": 1, "price": price}})


def extract(spark, folder, files, **section):
    for name, lines in files.items():
        write(folder / "in" / name, "\n".join(lines))
    section |= {"path": "in/*", "snapshot": {"policy": "in-log"}}
    sources = {"shop": {"kind": "log", "tables": {"parts": {}}, "changes": section}}
    extracted = Extract(folder, sources, (Part,)).run(spark)
    frame = extracted.lake.read(spark, "changes_shop_parts")
    return [row["after"]["price"] for row in frame.orderBy("position").collect()]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize(
    ("loaded", "changed", "section"),
    [
        (maxwell("bootstrap-insert", "1", 1), maxwell("update", "2", 5), {"kind": "maxwell"}),
        (dms("load", "1", 1), dms("update", "2", 5), {"kind": "dms"}),
        (debezium("r", "1", 1), debezium("u", "2", 5), {"kind": "debezium", "log": "kafka"}),
    ],
)
def test_a_load_in_a_file_of_its_own_comes_before_the_changes(
    spark, tmp_path, names, loaded, changed, section
):
    load, change = names
    assert extract(spark, tmp_path, {load: [loaded], change: [changed]}, **section) == ["1", "2"]


@pytest.mark.parametrize("second", [0, 5])
def test_a_load_whose_place_no_time_tells_stops_the_run(spark, tmp_path, second):
    changes = [debezium("u", "2", 1), debezium("u", "3", 9)]
    with pytest.raises(RunFailed, match="Put the lines of both files into one") as failed:
        extract(
            spark,
            tmp_path,
            {"changes": changes, "load": [debezium("r", "1", second)]},
            kind="debezium",
            log="kafka",
        )
    assert f"{tmp_path / 'in' / 'load'}: its rows are all of a snapshot" in str(failed.value)
    assert f"the changes in {tmp_path / 'in' / 'changes'}" in str(failed.value)
