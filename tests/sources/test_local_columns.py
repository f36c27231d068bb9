"""A column that a contract declares as a local time stays one, whatever zone the file is in."""

from __future__ import annotations

import datetime as dt
import json

import pyspark.sql.types as T
import pytest

from cutline.translator import SourceContract, column, table
from support.extracting import Extract, write


class Slot(SourceContract):
    """One slot."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    opens: T.TimestampNTZType = column(doc="when its shop opens, by the shop's clock")
    booked: T.TimestampType = column(doc="when it was booked")
    days: T.ArrayType(T.TimestampNTZType()) = column(doc="its days, by the shop's clock")

    class Config:
        metadata = table("shop", "slots", key=["id"])


def test_its_type_is_that_of_its_annotation():
    assert Slot.ddl() == (
        "struct<`id`: int, `opens`: timestamp_ntz, `booked`: timestamp, `days`: "
        "array<timestamp_ntz>>"
    )


@pytest.mark.parametrize(
    ("zone", "local"),
    [
        ("Pacific/Apia", "2026-07-01 12:00:00"),
        # No clock of the zone shows the one, and the other twice.
        ("Europe/Berlin", "2026-03-29 02:30:00"),
        ("Europe/Berlin", "2026-10-25 02:30:00"),
    ],
)
def test_a_local_time_is_read_as_it_is_written(spark, tmp_path, zone, local):
    row = {"id": "1", "opens": local, "booked": "2026-07-01 12:00:00", "days": json.dumps([local])}
    record = {"data": [row], "database": "shop", "table": "slots", "type": "INSERT", "es": 1}
    write(tmp_path / "in.json", json.dumps(record | {"old": None}))
    changes = {"kind": "canal", "path": "in.json", "zone": zone, "snapshot": {"policy": "in-log"}}
    sources = {"shop": {"kind": "log", "tables": {"slots": {}}, "changes": changes}}
    extracted = Extract(tmp_path, sources, (Slot,)).run(spark)
    image = extracted.lake.read(spark, "changes_shop_slots").first()["after"]
    wall = dt.datetime.fromisoformat(local)
    assert (image["opens"], image["days"]) == (wall, [wall])
    assert image["booked"] != dt.datetime(2026, 7, 1, 12)


class Hours(SourceContract):
    """Opening hours."""

    opens: T.TimestampNTZType = column(doc="when its shop opens, by the shop's clock")

    class Config:
        metadata = table("shop", "hours", key=["opens"])


@pytest.mark.parametrize(("kind", "errors"), [("TIMESTAMP_NTZ", 0), ("TIMESTAMP", 1)])
def test_pandera_tells_it_from_an_instant(spark, kind, errors):
    rows = spark.sql(f"SELECT {kind}'2026-07-01 12:00' AS opens")
    assert len(Hours.validate(rows).pandera.errors) == errors
