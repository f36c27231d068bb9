"""A source that is a change file alone: its table is profiled by the images that it tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.profile import TableProfile
from cutline.profile.profiled import profile
from cutline.project.loaded import LoadedProject
from support.extracting import Extract, change, write

PLACEHOLDER = "__debezium_unavailable_value"


def order(number: int, status: str, region: str = "eu", note: str = "n") -> dict[str, Any]:
    return {"no": number, "status": status, "region": region, "note": note}


LINES = (
    change("r", None, order(1, "NEW"), commit=None, row=1),
    change("c", None, order(2, "NEW", "us"), commit=10, row=11),
    change("u", order(1, "NEW"), order(1, "SENT", note=PLACEHOLDER), commit=20, row=21),
    change("u", order(1, "SENT"), order(1, "SENT", note="late"), commit=30, row=31),
    change("d", order(2, "NEW", "us"), None, commit=40, row=41),
    change("c", None, order(3, "NEW", "us"), commit=45, row=46),
    change("c", None, {"no": 9}, commit=50, row=51, table="others"),
)


def project(folder: Path, name: str = "orders", lines: tuple[str, ...] = LINES) -> LoadedProject:
    write(folder / "changes.jsonl", "\n".join(lines) + "\n")
    changes = {"kind": "debezium", "path": "changes.jsonl", "snapshot": {"policy": "in-log"}}
    table = {"name": name, "region": "region = :region"}
    source = {"kind": "log", "tables": {"orders": table}, "changes": changes}
    return Extract(folder, {"erp": source}, ()).project


def profiled(spark: Any, folder: Path, **more: Any) -> TableProfile:
    return profile(spark, project(folder), "erp", "orders", **more)


def test_rows_are_images_and_keys_are_those_of_rows_that_came(spark, tmp_path):
    table_profile = profiled(spark, tmp_path)
    assert (table_profile.kind, table_profile.rows, table_profile.keys) == ("log", 5, (("no",),))
    assert [(c.name, c.type, c.nulls) for c in table_profile.columns] == [
        ("no", "bigint", 0),
        # A value that the connector did not send is no value.
        ("note", "string", 1),
        ("region", "string", 0),
        ("status", "string", 0),
    ]
    (status,) = (c for c in table_profile.columns if c.name == "status")
    assert [(v.value, v.rows) for v in status.top] == [("NEW", 3), ("SENT", 2)]


def test_a_region_and_columns_about_people(spark, tmp_path):
    table_profile = profiled(spark, tmp_path, region="us", personal=("note", "not there"))
    assert (table_profile.rows, table_profile.keys) == (2, (("no",),))
    assert [c.name for c in table_profile.columns if c.hidden] == ["note"]


def test_a_file_without_the_table_is_refused(spark, tmp_path):
    with pytest.raises(ConfigurationError, match=r"tells of no row of table 'ORDERS'") as error:
        profile(spark, project(tmp_path, "ORDERS"), "erp", "orders")
    assert "sources.erp.tables.orders.name" in str(error.value.next_step)


def test_bytes_of_no_character_are_an_unreadable_row(spark, tmp_path):
    broken = json.dumps(json.loads(LINES[1])).encode().replace(b'"NEW"', b'"\xff"')
    write(tmp_path / "x", b"")
    loaded = project(tmp_path)
    (tmp_path / "changes.jsonl").write_bytes(LINES[0].encode() + b"\n" + broken + b"\n")
    table_profile = profile(spark, loaded, "erp", "orders")
    assert (table_profile.rows, table_profile.unreadable) == (2, 1)
