"""How values of a table are shown: moments in UTC, and times without a zone as they stand there."""

from __future__ import annotations

from pyspark.sql import SparkSession

from cutline.api.tables.readable import readable


def test_a_time_without_a_zone_is_shown_without_a_z(spark: SparkSession) -> None:
    moment, local = (
        "TIMESTAMP '2026-03-04 09:00:00.000005Z'",
        "TIMESTAMP_NTZ '2026-03-04 09:00:00.000005'",
    )
    frame = spark.sql(
        f"SELECT {moment} AS m, {local} AS l, struct({moment} AS m, {local} AS l, null AS n) AS s"
    )
    (row,) = readable(frame).collect()
    at = "2026-03-04T09:00:00.000005"
    assert (row["m"], row["l"]) == (f"{at}Z", at)
    assert row["s"] == f'{{"m":"{at}Z","l":"{at}","n":null}}'
