"""What a certificate says of a database that was read in chunks under the run's own snapshot."""

from __future__ import annotations

import datetime as dt

from cutline.results import ChunkAccount, SourceExtract
from cutline.sources.postgres import Moment
from cutline.stages.chunks import chunks_prove, exported_point

NOW = Moment("7", "erp", 1, "0/16B3748", "700:705:701", exact=False)


def extract(**chunks):
    accounts = {
        table: tuple(ChunkAccount(condition=c, rows=n, visible=v) for c, n, v in parts)
        for table, parts in chunks.items()
    }
    return SourceExtract(
        extracted_at=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
        position=f"sha256:0 {NOW.text}",
        chunks=accounts,
    )


def test_every_chunk_is_told_with_the_rows_of_all():
    says = chunks_prove(
        extract(
            orders=[("id < 5", 4, NOW.visible), ("id >= 5", 1, "690:690:")],
            sites=[("true", 1, NOW.visible)],
        )
    )
    assert says == (
        "every table was locked against a TRUNCATE before the snapshot 700:705:701 was taken, and its "
        "chunks have as many rows as it has in that snapshot: orders 5 rows in 2 chunks that leave no "
        "gap (id < 5 | id >= 5), of which 1 were read before an interruption: nothing has written to "
        "them since; sites 1 row in one chunk"
    )


def test_of_many_chunks_the_first_and_the_last_are_told():
    says = chunks_prove(extract(orders=[(f"c{i}", 1, NOW.visible) for i in range(9)]))
    assert says.endswith("orders 9 rows in 9 chunks that leave no gap (c0 | c1 | c2 | … | c8)")


def test_only_an_exported_point_proves_itself():
    at = {"erp.snapshot": NOW.text}
    assert exported_point(at, "erp") is None
    assert exported_point({}, "erp") is None
    exact = Moment("7", "erp", 1, "0/16B3748", "700:700:", exact=True)
    assert exported_point({"erp.snapshot": exact.text}, "erp") == (
        "the snapshot that a slot exported at 0/16B3748, which every connection of the extract "
        "imported: each compared what it sees with 700:700:"
    )
