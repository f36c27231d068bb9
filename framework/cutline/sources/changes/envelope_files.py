"""The envelopes of a change file, written once: each line is parsed in this pass alone."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.sources.changes.envelope import END, ROW
from cutline.spark.written_aside import written_aside
from cutline.tables.change import SNAPSHOT

_NARROW = (
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
_MOVED_IMAGE = "moved_image"


def write_envelopes(envelopes: DataFrame, folder: str) -> DataFrame:
    """The envelopes (`envelope.ENVELOPE`), read from the Parquet files written to a folder.

    Beside them `moved_image` is the image before of a row whose key was changed, as text that
    `parse_json` reads back; null for others.
    """
    moved = f"CASE WHEN kind = '{ROW}' AND newkey IS NOT NULL THEN CAST(before AS string) END"
    return written_aside(envelopes.selectExpr("*", f"{moved} AS {_MOVED_IMAGE}"), folder)


def narrow_table(written: DataFrame) -> DataFrame:
    """All columns of written envelopes but the images: what the checks of the whole file look at.

    `committed` is the commit time of changes and of ends; null for rows of snapshots, which have
    `read_at`: when the connector read them. `image` is the image before of a row whose key was
    changed, as text; null for others.
    """
    streamed = (
        f"CASE WHEN kind = '{END}' OR (kind = '{ROW}' AND op <> '{SNAPSHOT}') THEN committed END"
    )
    read = f"CASE WHEN kind = '{ROW}' AND op = '{SNAPSHOT}' THEN committed END"
    return written.selectExpr(
        *(f"`{c}`" for c in _NARROW),
        f"{streamed} AS committed",
        f"{read} AS read_at",
        f"{_MOVED_IMAGE} AS image",
    )
