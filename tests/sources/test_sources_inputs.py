"""What identifies a run's input, what a check says of it, and what an extract makes sure of."""

from __future__ import annotations

import datetime as dt

import pyspark.sql.types as T
import pytest

from cutline.errors import ConfigurationError, ConservationError, RunFailed
from cutline.sources import check_sources
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, database, write


class Order(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


class Release(SourceContract):
    """One release."""

    order_no: T.StringType = column(doc="the order", nullable=False)

    class Config:
        metadata = table("warehouse", "releases", key=["order_no"])


def estate(tmp_path, **more):
    script = "CREATE TABLE orders(order_no TEXT PRIMARY KEY, region TEXT)"
    for folder in ("in", "legacy", "before"):
        database(tmp_path / folder / "erp.db", script, {"orders": [("1", "eu")]})
    write(tmp_path / "in" / "releases.csv", "order_no,region\n1,eu\n")
    write(tmp_path / "in" / "other.csv", "x\n1\n")
    write(tmp_path / "in" / "erp.jsonl", "")
    changes = {
        "kind": "debezium",
        "path": "in/erp.jsonl",
        "snapshot": {"policy": "exported-snapshot", "consistent_point": "0/1"},
    }
    sources = {
        "erp": {
            "kind": "sqlite",
            "path": "in/erp.db",
            "tables": {"orders": {"region": "region = :region"}},
            "changes": changes,
            "truth": "legacy/erp.db",
            "baseline": "before/erp.db",
        },
        "warehouse": {
            "kind": "csv",
            "path": "in",
            "tables": {
                "releases": {"path": "releases.csv", "region": "region = :region"},
                "other": {"path": "other.csv"},
                "gone": {"path": "gone.csv"},
            },
        },
    }
    return Extract(tmp_path, sources, (Order, Release), **more)


TOPIC = "topics/shop.shop.order.live"


def test_every_input_is_named_and_told_apart(tmp_path):
    extract = estate(tmp_path, live=("order",))
    first = extract.positions()
    assert sorted(first) == ["erp", "erp.baseline", "erp.truth", "live:order", "warehouse"]
    assert first["live:order"] == "empty"
    assert first == estate(tmp_path / "elsewhere", live=("order",)).positions()
    for path, name in [
        ("in/erp.jsonl", "erp"),
        ("in/erp.db-wal", "erp"),
        ("legacy/erp.db", "erp.truth"),
        ("before/erp.db", "erp.baseline"),
        ("in/releases.csv", "warehouse"),
        ("in/other.csv", "warehouse"),
        (f"{TOPIC}/00001.jsonl", "live:order"),
    ]:
        before = extract.positions()
        place = tmp_path / path
        write(place, (place.read_bytes() if place.exists() else b"") + b"\n")
        after = extract.positions()
        assert {n for n in after if after[n] != before[n]} == {name}, path


def test_which_file_holds_which_bytes_matters(tmp_path):
    extract = estate(tmp_path)
    before = extract.positions()["warehouse"]
    first, second = tmp_path / "in" / "releases.csv", tmp_path / "in" / "other.csv"
    texts = first.read_text(), second.read_text()
    second.write_text(texts[0])
    first.write_text(texts[1])
    assert extract.positions()["warehouse"] != before


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("in/erp.db", "sources.erp.path"),
        ("in/erp.jsonl", "sources.erp.changes.path"),
        ("legacy/erp.db", "sources.erp.truth"),
        ("before/erp.db", "sources.erp.baseline"),
        ("in/releases.csv", "sources.warehouse.tables.releases.path"),
    ],
)
def test_a_missing_input_is_named_with_its_key(tmp_path, path, key):
    extract = estate(tmp_path)
    (tmp_path / path).unlink()
    with pytest.raises(ConfigurationError) as raised:
        extract.positions()
    assert key in raised.value.what
    assert path.split("/")[1] in raised.value.what


def test_a_check_says_what_is_there(tmp_path):
    extract = estate(tmp_path)
    assert check_sources(extract.project, extract.translation) == [
        f"erp.orders: sqlite {tmp_path}/in/erp.db, table orders, 1 of 2 columns, "
        "where region = :region",
        f"erp: changes in {tmp_path}/in/erp.jsonl",
        f"warehouse.releases: csv {tmp_path}/in/releases.csv, 1 of 2 columns, "
        "where region = :region",
    ]


def test_a_check_names_every_problem_at_once(tmp_path):
    extract = estate(tmp_path)
    (tmp_path / "in" / "erp.db").unlink()
    (tmp_path / "in" / "erp.jsonl").unlink()
    write(tmp_path / "in" / "releases.csv", "order_nr,region\n")
    with pytest.raises(ConfigurationError) as raised:
        check_sources(extract.project, extract.translation)
    for words in ("sources.erp.path", "sources.erp.changes.path", "Did you mean 'order_nr'?"):
        assert words in raised.value.what


def test_a_contract_of_a_source_or_table_that_the_project_lacks(tmp_path):
    extract = estate(tmp_path)
    extract.sources["wharehouse"] = extract.sources.pop("warehouse")
    with pytest.raises(ConfigurationError, match="Did you mean 'wharehouse'"):
        extract.positions()
    extract = estate(tmp_path / "b")
    tables = extract.sources["warehouse"]["tables"]
    tables["release"] = tables.pop("releases")
    with pytest.raises(ConfigurationError, match=r"sources.warehouse.tables lacks 'releases'"):
        extract.positions()
    with pytest.raises(ConfigurationError, match=r"regions has no 'eur'.*Did you mean 'eu'"):
        extract.positions("eur")


def test_a_type_that_text_cannot_give_is_refused(tmp_path):
    class Photo(SourceContract):
        """One photo."""

        order_no: T.BinaryType = column(doc="bytes")

        class Config:
            metadata = table("erp", "orders", key=["order_no"])

    extract = estate(tmp_path)
    with pytest.raises(ConfigurationError, match="'order_no' is binary, which a sqlite source"):
        check_sources(extract.project, type(extract.translation)((Photo,)))


def test_an_input_that_changes_while_it_is_read_fails_the_run(spark, tmp_path):
    extract = estate(tmp_path)
    named = extract.positions()
    write(tmp_path / "in" / "releases.csv", "order_no,region\n2,eu\n")
    with pytest.raises(RunFailed, match="warehouse changed while the run was reading"):
        extract.run(spark, positions=named)


def test_rows_that_get_lost_on_the_way_fail_the_run(spark, tmp_path, monkeypatch):
    from cutline.sources import read

    whole = read.snapshot_changes
    monkeypatch.setattr(
        read, "snapshot_changes", lambda *a, **k: whole(*a, **k).where("key is null")
    )
    with pytest.raises(ConservationError, match=r"erp.orders: the source handed over 1 rows, 0"):
        estate(tmp_path).run(spark)


def test_the_project_may_say_when_the_extract_was_taken(spark, tmp_path):
    extract = estate(tmp_path)
    extract.sources["erp"]["extracted_at"] = "2026-11-01T03:00:00+01:00"
    later = dt.datetime(2026, 11, 2, tzinfo=dt.UTC)
    extracted = extract.run(spark, extract_times={"warehouse": later})
    times = {
        name: extracted.rows(name, "cast(extract_time as string)")
        for name in ("erp_orders", "warehouse_releases")
    }
    assert times == {
        "erp_orders": [("2026-11-01 02:00:00",)],
        "warehouse_releases": [("2026-11-02 00:00:00",)],
    }
    assert (
        extracted.result.stored()["facts"]["extracts"]["erp"]["extracted_at"]
        == "2026-11-01T02:00:00+00:00"
    )


def test_nothing_of_the_scratch_is_left(spark, tmp_path):
    estate(tmp_path).run(spark)
    left = {p.name for p in (tmp_path / "lake" / "eu").iterdir()}
    assert left == {"changes_erp_orders", "changes_warehouse_releases"}


@pytest.mark.parametrize(
    ("place", "message"),
    [("gone.db", "is not there; it is to be a database file"), ("in", "is none; it is to be")],
)
@pytest.mark.parametrize("key", ["truth", "baseline"])
def test_a_place_to_ask_the_legacy_in_is_there_before_any_work(tmp_path, key, place, message):
    extract = estate(tmp_path)
    extract.sources["erp"][key] = place
    with pytest.raises(ConfigurationError, match=message) as raised:
        check_sources(extract.project, extract.translation)
    assert f"sources.erp.{key}" in raised.value.what
