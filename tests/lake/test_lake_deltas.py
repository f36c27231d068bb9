"""Deltas over a base: the whole table is read, its digest adds up, and damage below is noticed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.lake import Lake, Over, Replaced
from cutline.lake.base import MOST_DELTAS, base_of
from cutline.lake.manifest import difference, seeming_difference
from cutline.lake.table_write import TableWrite
from cutline.tables import Column, Table

Row = tuple[str | None, int]

HISTORY_TABLE = Table(
    name="history",
    one_row_is="a thing",
    columns=(Column("key", "string", "its key"), Column("n", "int", "a number")),
)
KEYS = Table(
    name="keys", one_row_is="a key that came again", columns=(Column("key", "string", "it"),)
)


class History:
    """Runs of one slice, each of which has the table over that of the run before."""

    def __init__(self, spark: SparkSession, root: Path) -> None:
        self.spark, self.root = spark, root
        self.writes: list[TableWrite] = []

    def lake(self, run: int) -> Lake:
        return Lake(f"{self.root}/run{run}")

    def path(self, run: int) -> str:
        return self.lake(run).path("history")

    def begin(self, rows: Iterable[Row]) -> None:
        self.writes.append(self.lake(0).write(self._frame(rows), HISTORY_TABLE))

    def go_on(self, keys: Iterable[str | None], rows: Iterable[Row], of_base: str = "true") -> None:
        run = len(self.writes)
        self.lake(run).write(self.spark.createDataFrame([(k,) for k in keys], KEYS.ddl), KEYS)
        over = Over(
            f"run{run - 1}",
            self.path(run - 1),
            self.writes[-1].table,
            (Replaced("keys", {"key": "key"}, of_base),),
            {"numbers": F.sum("n")},
        )
        frame, counts = self._frame(rows), {"numbers": F.sum("n")}
        self.writes.append(self.lake(run).write(frame, HISTORY_TABLE, counts, over))

    def rows(self) -> list[Row]:
        frame = self.lake(len(self.writes) - 1).read(self.spark, HISTORY_TABLE)
        return sorted(((r.key, r.n) for r in frame.collect()), key=repr)

    def _frame(self, rows: Iterable[Row]) -> DataFrame:
        return self.spark.createDataFrame(list(rows), HISTORY_TABLE.ddl)


def test_a_delta_replaces_the_rows_of_its_keys_null_among_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    history = History(spark, tmp_path)
    history.begin([("a", 1), ("a", 2), ("b", 3), (None, 4)])
    history.go_on(["a", None, "z"], [("a", 5), (None, 6), (None, 7)])
    assert history.rows() == [("a", 5), ("b", 3), (None, 6), (None, 7)]
    write = history.writes[-1]
    assert (write.table.rows, write.new_rows, write.gone_rows) == (4, 3, 3)
    assert (write.counts, write.gone_counts) == ({"numbers": 18}, {"numbers": 7})
    new = history.lake(1).read_new(spark, HISTORY_TABLE)
    assert sorted(r.n for r in new.collect()) == [5, 6, 7]


def test_rows_for_which_the_condition_does_not_hold_stay(
    spark: SparkSession, tmp_path: Path
) -> None:
    history = History(spark, tmp_path)
    history.begin([("a", 1), ("a", 9)])
    history.go_on(["a"], [("a", 2)], of_base="n < 5")
    assert history.rows() == [("a", 2), ("a", 9)]


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_rows_and_digest_are_those_of_the_table_written_whole(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    keys = st.sampled_from(["a", "b", "c", None])
    rows_of = st.lists(st.tuples(keys, st.integers(0, 9)), max_size=5)
    history = History(spark, tmp_path_factory.mktemp("lake"))
    expected = data.draw(rows_of)
    history.begin(expected)
    for _ in range(data.draw(st.integers(1, 3))):
        again, new = data.draw(st.sets(keys, max_size=3)), data.draw(rows_of)
        expected = [row for row in expected if row[0] not in again] + new
        history.go_on(again, new)
    assert history.rows() == sorted(expected, key=repr)
    whole = History(spark, tmp_path_factory.mktemp("whole"))
    whole.begin(expected)
    assert history.writes[-1].table == whole.writes[0].table


def test_after_many_deltas_the_table_is_written_whole(spark: SparkSession, tmp_path: Path) -> None:
    history = History(spark, tmp_path)
    history.begin(("a", n) for n in range(100))
    for _ in range(MOST_DELTAS):
        history.go_on(["b"], [("b", 1)])
    deepest = base_of(history.path(MOST_DELTAS))
    assert deepest is not None
    assert deepest.deltas == MOST_DELTAS
    history.go_on(["b"], [("b", 2)])
    last = len(history.writes) - 1
    assert base_of(history.path(last)) is None
    for run in range(last):
        shutil.rmtree(f"{tmp_path}/run{run}")
    assert history.rows()[-1] == ("b", 2)
    assert history.writes[-1].table.rows == 101


def test_a_large_delta_is_written_whole(spark: SparkSession, tmp_path: Path) -> None:
    history = History(spark, tmp_path)
    history.begin([("a", 1), ("b", 2)])
    history.go_on(["a"], [("a", 3)])
    assert base_of(history.path(1)) is None
    assert history.rows() == [("a", 3), ("b", 2)]
    assert [r.n for r in history.lake(1).read_new(spark, HISTORY_TABLE).collect()] == [3]


def test_two_tables_of_one_pass_go_on_together(spark: SparkSession, tmp_path: Path) -> None:
    good = Table("good", "a good thing", HISTORY_TABLE.columns)
    bad = Table("bad", "a bad thing", (*HISTORY_TABLE.columns, Column("why", "string", "why")))
    schema = "key string, n int, why string, fine boolean"
    first, second = Lake(f"{tmp_path}/run0"), Lake(f"{tmp_path}/run1")
    rows = [("a", n, None, True) for n in range(9)] + [("b", 1, "odd", False)]
    written = first.write_both(spark.createDataFrame(rows, schema), "fine", good, bad)
    second.write(spark.createDataFrame([("b",)], KEYS.ddl), KEYS)
    over = tuple(
        Over("run0", first.path(w.table.name), w.table, (Replaced("keys", {"key": "key"}),))
        for w in written
    )
    new = spark.createDataFrame([("b", 1, None, True)], schema)
    accepted, refused = second.write_both(new, "fine", good, bad, (over[0], over[1]))
    assert (accepted.table.rows, refused.table.rows) == (10, 0)
    assert second.read(spark, bad).count() == 0
    assert second.read(spark, good).where("key = 'b'").count() == 1
    expected = Lake(f"{tmp_path}/whole").write_both(
        spark.createDataFrame([*rows[:-1], ("b", 1, None, True)], schema), "fine", good, bad
    )
    assert [w.table for w in expected] == [accepted.table, refused.table]


def test_a_table_without_news_is_no_deeper(spark: SparkSession, tmp_path: Path) -> None:
    history = History(spark, tmp_path)
    history.begin(("a", n) for n in range(20))
    for run in (1, 2):
        over = Over(f"run{run - 1}", history.path(run - 1), history.writes[-1].table)
        history.writes.append(TableWrite(history.lake(run).go_on(spark, over)))
        assert history.writes[-1].table == history.writes[0].table
        assert history.lake(run).read_new(spark, HISTORY_TABLE).count() == 0
    history.go_on(["b"], [("b", 1)])
    assert base_of(history.path(3)).run_id == "run0"  # type: ignore[union-attr]
    assert len(history.rows()) == 21
    for run in (1, 2):
        recorded = history.writes[run].table
        assert difference(history.path(run), recorded.manifest) is None


def test_a_base_that_was_changed_or_is_gone_is_noticed(spark: SparkSession, tmp_path: Path) -> None:
    history = History(spark, tmp_path)
    history.begin(("a", n) for n in range(20))
    history.go_on(["b"], [("b", 1)])
    recorded = history.writes[-1].table
    path = history.path(1)
    assert difference(path, recorded.manifest) is None
    assert seeming_difference(path, recorded.manifest, recorded.rows) is None
    file = next(Path(history.path(0)).glob("part-*.parquet"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    says = difference(path, recorded.manifest)
    assert says is not None
    assert "run run0, from which it goes on" in says
    shutil.rmtree(history.path(0))
    assert "_manifest.json is missing" in str(difference(path, recorded.manifest))
    with pytest.raises(RunFailed, match="goes on from"):
        history.rows()
