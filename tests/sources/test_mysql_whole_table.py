"""A MySQL source as the rest of Cutline sees it: the check, a whole table, and the captured cut."""

from __future__ import annotations

import pytest

from cutline.cut import snapshot_line
from cutline.errors import ConfigurationError
from cutline.sources import check_sources
from cutline.sources.frozen import live_inputs, with_captured_cuts
from cutline.sources.mysql import MysqlMoment
from cutline.sources.whole_table import whole_table, whole_table_columns
from cutline.stages.chunks import chunks_prove, exported_point
from support.extracting import Extract
from support.mysql_source import run_mysql
from support.postgres_source import TEXT, contract_of

ORDERS = contract_of("orders", {"id": TEXT}, ["id"])
CHANGES = {
    "kind": "debezium",
    "log": "mysql",
    "path": "changes.jsonl",
    "snapshot": {"policy": "exported-snapshot"},
}


@pytest.fixture
def shop(mariadb_url, tmp_path):
    run_mysql(
        mariadb_url,
        "CREATE TABLE order_rows (id INT PRIMARY KEY, region TEXT, total DECIMAL(9,2))",
        "INSERT INTO order_rows VALUES (1, 'eu', 1.10), (2, 'us', NULL)",
    )
    table = {"name": "order_rows", "region": "region = :region"}
    source = {"kind": "mysql", "url": mariadb_url, "tables": {"orders": table}}
    return Extract(tmp_path, {"erp": source}, (ORDERS,))


def test_a_whole_table_and_the_check(spark, shop):
    assert whole_table_columns(shop.project, "erp", "orders") == ("id", "region", "total")
    with whole_table(spark, shop.project, "erp", "orders", "eu") as whole:
        assert whole.place.endswith("/order_rows")
        assert [tuple(row) for row in whole.frame.collect()] == [("1", "eu", "1.10")]
    (line,) = check_sources(shop.project, shop.translation)
    assert line.startswith("erp.orders: mysql 127.0.0.1:")
    assert line.endswith("/order_rows, 1 of 3 columns, where region = :region")


def test_the_cut_is_where_the_log_stood(shop, mariadb_server):
    shop.sources["erp"]["changes"] = CHANGES
    (live,) = live_inputs(shop.project, shop.translation, "all")
    with live.freeze() as (position, _):
        moment = MysqlMoment.parse(position)
    (file, byte, *_), *_ = mariadb_server.execute("SHOW MASTER STATUS")
    assert moment.log == f"{file}:{byte}"
    project = with_captured_cuts(shop.project, {"erp.snapshot": position})
    assert f"before {file}:{byte}" in snapshot_line(project, "erp").words().history


def test_what_mysql_cannot_tell_is_to_be_declared(shop):
    changes = {**CHANGES, "snapshot": {"policy": "transaction-visibility"}}
    shop.sources["erp"]["changes"] = changes
    with pytest.raises(ValueError, match=r"snapshot\.visible is missing: only .* kind postgresql"):
        _ = shop.project


def test_a_truth_that_does_not_answer_stops_before_any_work(shop):
    shop.sources["erp"]["truth"] = "mysql://nobody:secret@127.0.0.1:1/erp"
    with pytest.raises(
        ConfigurationError, match=r"sources\.erp\.truth: mysql://127\.0\.0\.1:1/erp"
    ) as raised:
        check_sources(shop.project, shop.translation)
    assert "secret" not in str(raised.value)


def test_an_extract_says_what_it_read_and_when(spark, shop):
    (live,) = live_inputs(shop.project, shop.translation, "eu")
    with live.freeze() as (position, opened):
        positions = {**shop.positions("eu"), live.name: position}
        extracted = shop.run(spark, "eu", positions=positions, handles={live.name: opened})
    assert extracted.rows("erp_orders", "op", "after.id") == [("r", "1")]
    assert chunks_prove(extracted.result.extracts["erp"]) == (
        "every table was locked for reading while each session took its snapshot "
        f"{MysqlMoment.parse(position).shown}, and its chunks have as many rows as it has in that "
        "snapshot: orders 1 row in one chunk"
    )
    assert MysqlMoment.parse(position).log in exported_point({live.name: position}, "erp")
