"""Records of structure: what becomes of a table that is read is not passed over."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.errors import RunFailed
from cutline.project.changes import CanalChanges, DebeziumChanges, MaxwellChanges
from cutline.sources.changes.formats import envelopes
from cutline.sources.changes.records import records
from cutline.sources.changes.statements import EVERY_TABLE
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write

SNAPSHOT = {"policy": "in-log"}
DAY = 1_788_256_800


class Part(SourceContract):
    """One part."""

    id: T.IntegerType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("shop", "parts", key=["id"])


def debezium(ddl, table_name, *changed, snapshot="false", db="shop"):
    """A schema change; `changed` are types with ids, of which the last is the one before."""
    names = ("type", "id", "previousId")
    source = {"db": db, "table": table_name, "snapshot": snapshot, "ts_ms": DAY * 1000}
    return {
        "source": source,
        "ddl": ddl,
        "tableChanges": [dict(zip(names, each, strict=False)) for each in changed],
    }


def canal(type_, sql, table_name=None, db="shop"):
    record = {"type": type_, "sql": sql, "table": table_name, "database": db, "isDdl": True}
    return record | {"data": None, "old": None, "es": DAY * 1000}


def maxwell(type_, table_name=None, db="shop", **more):
    return {"type": type_, "database": db, "table": table_name, "ts": DAY * 1000} | more


EXCHANGES = (
    "ALTER TABLE sales EXCHANGE PARTITION p0 WITH TABLE parts",
    "alter table `a`.`sales` exchange\n/* rows */ partition p0 with table `shop`.`Parts`",
    "ALTER TABLE sales CONVERT TABLE parts TO PARTITION p0 VALUES LESS THAN (12)",
    "ALTER TABLE sales CONVERT PARTITION p0 TO TABLE parts",
)
"""Statements whose record names the partitioned table alone."""
EXCHANGED_OTHERS = "ALTER TABLE sales EXCHANGE PARTITION p0 WITH TABLE parts_old"
PARTS, OLD = '"shop"."parts"', '"shop"."parts_old"'
OF_PARTS = {
    "debezium": [
        debezium("RENAME TABLE parts TO parts_old", "parts,parts_old", ("ALTER", OLD, PARTS)),
        debezium("RENAME TABLE parts TO parts_old", None, ("ALTER", OLD, PARTS)),
        debezium("RENAME TABLE parts TO parts_old", None, ("ALTER", f"{PARTS},{OLD}")),
        debezium("RENAME TABLE a TO parts", "a", ("ALTER", '"shop"."a"')),
        debezium("/* x */ create or  replace table parts (id int)", "parts", ("CREATE", PARTS)),
        debezium("TRUNCATE TABLE parts", ""),
        debezium("TRUNCATE TABLE `shop`.`Parts`", None),
        debezium("TRUNCATE TABLE PARTS", None),
        debezium('DROP TABLE "parts"', ""),
        debezium("DROP TABLE other, parts", "other, parts"),
        debezium("ALTER TABLE\n\tshop.parts ADD x int", None),
        debezium("ALTER TABLE parts ADD x int", "parts", ("ALTER", PARTS)),
        *(debezium(sql, "sales", ("ALTER", '"shop"."sales"')) for sql in EXCHANGES),
    ],
    "canal": [
        canal("RENAME", "rename table parts_new to parts, parts to parts_old", "parts_new"),
        canal("RENAME", "alter table `a` rename to `shop`.`parts`", "a"),
        canal("ALTER", "alter table a add x int, rename parts", "a"),
        canal("ERASE", "drop table if exists a, parts", "a"),
        canal("CREATE", "create or replace table parts (id int)", "parts"),
        canal("QUERY", "truncate parts"),
        canal("ALTER", None, "parts"),
        canal("ERASE", None, "parts"),
        canal("ERASE", "drop /* two */ table a, parts", "a"),
        *(canal("ALTER", sql, "sales") for sql in EXCHANGES),
    ],
    "maxwell": [
        maxwell("table-alter", "parts"),
        maxwell("table-drop", "parts"),
        maxwell("table-alter", "new", old={"table": "new"}, **{"def": {"table": "parts"}}),
        maxwell("table-alter", None, old={"table": "parts"}, **{"def": {"table": "new"}}),
        maxwell("table-create", "parts", sql="CREATE OR REPLACE TABLE parts (id int)"),
        *(maxwell("table-alter", "sales", sql=sql) for sql in EXCHANGES),
    ],
}
OF_OTHERS = {
    "debezium": [
        debezium("CREATE TABLE parts (id int)", "parts", ("CREATE", PARTS)),
        debezium("CREATE TABLE parts (id int)", "parts"),
        debezium("TRUNCATE TABLE parts", "parts", snapshot="true"),
        debezium("ALTER TABLE a ADD FOREIGN KEY (p) REFERENCES parts (id)", "a", ("ALTER", "a")),
        debezium("ALTER TABLE a RENAME COLUMN parts TO pieces", "a", ("ALTER", "a")),
        debezium("TRUNCATE TABLE parts_old", ""),
        debezium("GRANT SELECT ON parts TO reader", ""),
        debezium("CREATE OR REPLACE VIEW v AS SELECT * FROM parts", ""),
        debezium("CREATE OR REPLACE TABLE a (id int)", "a", ("CREATE", '"shop"."a"')),
        debezium("DROP DATABASE old", None, db="old"),
        debezium(EXCHANGED_OTHERS, "sales", ("ALTER", '"shop"."sales"')),
    ],
    "canal": [
        canal("CREATE", "create table parts (id int)", "parts"),
        canal("CREATE", "create table parts (id int) comment 'create'", "parts"),
        canal("CINDEX", "alter table parts add index (id)", "parts"),
        canal("DINDEX", "drop index i on parts", "parts"),
        canal("QUERY", "/* tool */ optimize table parts"),
        canal("QUERY", "begin"),
        canal("QUERY", None),
        canal("ALTER", "alter table a add foreign key (p) references parts (id)", "a"),
        canal("RENAME", "rename table a to parts_old", "a"),
        canal("QUERY", "drop database old", db="old"),
        canal("ALTER", EXCHANGED_OTHERS, "sales"),
        canal("ALTER", "alter table a convert to character set utf8 /* parts */", "a"),
    ],
    "maxwell": [
        maxwell("table-create", "parts", sql="CREATE TABLE parts (id int)"),
        maxwell("table-create", "parts"),
        maxwell("table-alter", "a", old={"table": "a"}, **{"def": {"table": "parts_old"}}),
        maxwell("table-drop", "parts_old", sql="drop table parts_old"),
        maxwell("table-alter", "sales", sql=EXCHANGED_OTHERS),
        maxwell("table-alter", "a", sql="alter table a add exchange int, drop parts"),
        maxwell("database-create"),
        maxwell("database-drop", db="old", sql="drop database old"),
    ],
}
DROPPED = {
    "debezium": debezium("DROP DATABASE IF EXISTS shop", None),
    "canal": canal("QUERY", "/* by hand */ drop schema shop"),
    "maxwell": maxwell("database-drop", sql="drop database shop"),
}
ROWS = {
    "debezium": {
        "op": "c",
        "after": {"id": 1},
        "source": {"db": "shop", "table": "parts", "file": "b.1", "pos": 1, "ts_ms": DAY * 1000},
    },
    "canal": canal("INSERT", "", "parts") | {"data": [{"id": "1"}], "isDdl": False},
    "maxwell": maxwell("insert", "parts", data={"id": 1}, xid=1, commit=True) | {"ts": DAY},
}
SECTIONS = {
    "debezium": DebeziumChanges(kind="debezium", path="x", log="mysql", snapshot=SNAPSHOT),
    "canal": CanalChanges(kind="canal", path="x", snapshot=SNAPSHOT),
    "maxwell": MaxwellChanges(kind="maxwell", path="x", snapshot=SNAPSHOT),
}


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_statement_names_the_tables_that_it_changes(spark, kind):
    statements = [*OF_PARTS[kind], DROPPED[kind]]
    lines = spark.createDataFrame(
        [(0, at, at, json.dumps(record)) for at, record in enumerate(statements)],
        "file int, number bigint, place bigint, line string",
    )
    shown = envelopes(records(lines), SECTIONS[kind], {}).select("number", "kind", "named")
    of_parts = [
        statements[row.number]
        for row in sorted(shown.collect())
        if row.kind == "structure" and {"parts", EVERY_TABLE} & set(row.named or ())
    ]
    assert of_parts == statements


def extract(folder, kind, statements):
    lines = [json.dumps(record) for record in [ROWS[kind], *statements]]
    write(folder / "in.json", "\n".join(lines))
    log = {"log": "mysql"} if kind == "debezium" else {}
    changes = {"kind": kind, "path": "in.json", "snapshot": SNAPSHOT} | log
    sources = {"shop": {"kind": "log", "tables": {"parts": {}}, "changes": changes}}
    return Extract(folder, sources, (Part,))


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_statement_that_changes_no_row_of_a_table_is_passed_over(spark, tmp_path, kind):
    result = extract(tmp_path, kind, OF_OTHERS[kind]).run(spark)
    assert result.rows("shop_parts", "key", "defects") == [("[1]", [])]
    assert result.result.stored()["facts"]["ignored"] == len(OF_OTHERS[kind])


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_run_stops_where_a_table_is_renamed_or_its_database_dropped(spark, tmp_path, kind):
    for statement, words in (
        (OF_PARTS[kind][0], "gives table 'parts' another structure"),
        (OF_PARTS[kind][-1], "gives table 'parts' another structure"),
        (DROPPED[kind], "drops 'shop' and all of its tables"),
    ):
        with pytest.raises(RunFailed) as raised:
            extract(tmp_path, kind, [statement]).run(spark)
        assert f"in.json, line 2: {words}" in raised.value.what
