"""Snapshots in batches, and deletions that only the extract before can show."""

from __future__ import annotations

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.positions import PostgresPosition
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, database, write


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)
    status: T.StringType = column(doc="its status")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


def batches(*, first=2, repair=1):
    return {
        "policy": "batches",
        "batches": [
            {"id": "a", "folder": "first", "consistent_point": "0/64", "rows": {"orders": first}},
            {
                "id": "b",
                "generation": 2,
                "folder": "repair",
                "consistent_point": "0/C8",
                "rows": {"orders": repair},
            },
        ],
    }


def in_batches(tmp_path, snapshot, path="**/*.csv"):
    write(tmp_path / "erp" / "first" / "o.csv", "order_no,status\n1,NEW\n2,WRONG\n")
    write(tmp_path / "erp" / "repair" / "o.csv", "order_no,status\n2,NEW\n")
    write(
        tmp_path / "changes.jsonl",
        change("u", None, {"order_no": "1", "status": "B"}, commit=300, row=290),
    )
    changes = {"kind": "debezium", "path": "changes.jsonl", "snapshot": snapshot}
    tables = {"orders": {"path": path}}
    source = {"kind": "csv", "path": "erp", "tables": tables, "changes": changes}
    return Extract(tmp_path, {"erp": source}, (Order,))


def test_each_row_has_the_generation_and_the_point_of_its_batch(spark, tmp_path):
    extracted = in_batches(tmp_path, batches()).run(spark)
    rows = extracted.rows("erp_orders", "key", "op", "after.status", "generation", "position")
    first, repair = PostgresPosition(100).text, PostgresPosition(200).text
    assert [row for row in rows if row[1] == "r"] == [
        ('["1"]', "r", "NEW", 1, first),
        ('["2"]', "r", "NEW", 2, repair),
        ('["2"]', "r", "WRONG", 1, first),
    ]
    assert extracted.result.rows_in == extracted.result.rows_out == 4
    assert extracted.result.stored()["facts"]["logs"]["erp"]["tables"]["orders"]["generations"] == 2


def test_a_batch_that_is_not_whole_stops_the_run(spark, tmp_path):
    with pytest.raises(RunFailed, match="batch b is said to have 2 rows, and has 1"):
        in_batches(tmp_path, batches(repair=2)).run(spark)


def test_a_file_of_no_batch_is_named(spark, tmp_path):
    write(tmp_path / "erp" / "stray" / "o.csv", "order_no,status\n3,NEW\n")
    with pytest.raises(ConfigurationError, match=r"stray/o.csv lies in no batch's folder"):
        in_batches(tmp_path, batches()).run(spark)


def compared(tmp_path, **more):
    script = "CREATE TABLE orders(order_no TEXT PRIMARY KEY, status)"
    then = [("1", "NEW"), ("2", "NEW"), ("9", "OLD")]
    database(tmp_path / "then.db", script, {"orders": then})
    database(tmp_path / "now.db", script, {"orders": [("1", "B"), ("3", "NEW")]})
    source = {"kind": "sqlite", "path": "now.db", "previous": "then.db", "tables": {"orders": more}}
    return Extract(tmp_path, {"erp": source}, (Order,))


def test_what_the_extract_before_holds_and_this_one_lacks_was_deleted(spark, tmp_path):
    extracted = compared(tmp_path).run(spark)
    assert extracted.rows("erp_orders", "key", "op", "before.status", "after.status") == [
        ('["1"]', "r", None, "B"),
        ('["2"]', "d", "NEW", None),
        ('["2"]', "r", None, "NEW"),
        ('["3"]', "r", None, "NEW"),
        ('["9"]', "d", "OLD", None),
        ('["9"]', "r", None, "OLD"),
    ]
    assert extracted.result.rows_in == extracted.result.rows_out == 6


def test_what_was_not_scanned_is_not_gone(spark, tmp_path):
    extracted = compared(tmp_path, scanned="order_no < '5'").run(spark)
    assert {key for key, op in extracted.rows("erp_orders", "key", "op") if op == "d"} == {'["2"]'}


def test_the_extract_before_is_part_of_what_a_run_is_named_by(tmp_path):
    extract = compared(tmp_path)
    before = extract.positions()
    database(tmp_path / "then.db", "INSERT INTO orders VALUES ('10', 'NEW')")
    assert extract.positions() != before


def test_what_is_wrong_with_the_extract_before_is_said_of_it(spark, tmp_path):
    extract = compared(tmp_path)
    (tmp_path / "then.db").unlink()
    database(tmp_path / "then.db", "CREATE TABLE orders(order_no TEXT PRIMARY KEY)")
    with pytest.raises(ConfigurationError) as raised:
        extract.run(spark)
    assert raised.value.what.startswith("sources.erp.previous: in the extract before, ")
    assert "status" in raised.value.what
    (tmp_path / "then.db").unlink()
    with pytest.raises(ConfigurationError, match=r"sources\.erp\.previous: .*then\.db"):
        extract.positions()
