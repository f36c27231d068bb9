"""The narrow table of a change file: all columns of its envelopes but the images."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.sources.changes.envelope import END, ROW
from cutline.tables.change import SNAPSHOT

_COLUMNS = (
    *(
        "file",
        "number",
        "place",
        "item",
        "partition",
        "offset",
        "kind",
        "op",
        "table",
        "named",
        "schema",
    ),
    *("position", "numbered", "transaction", "ordinal", "scope", "last", "events", "lsn"),
    *("key_text", "newkey", "oldkey"),
)


def write_narrow(envelopes: DataFrame, folder: str) -> DataFrame:
    """The envelopes without their images, written to a folder so that records are parsed once.

    `committed` is the commit time of changes and of ends; null for rows of snapshots. `image` is
    the image before of a row whose key was changed, as text that `parse_json` reads back; null for
    others.
    """
    streamed = (
        f"CASE WHEN kind = '{END}' OR (kind = '{ROW}' AND op <> '{SNAPSHOT}') THEN committed END"
    )
    moved = f"CASE WHEN kind = '{ROW}' AND newkey IS NOT NULL THEN CAST(before AS string) END"
    narrow = envelopes.selectExpr(
        *(f"`{c}`" for c in _COLUMNS), f"{streamed} AS committed", f"{moved} AS image"
    )
    narrow.write.mode("overwrite").parquet(folder)
    return narrow.sparkSession.read.schema(narrow.schema).parquet(folder)
