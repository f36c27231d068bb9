"""Older shapes beside updates that leave out what did not change, and times as connectors write
them."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.translator import SourceContract, column, older, table
from support.extracting import Extract, write

MOVED = dt.datetime(2020, 6, 1, tzinfo=dt.UTC)
OLD, NEW = "2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z"


class PersonOf2019(SourceContract):
    """One person, as kept until 2019."""

    id: T.StringType = column(doc="their number", nullable=False)
    at: T.TimestampType = column(doc="when they came")
    name: T.StringType = column(doc="their name")


def in_main(row: Any) -> dict[str, Any]:
    return {"branch": F.lit("MAIN")}


def on_the_first(row: Any) -> dict[str, Any]:
    return {"floor": F.lit(1)}


class Person(SourceContract):
    """One person."""

    id: T.StringType = column(doc="their number", nullable=False)
    at: T.TimestampType = column(doc="when they came")
    name: T.StringType = column(doc="their name")
    branch: T.StringType = column(doc="where")


class PersonByColumns(Person):
    """One person, the shape told by columns."""

    class Config:
        metadata = table("crm", "people", key=["id"], older=[older(PersonOf2019, lift=in_main)])


class PersonByTime(Person):
    """One person, the shape told by a time."""

    class Config:
        metadata = table(
            "crm",
            "people",
            key=["id"],
            older=[older(PersonOf2019, lift=in_main, until_time=MOVED, by="at")],
        )


class PersonOnFloor(SourceContract):
    """One person, who got a number."""

    id: T.StringType = column(doc="their number", nullable=False)
    at: T.TimestampType = column(doc="when they came")
    name: T.StringType = column(doc="their name")
    floor: T.IntegerType = column(doc="where")

    class Config:
        metadata = table(
            "crm", "people", key=["id"], older=[older(PersonOf2019, lift=on_the_first)]
        )


def wal2json(minute: int, action: str, columns: dict[str, str]) -> list[str]:
    commit = {"xid": 500 + minute, "timestamp": f"2026-10-01 00:0{minute}:00.000000+00"}
    places = [f"0/{1000 * minute + offset:X}" for offset in (0, 100, 800, 900)]
    row = {
        "action": action,
        "lsn": places[1],
        "schema": "public",
        "table": "people",
        "columns": [{"name": n, "type": "text", "value": v} for n, v in columns.items()],
    }
    if action == "U":
        row["identity"] = [{"name": "id", "type": "text", "value": columns["id"]}]
    begin = {"action": "B", "lsn": places[0], "nextlsn": places[3]}
    end = {"action": "C", "lsn": places[2], "nextlsn": places[3]}
    return [json.dumps(commit | record) for record in (begin, row, end)]


def ogg(minute: int, operation: str, columns: dict[str, str]) -> list[str]:
    record: dict[str, Any] = {
        "table": "SHOP.people",
        "op_type": operation,
        "op_ts": f"2026-10-01 00:0{minute}:00.000000",
        "current_ts": "2026-10-01T00:00:00",
        "pos": f"{minute:020d}",
        "csn": str(1000 + minute),
        "after": columns,
    }
    if operation == "U":
        record["before"] = {"id": columns["id"]}
    return [json.dumps(record)]


def images(
    spark: SparkSession,
    folder: Path,
    contract: type[SourceContract],
    kind: str,
    lines: list[str],
    *columns: str,
    **changes: Any,
) -> list[tuple[Any, ...]]:
    write(folder / "changes.jsonl", "\n".join(lines) + "\n")
    section = {"kind": kind, "path": "changes.jsonl", "snapshot": {"policy": "in-log"}} | changes
    sources = {"crm": {"kind": "log", "tables": {"people": {}}, "changes": section}}
    return Extract(folder, sources, (contract,)).run(spark, "all").rows("crm_people", *columns)


WHOLE = {"id": "1", "at": NEW, "name": "Ann", "branch": "NORTH"}
SHOWN = ("after.name", "after.branch", "unknown", "defects")


@pytest.mark.parametrize("kind", ["wal2json", "ogg"])
def test_an_update_without_a_column_is_not_lifted_from_an_older_shape(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    write_lines = wal2json if kind == "wal2json" else ogg
    without = {"id": "1", "at": NEW, "name": "Bea"}
    lines = [*write_lines(1, "I", WHOLE), *write_lines(2, "U", without)]
    by_time = images(spark, tmp_path / "time", PersonByTime, kind, lines, *SHOWN)
    assert by_time == [("Ann", "NORTH", None, []), ("Bea", None, ["branch"], [])]
    by_columns = images(spark, tmp_path / "columns", PersonByColumns, kind, lines, *SHOWN)
    assert by_columns == [
        ("Ann", "NORTH", None, []),
        (None, None, None, ["unknown-shape:-branch"]),
    ]


def test_a_number_that_is_missing_tells_the_older_shape_of_a_row_of_postgresql(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = [
        *wal2json(1, "U", {"id": "1", "at": OLD, "name": "Ann"}),
        *wal2json(2, "U", {"id": "1", "at": NEW, "floor": "3"}),
    ]
    rows = images(
        spark, tmp_path, PersonOnFloor, "wal2json", lines, "after.name", "after.floor", "unknown"
    )
    assert rows == [("Ann", 1, None), (None, 3, ["name"])]


def debezium(minute: int, image: dict[str, Any]) -> str:
    at = 1_790_812_800_000 + 60_000 * minute
    source = {
        "connector": "mysql", "db": "shop", "table": "people", "ts_ms": at, "snapshot": "false",
        "file": "bin.000001", "pos": 100 * minute, "row": 0, "gtid": None,
    }  # fmt: skip
    return json.dumps({"before": None, "after": image, "op": "c", "ts_ms": at, "source": source})


@pytest.mark.parametrize(("times", "counts"), [("adaptive", 1000), ("microseconds", 10**6)])
def test_a_time_that_is_a_number_tells_the_shape(
    spark: SparkSession, tmp_path: Path, times: str, counts: int
) -> None:
    old, new = (int(dt.datetime.fromisoformat(at).timestamp()) * counts for at in (OLD, NEW))
    lines = [
        debezium(1, {"id": "1", "at": old, "name": "Ann"}),
        debezium(2, {"id": "2", "at": new, "name": "Bea", "branch": "NORTH"}),
    ]
    rows = images(
        spark, tmp_path, PersonByTime, "debezium", lines, *SHOWN, log="mysql", times=times
    )
    assert rows == [("Ann", "MAIN", None, []), ("Bea", "NORTH", None, [])]


def test_a_local_time_tells_the_shape_by_the_clocks_of_its_zone(
    spark: SparkSession, tmp_path: Path
) -> None:
    clocks = {"1": "2020-06-01 01:00:00", "2": "2020-06-01 03:00:00"}
    lines = [
        json.dumps(
            {
                "database": "shop", "table": "people", "type": "insert", "ts": 1_790_812_800,
                "xid": 500, "commit": number == "2", "xoffset": int(number) - 1,
                "data": {"id": number, "at": at, "name": "Ann"}
                | ({"branch": "NORTH"} if number == "2" else {}),
            }
        )
        for number, at in clocks.items()
    ]  # fmt: skip
    rows = images(spark, tmp_path, PersonByTime, "maxwell", lines, *SHOWN, zone="Europe/Berlin")
    assert rows == [("Ann", "MAIN", None, []), ("Ann", "NORTH", None, [])]
