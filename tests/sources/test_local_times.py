"""Local times and their instants: none in a gap, two where a clock shows a time twice."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest
from pyspark.sql import functions as F

from cutline.sources.local_times import instant, instant_sql

ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia",
    "Africa/Casablanca", "Asia/Kathmandu",
)  # fmt: skip
YEARS = (1986, 2011, 2024)
HOUR = dt.timedelta(hours=1)


def changes(zone: ZoneInfo) -> Iterator[dt.datetime]:
    """The hours, as its clocks show them, in which the zone's offset changes."""
    for year in YEARS:
        at = dt.datetime(year, 1, 1, tzinfo=dt.UTC)
        while at.year == year:
            if at.astimezone(zone).utcoffset() != (at + HOUR).astimezone(zone).utcoffset():
                yield at.astimezone(zone).replace(tzinfo=None)
            at += HOUR


def moments(zone: ZoneInfo, local: dt.datetime) -> list[dt.datetime]:
    """The instants at which clocks in the zone show a time, in their order."""
    instants = {local.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1)}
    return sorted(at for at in instants if at.astimezone(zone).replace(tzinfo=None) == local)


def test_a_time_is_the_instant_at_which_clocks_show_it(spark) -> None:
    cases = []
    for name in ZONES:
        zone = ZoneInfo(name)
        for change in changes(zone):
            near = (change + dt.timedelta(minutes=13 * i) for i in range(-15, 130))
            for local in near:
                instants = moments(zone, local)
                first, second = (instants[0], instants[-1]) if instants else (None, None)
                only = instants[0] if len(instants) == 1 else None
                cases.append((name, str(local), *(a and str(a) for a in (only, first, second))))
    texts = spark.createDataFrame(
        cases, "zone string, local string, only string, first string, second string"
    )
    times = texts.select(
        "zone", *(F.col(c).cast("timestamp").alias(c) for c in ("local", "only", "first", "second"))
    )
    local = F.col("local")
    choices = {"only": None, "first": "first", "second": "second"}
    wrong = F.lit(False)
    for zone in ZONES:
        for column, doubled in choices.items():
            agrees = instant(local, zone, doubled).eqNullSafe(F.col(column))
            wrong = wrong | ((F.col("zone") == zone) & ~agrees)
    assert {len(moments(ZoneInfo(z), dt.datetime.fromisoformat(at))) for z, at, *_ in cases} == {
        0, 1, 2,
    }  # fmt: skip
    assert times.where(wrong).collect() == []


@pytest.mark.parametrize(
    ("zone", "local", "expected"),
    [
        ("Europe/Berlin", "TIMESTAMP '2026-03-29 02:30:00'", None),
        ("Europe/Berlin", "TIMESTAMP '2026-10-25 02:30:00'", None),
        ("Europe/Berlin", "TIMESTAMP '2026-07-01 12:00:00'", "2026-07-01 10:00:00"),
        ("+01:00", "TIMESTAMP '2026-03-29 02:30:00'", "2026-03-29 01:30:00"),
        ("Europe/Berlin", "CAST(NULL AS timestamp)", None),
        ("Europe/Berlin", "timestamp_micros(9223372036854775807)", None),
    ],
)
def test_a_time_without_its_one_instant_is_null(spark, zone, local, expected) -> None:
    row = spark.sql(f"SELECT CAST({instant_sql(local, zone)} AS string) AS at").first()
    assert row.at == expected
