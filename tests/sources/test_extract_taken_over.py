"""An extract that another run has made from the same inputs is taken over, and only then."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pyspark.sql.types as T
import pytest

from cutline.lake import Lake
from cutline.sources.input_digest import input_digest
from cutline.sources.used_tables import used_sources
from cutline.translator import SourceContract, column, table
from cutline.workspace import EarlierExtract
from support.extracting import EXTRACT_TIME, Extract, Extracted, database


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


class CheckedOrder(Order):
    """The same columns under a stricter check."""

    order_no: T.StringType = column(doc="its number", nullable=False, isin=["1"])

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


class WiderOrder(Order):
    """One order, with its status."""

    status: T.StringType = column(doc="where it stands")

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


def shop(folder: Path, contract: type[SourceContract] = Order, **section: object) -> Extract:
    script = "CREATE TABLE orders(order_no TEXT PRIMARY KEY, region TEXT, status TEXT)"
    path = folder / "in" / "erp.db"
    if not path.exists():
        database(path, script, {"orders": [("1", "eu", "NEW"), ("2", "us", "NEW")]})
    tables = {"orders": {"region": "region = :region"}}
    erp = {"kind": "sqlite", "path": "in/erp.db", "tables": tables} | section
    return Extract(folder, {"erp": erp}, (contract,))


def inputs(
    extract: Extract,
    region: str = "eu",
    position: str = "p",
    extract_time: dt.datetime = EXTRACT_TIME,
    points: tuple[str, ...] = (),
):
    sources = used_sources(extract.project, extract.translation, region)
    return input_digest(sources, region, {"erp": position}, {"erp": extract_time}, {"erp": points})


def test_it_stands_for_all_that_is_read_and_for_nothing_else(tmp_path: Path) -> None:
    digest = inputs(shop(tmp_path))
    elsewhere = dt.timezone(dt.timedelta(hours=2))
    assert inputs(shop(tmp_path, CheckedOrder)) == digest
    moved = [inputs(shop(tmp_path, path=path)) for path in ("/here/erp.db", "/there/erp.db")]
    assert moved[0] == moved[1]
    assert inputs(shop(tmp_path), extract_time=EXTRACT_TIME.astimezone(elsewhere)) == digest
    others = {
        inputs(shop(tmp_path), region="us"),
        inputs(shop(tmp_path), points=("1",)),
        inputs(shop(tmp_path), region="all"),
        inputs(shop(tmp_path), position="q"),
        inputs(shop(tmp_path), extract_time=EXTRACT_TIME + dt.timedelta(seconds=1)),
        inputs(shop(tmp_path, WiderOrder)),
        inputs(shop(tmp_path, tables={"orders": {"region": "region <> :region"}})),
        inputs(shop(tmp_path, tables={"orders": {"region": "region = :region", "name": "ORDERS"}})),
    }
    assert len(others | {digest}) == 9


@pytest.fixture
def first(spark, tmp_path: Path) -> Extracted:
    return shop(tmp_path).run(spark)


def again(spark, tmp_path: Path, first: Extracted) -> Extracted:
    """A second run of the slice that knows of the first one, after its source was taken offline."""
    extract = shop(tmp_path)
    positions = extract.positions()
    earlier = EarlierExtract("shop-eu-1", first.lake, first.result)
    (tmp_path / "in" / "erp.db").unlink()
    return extract.run(
        spark,
        lake=Lake(str(tmp_path / "lake" / "second")),
        positions=positions,
        earlier={first.result.stored()["facts"]["made_from"]: earlier}.get,
    )


def test_the_tables_are_taken_over_without_asking_the_source(spark, tmp_path, first) -> None:
    second = again(spark, tmp_path, first)
    assert second.result.tables == first.result.tables
    assert second.result.counts == first.result.counts
    assert (first.result.taken_from, second.result.taken_from) == (
        None,
        "shop-eu-1",
    )
    shutil.rmtree(tmp_path / "lake" / "eu")
    reused = Extracted(spark, Lake(str(tmp_path / "lake" / "second")), second.result)
    assert reused.rows("erp_orders", "key", "after.order_no") == [('["1"]', "1")]


def test_tables_that_are_gone_are_read_anew(spark, tmp_path, first) -> None:
    shutil.rmtree(tmp_path / "lake" / "eu" / "changes_erp_orders")
    earlier = EarlierExtract("shop-eu-1", first.lake, first.result)
    second = shop(tmp_path).run(
        spark, earlier={first.result.stored()["facts"]["made_from"]: earlier}.get
    )
    assert second.result.taken_from is None
    assert second.result.tables == first.result.tables
