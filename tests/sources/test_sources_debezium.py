"""Change files: what was committed, in the order it was committed, or a reason why not."""

from __future__ import annotations

import json
from typing import Annotated

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
    total: Annotated[T.DecimalType, 12, 2] = column(doc="euros")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


def position(*numbers):
    return PostgresPosition(*numbers).text


def order(number, status="NEW", total=1.50, region="eu"):
    return {"order_no": number, "region": region, "status": status, "total": total}


def erp(tmp_path, lines, point="0/3E8", region="region = :region"):
    script = "CREATE TABLE orders(order_no TEXT PRIMARY KEY, region, status, total)"
    database(tmp_path / "erp.db", script, {"orders": [("1", "eu", "NEW", 1.5)]})
    write(tmp_path / "changes.jsonl", "\n".join(lines) if isinstance(lines, list) else lines)
    changes = {
        "kind": "debezium",
        "path": "changes.jsonl",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": point},
    }
    tables = {"orders": {"region": region}}
    sources = {"erp": {"kind": "sqlite", "path": "erp.db", "tables": tables, "changes": changes}}
    return Extract(tmp_path, sources, (Order,))


def changed(extracted, *columns):
    """The rows that are not of the snapshot."""
    rows = extracted.rows("erp_orders", "op", *columns)
    return sorted((row[1:] for row in rows if row[0] != "r"), key=repr)


def test_creates_updates_and_deletes_with_and_without_schema(spark, tmp_path):
    lines = [
        change("c", None, order("2"), commit=1000, row=990),
        change("u", order("1"), order("1", "BOOKED", 2), commit=2000, row=1500),
        json.dumps(
            {
                "schema": {"type": "struct"},
                "payload": json.loads(
                    change("d", order("2", "BOOKED"), None, commit=3000, row=2500)
                ),
            }
        ),
        "null",
        "",
        json.dumps({"schema": None, "payload": None}),
        change("u", order("9", region="us"), order("9", "X", region="us"), commit=3100),
        change("c", None, {"sku": "a"}, table="stock"),
        json.dumps({"op": "m", "message": {"prefix": "x"}, "source": {"table": ""}}),
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert extracted.rows(
        "erp_orders",
        "key",
        "op",
        "before.status",
        "after.status",
        "cast(after.total as string)",
        "position",
        "transaction",
        "cast(source_time as string)",
        "defects",
    ) == sorted(
        [
            ('["1"]', "r", None, "NEW", "1.50", position(1000), None, None, []),
            (
                '["2"]',
                "c",
                None,
                "NEW",
                "1.50",
                position(1000, 990, 0),
                "77",
                "2026-11-01 03:00:00",
                [],
            ),
            (
                '["1"]',
                "u",
                "NEW",
                "BOOKED",
                "2.00",
                position(2000, 1500, 0),
                "77",
                "2026-11-01 03:00:00",
                [],
            ),
            (
                '["2"]',
                "d",
                "BOOKED",
                None,
                None,
                position(3000, 2500, 0),
                "77",
                "2026-11-01 03:00:00",
                [],
            ),
        ],
        key=repr,
    )
    assert extracted.result.rows_in == extracted.result.rows_out == 4
    assert extracted.result.stored()["facts"]["tombstones"] == 3
    assert extracted.result.stored()["facts"]["ignored"] == 2
    assert extracted.result.stored()["facts"]["extracts"]["erp"]["tables"] == {"orders": 4}


def test_what_was_committed_before_the_consistent_point_stays_and_sorts_before_it(spark, tmp_path):
    lines = [
        change("c", None, order("2"), commit=999, row=998),
        change("c", None, order("3"), commit=1000, row=10),
    ]
    extracted = erp(tmp_path, lines, point="1000").run(spark)
    before = {key: place < position(1000) for key, place in changed(extracted, "key", "position")}
    assert before == {'["2"]': True, '["3"]': False}


def test_rows_of_one_place_keep_their_order_in_the_transaction(spark, tmp_path):
    lines = [
        change("u", order("1"), order("1", "B"), row=5, transaction={"total_order": 2}),
        change("u", order("1"), order("1", "A"), row=5, transaction={"total_order": 1}),
        "",
        change("u", order("1"), order("1", "C"), row=6),
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert changed(extracted, "position", "after.status") == [
        (position(1000, 5, 1), "A"),
        (position(1000, 5, 2), "B"),
        (position(1000, 6, 0), "C"),
    ]


def test_a_change_that_cannot_be_read_is_a_row_with_its_defects(spark, tmp_path):
    toast = "__debezium_unavailable_value"
    lines = [
        change("u", order("2"), order("2", total="1.005"), row=1),
        change("u", order("3", toast), order("3", "B"), row=2),
        change("u", order("4"), order("4", toast), row=3),
        change("c", None, {"order_no": "5", "region": "eu", "total": 1}, row=4),
        change("c", None, order(None), row=5),
        change("d", None, None, row=6),
        change("u", order("7"), None, row=7),
        change("u", None, order("8"), row=8),
        change("c", None, order("11"), row=9).replace('"ts_ms"', '"ts_unknown"'),
        change("c", None, "not an object", row=10),
    ]
    extracted = erp(tmp_path, lines).run(spark)
    assert changed(
        extracted,
        "int(substr(position, 22, 20))",
        "key",
        "before.status",
        "after.status",
        "defects",
    ) == sorted(
        [
            (1, '["2"]', "NEW", "NEW", ["wrong-type:total"]),
            (2, '["3"]', None, "B", []),
            (3, '["4"]', "NEW", None, []),
            (4, '["5"]', None, None, ["missing:status"]),
            (5, None, None, "NEW", ["null-key:order_no"]),
            (6, None, None, None, ["no-image"]),
            (7, '["7"]', "NEW", None, ["no-after"]),
            (8, '["8"]', None, "NEW", []),
            (9, '["11"]', None, "NEW", ["no-commit-time"]),
            (10, None, None, None, ["no-image"]),
        ],
        key=repr,
    )
    assert {u for (u,) in changed(extracted, "array_join(unknown, ' ')")} == {None, "status"}
    payloads = {p for (p,) in changed(extracted, "payload") if p}
    assert lines[0] in payloads
    assert lines[7] not in payloads


def test_a_change_without_a_row_belongs_to_every_slice(spark, tmp_path):
    lines = [change("d", None, None), change("d", order("2"), None)]
    extracted = erp(tmp_path, lines).run(spark, region="us")
    assert changed(extracted, "key", "defects") == [(None, ["no-image"])]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (change("c", None, order("2"))[:80], "cut off"),
        ("[1]", "cut off"),
        ('{"status": "BEGIN"}', "`op` and `source.table`"),
        (change("t", None, None), "new snapshot"),
        (change("x", None, order("2")), "none of those that debezium is known to write"),
    ],
)
def test_a_line_that_leaves_open_what_happened_stops_the_run(spark, tmp_path, line, words):
    lines = [change("c", None, order("2")), "", line]
    with pytest.raises(RunFailed) as raised:
        erp(tmp_path, lines).run(spark)
    assert "changes.jsonl, line 3" in raised.value.what
    assert words in f"{raised.value}"
    assert not (tmp_path / "lake" / "eu" / "changes_erp_orders").exists()


def test_a_line_in_the_midst_that_is_no_change_was_not_cut_off(spark, tmp_path):
    with pytest.raises(RunFailed) as raised:
        erp(tmp_path, ["[1]", change("c", None, order("2"))]).run(spark)
    assert "changes.jsonl, line 1: is no change that can be read" in raised.value.what
    assert "sources.erp.changes.path, names what wrote the file" in (raised.value.next_step or "")


def test_a_truncated_table_that_nobody_reads_is_ignored(spark, tmp_path):
    extracted = erp(tmp_path, [change("t", None, None, table="stock")]).run(spark)
    assert extracted.result.stored()["facts"]["ignored"] == 1


def test_a_heartbeat_is_ignored_and_a_row_of_a_time_alone_is_not(spark, tmp_path):
    times = {"ts_ms": 1788256800000, "ts_us": 1788256800000123, "ts_ns": 1788256800000123456}
    beat = json.dumps({"ts_ms": 1788256800000})
    carried = {"topic": "__debezium-heartbeat.erp", "partition": 0, "offset": 7}
    lines = [
        change("c", None, order("2")),
        beat,
        beat,
        json.dumps(times),
        json.dumps({"schema": {"type": "struct"}, "payload": times}),
        f'{{"serverName":"erp"}}^{beat}',
        json.dumps(carried | {"key": '{"serverName":"erp"}', "payload": beat}),
    ]
    extracted = erp(tmp_path / "beats", lines).run(spark)
    assert extracted.result.stored()["facts"]["ignored"] == 6
    assert extracted.result.rows_out == 2
    for at, line in enumerate((f'{{"id":"2"}}^{beat}', json.dumps({"ts_us": 1}), "{}")):
        with pytest.raises(RunFailed, match="line 1: is no change that can be read"):
            erp(tmp_path / str(at), [line, beat]).run(spark)


def test_one_table_name_in_two_schemas_stops_the_run(spark, tmp_path):
    other_schema = json.loads(change("c", None, order("2")))
    other_schema["source"]["schema"] = "archive"
    with pytest.raises(RunFailed, match=r"'orders' comes from erp.archive and from erp.public"):
        erp(tmp_path, [change("c", None, order("2")), json.dumps(other_schema)]).run(spark)


def test_an_empty_change_file_leaves_the_snapshot(spark, tmp_path):
    assert erp(tmp_path, "").run(spark).result.rows_out == 1


def test_a_missing_change_file_or_a_wrong_consistent_point_names_its_key(spark, tmp_path):
    extract = erp(tmp_path, "", point="16B3748")
    (tmp_path / "changes.jsonl").unlink()
    with pytest.raises(
        ConfigurationError, match=r"sources.erp.changes.snapshot.consistent_point.*16B3748"
    ):
        extract.run(spark, positions={"erp": "-"})
    extract.sources["erp"]["changes"]["snapshot"]["consistent_point"] = "0/16B3748"
    with pytest.raises(ConfigurationError, match=r"sources.erp.changes.path.*changes.jsonl"):
        extract.run(spark, positions={"erp": "-"})


def test_a_predicate_that_needs_another_table_cannot_be_applied_to_changes(spark, tmp_path):
    region = "order_no IN (SELECT order_no FROM orders WHERE region = :region)"
    with pytest.raises(ConfigurationError) as raised:
        erp(
            tmp_path,
            [change("c", None, order("2"))],
            region=region.replace("FROM orders", "FROM sqlite_master, orders"),
        ).run(spark)
    assert "sources.erp.tables.orders.region" in raised.value.what
