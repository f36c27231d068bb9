"""A connector that reads a table once more, in the files that hold what it wrote."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Part(SourceContract):
    """One part."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    name: T.StringType = column(doc="its name")

    class Config:
        metadata = table("shop", "parts", key=["id"])


def record(op, name, commit, lsn, **source):
    source = {"schema": "public", "table": "parts", "ts_ms": 1788256800000, "lsn": lsn} | source
    source["sequence"] = json.dumps([commit, str(lsn)])
    return {"op": op, "source": source, "after": {"id": 1, "name": name}}


FIRST, CHANGE = record("r", "a", None, 10), record("u", "b", "10", 20)
AGAIN, LATER = record("r", "c", None, 500), record("u", "d", "500", 600)
REREAD = record("r", "c", None, 500, snapshot="incremental")


def kcat(partition, *records):
    return [
        {
            "topic": "t",
            "partition": partition,
            "offset": at,
            "key": None,
            "payload": json.dumps(one),
        }
        for at, one in enumerate(records)
    ]


def extract(spark, folder, **files):
    for name, records in files.items():
        write(folder / "in" / name, "\n".join(map(json.dumps, records)))
    changes = {"kind": "debezium", "path": "in/*", "snapshot": {"policy": "in-log"}}
    sources = {"shop": {"kind": "log", "tables": {"parts": {}}, "changes": changes}}
    return Extract(folder, sources, (Part,)).run(spark)


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"a": [FIRST, CHANGE, AGAIN, LATER]}, "a, line 3"),
        ({"a": kcat(0, FIRST, CHANGE, AGAIN)}, "a, line 3"),
        # One partition in two files, whose names do not tell which came first.
        ({"a": kcat(0, FIRST, CHANGE, AGAIN)[2:], "b": kcat(0, FIRST, CHANGE)}, "a, line 1"),
    ],
)
def test_a_second_snapshot_in_files_stops_the_run(spark, tmp_path, files, line):
    with pytest.raises(RunFailed, match="the connector began again") as failed:
        extract(spark, tmp_path, **files)
    assert f"{tmp_path}/in/{line}: is a row of a snapshot of table 'parts'" in str(failed.value)
    assert "leave out the lines before it" in str(failed.value)


@pytest.mark.parametrize(
    "files",
    [
        {"a": [FIRST, FIRST, CHANGE, REREAD]},
        {"a": [CHANGE], "b": [FIRST]},
        {"a": kcat(0, FIRST, CHANGE), "b": kcat(1, FIRST, CHANGE)},
    ],
)
def test_what_is_no_second_snapshot_is_read(spark, tmp_path, files):
    extract(spark, tmp_path, **files)
