"""Older shapes in changes that leave out nulls: AWS DMS as it is set up first, and MongoDB."""

from __future__ import annotations

import datetime as dt
import json

import pyspark.sql.types as T
import pytest
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.sources import check_sources
from cutline.translator import SourceContract, column, older, table
from support.extracting import Extract, write

MOVED = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
OLD, NEW = "2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z"


class MemberOf2019(SourceContract):
    """One member, as kept until 2019."""

    id: T.StringType = column(doc="its number", nullable=False)
    at: T.TimestampType = column(doc="when it joined")
    name: T.StringType = column(doc="its name")


def in_main(row):
    return {"branch": F.lit("MAIN")}


class Member(SourceContract):
    """One member."""

    id: T.StringType = column(doc="its number", nullable=False)
    at: T.TimestampType = column(doc="when it joined")
    name: T.StringType = column(doc="its name")
    branch: T.StringType = column(doc="where")

    class Config:
        metadata = table(
            "crm",
            "members",
            key=["id"],
            older=[older(MemberOf2019, lift=in_main, until_time=MOVED, by="at")],
        )


class MemberDocument(Member):
    """One member, as a document, whose updates have its `_id` beside what they set."""

    class Config:
        metadata = table(
            "crm",
            "members",
            key=["id"],
            older=[older(MemberOf2019, lift=in_main, until_time=MOVED, by="at")],
            ignores=["_id"],
        )


class MemberByColumns(Member):
    """One member, its shape told by its columns."""

    class Config:
        metadata = table("crm", "members", key=["id"], older=[older(MemberOf2019, lift=in_main)])


class MemberOfBranch(Member):
    """One member, who is always somewhere."""

    branch: T.StringType = column(doc="where", nullable=False)

    class Config:
        metadata = table("crm", "members", key=["id"], older=[older(MemberOf2019, lift=in_main)])


def crm(tmp_path, lines, contract, **changes):
    write(tmp_path / "changes.jsonl", "\n".join(lines) + "\n")
    section = {"path": "changes.jsonl", "snapshot": {"policy": "in-log"}} | changes
    sources = {"crm": {"kind": "log", "tables": {"members": {}}, "changes": section}}
    return Extract(tmp_path, sources, (contract,))


def dms_line(second, operation, data, before=None):
    moment = f"2026-10-01T00:00:{second:02}.000000Z"
    metadata = {
        "timestamp": moment,
        "commit-timestamp": moment,
        "record-type": "data",
        "operation": operation,
        "schema-name": "crm",
        "table-name": "members",
        "transaction-id": second,
    }
    record = {"data": data, "metadata": metadata}
    return json.dumps(record if before is None else record | {"before-image": before})


def mongo_line(second, op, after, **updated):
    value = {
        "op": op,
        "after": None if after is None else json.dumps(after),
        "updateDescription": {"updatedFields": json.dumps(updated)} if updated else None,
        "source": {"collection": "members", "db": "crm", "ord": 1, "ts_ms": second * 1000},
    }
    return f"{json.dumps({'id': '1'})}^{json.dumps(value)}"


IMAGE = ("after.id", "after.name", "after.branch", "defects")


def test_a_time_tells_the_shape_of_rows_of_dms_without_their_nulls(spark, tmp_path):
    lines = [
        dms_line(1, "insert", {"id": "1", "at": OLD, "name": "Ann"}),
        dms_line(2, "insert", {"id": "2", "at": OLD}),
        dms_line(3, "insert", {"id": "3", "at": NEW, "name": "Cy", "branch": "NORTH"}),
        dms_line(4, "insert", {"id": "4", "at": NEW, "name": "Di"}),
        dms_line(5, "insert", {"id": "5", "at": NEW}),
        dms_line(6, "insert", {"id": "6", "at": OLD, "name": "Flo", "branch": "NORTH"}),
        dms_line(7, "insert", {"id": "7", "name": "Gus"}),
    ]
    extracted = crm(tmp_path, lines, Member, kind="dms").run(spark, "all")
    assert extracted.rows("crm_members", *IMAGE) == sorted(
        [
            ("1", "Ann", "MAIN", []),
            ("2", None, "MAIN", []),
            ("3", "Cy", "NORTH", []),
            ("4", "Di", None, []),
            ("5", None, None, []),
            (None, None, None, ["unknown-shape:+branch"]),
            (None, None, None, ["unknown-shape:at"]),
        ],
        key=repr,
    )


def test_images_before_without_a_column_are_not_lifted_as_rows(spark, tmp_path):
    lines = [
        dms_line(1, "update", {"id": "1", "at": OLD}, {"id": "1", "at": OLD, "name": "Ann"}),
        dms_line(2, "update", {"id": "1", "at": OLD, "name": "Bo"}, {"id": "1", "at": OLD}),
        dms_line(3, "delete", {"id": "1", "at": OLD}),
        dms_line(4, "delete", {"id": "2", "at": NEW, "name": "Cy"}),
        dms_line(5, "delete", {"id": "3", "at": OLD, "name": "Di"}),
    ]
    extracted = crm(tmp_path, lines, Member, kind="dms").run(spark, "all")
    second = "int(extract(second FROM source_time))"
    images = ("before.name", "before.branch", "after.name", "after.branch")
    assert extracted.rows("crm_members", second, "key", *images, "defects") == [
        (1, '["1"]', "Ann", "MAIN", None, "MAIN", []),
        (2, '["1"]', None, None, "Bo", "MAIN", []),
        (3, '["1"]', None, None, None, None, []),
        (4, '["2"]', None, None, None, None, []),
        (5, '["3"]', "Di", "MAIN", None, None, []),
    ]


def test_documents_without_their_nulls_are_told_by_a_time(spark, tmp_path):
    lines = [
        mongo_line(1, "c", {"id": "1", "at": OLD}),
        mongo_line(2, "c", {"id": "2", "at": NEW, "name": "Bo"}),
        # Of fields that are not told, an older shape's cannot be lifted, the newest's are restored.
        mongo_line(3, "u", None, id="3", at=OLD),
        mongo_line(4, "u", None, id="4", at=NEW, name="Di"),
    ]
    changes = {"kind": "debezium", "log": "mongodb"}
    extracted = crm(tmp_path, lines, MemberDocument, **changes).run(spark, "all")
    second = "unix_seconds(source_time)"
    assert extracted.rows(
        "crm_members", second, "after.name", "after.branch", "unknown", "defects"
    ) == [
        (1, None, "MAIN", None, []),
        (2, "Bo", None, None, []),
        (3, None, "MAIN", None, ["unavailable:name"]),
        (4, "Di", None, ["branch"], []),
    ]


@pytest.mark.parametrize("changes", [{"kind": "dms"}, {"kind": "debezium", "log": "mongodb"}])
def test_columns_that_may_be_null_do_not_tell_a_shape_where_nulls_are_left_out(
    spark, tmp_path, changes
):
    extract = crm(tmp_path, ["{}"], MemberByColumns, **changes)
    with pytest.raises(
        ConfigurationError,
        match=r"contract MemberByColumns: sources\.crm\.changes leave out columns that are null, "
        r"so that a row of MemberByColumns without branch looks like a row of MemberOf2019",
    ):
        check_sources(extract.project, extract.translation)


def test_columns_that_are_written_or_never_null_tell_a_shape(spark, tmp_path):
    row = {"id": "1", "at": NEW, "name": "Ann"}
    rows = [row, row | {"id": "2", "branch": None}, row | {"id": "3", "branch": "NORTH"}]
    lines = [dms_line(second, "insert", data) for second, data in enumerate(rows, 1)]
    written = crm(tmp_path, lines, MemberByColumns, kind="dms", nulls="written")
    assert written.run(spark, "all").rows("crm_members", *IMAGE) == [
        ("1", "Ann", "MAIN", []),
        ("2", "Ann", None, []),
        ("3", "Ann", "NORTH", []),
    ]
    omitted = crm(tmp_path / "omitted", lines[::2], MemberOfBranch, kind="dms")
    assert omitted.run(spark, "all").rows("crm_members", *IMAGE) == [
        ("1", "Ann", "MAIN", []),
        ("3", "Ann", "NORTH", []),
    ]
