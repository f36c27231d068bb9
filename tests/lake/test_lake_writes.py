"""Tables are written whole, with rows, counts and an order-independent digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError, RunFailed
from cutline.lake import Lake, run_folder
from cutline.tables import Column, Table

TABLE = Table(
    name="things",
    one_row_is="one thing",
    columns=(
        Column("a", "string", "a"),
        Column("b", "string", "b"),
        Column("n", "decimal(10,2)", "n"),
        Column("tags", "array<string>", "tags"),
        Column("inner", "struct<x:string,y:string>", "inner"),
    ),
)
ROWS: list[tuple[Any, ...]] = [
    ("x", None, 1, ["p", None], ("u", None)),
    (None, "x", 2, [], None),
    ("x", "y", None, None, (None, None)),
]


def frame(spark: SparkSession, rows: list[tuple[Any, ...]]) -> Any:
    return spark.createDataFrame(
        rows, "a string, b string, n int, tags array<string>, inner struct<x:string,y:string>"
    )


def test_a_table_has_the_columns_types_and_counts_of_its_contract(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = Lake(str(tmp_path))
    given_rows = frame(spark, ROWS).withColumn("extra", F.lit(7))
    written = lake.write(
        given_rows, TABLE, {"xs": F.count_if(F.col("a") == "x"), "e": F.sum("extra")}
    )
    assert (written.table.name, written.table.rows) == ("things", 3)
    assert written.counts == {"xs": 2, "e": 21}
    back = lake.read(spark, "things")
    assert [f"{f.name} {f.dataType.simpleString()}" for f in back.schema.fields] == [
        f"{c.name} {c.type}" for c in TABLE.columns
    ]
    assert {p.name for p in tmp_path.iterdir()} <= {"things", "_writing"}


def test_the_digest_knows_rows_but_not_their_order(spark: SparkSession, tmp_path: Path) -> None:
    def digest(rows: list[tuple[Any, ...]], parts: int = 1) -> str:
        given_rows = frame(spark, rows).repartition(parts)
        return Lake(str(tmp_path)).write(given_rows, TABLE).table.digest

    digest_of_rows = digest(ROWS)
    assert digest(ROWS[::-1], 3) == digest_of_rows
    others = [
        ROWS[:2],
        [*ROWS, ROWS[0]],
        [*ROWS, ROWS[0], ROWS[0]],
        [(None, "x", 1, ["p", None], ("u", None)), *ROWS[1:]],
        [("x", None, 1, [None, "p"], ("u", None)), *ROWS[1:]],
        [("x", None, 1, ["p", None], (None, "u")), *ROWS[1:]],
        [ROWS[0], (None, "x", 2, None, None), ROWS[2]],
        [ROWS[0], (None, "x", 2, [], (None, None)), ROWS[2]],
        [],
    ]
    assert len({digest_of_rows, *(digest(rows) for rows in others)}) == len(others) + 1


@settings(max_examples=5, deadline=None)
@given(
    st.lists(
        st.tuples(st.none() | st.text(max_size=3), st.none() | st.text(max_size=3)), max_size=8
    )
)
def test_digests_differ_where_multisets_of_rows_do(
    spark: SparkSession, pairs: list[tuple[str | None, str | None]]
) -> None:
    """Many multisets are judged in one job: each list, and each list less one row."""
    from cutline.lake.digest import digest_sums, row_hash

    cases = [pairs, *(pairs[:i] + pairs[i + 1 :] for i in range(len(pairs)))]
    rows = [(i, a, b) for i, case in enumerate(cases) for a, b in case]
    table = spark.createDataFrame(rows, "i int, a string, b string")
    hashed = table.withColumn("h", row_hash(table.drop("i").schema))
    sums = [c.alias(f"s{k}") for k, c in enumerate(digest_sums(F.col("h")))]
    sums_by_case = {r["i"]: tuple(r)[1:] for r in hashed.groupBy("i").agg(*sums).collect()}
    for i, case in enumerate(cases):
        for j, other_case in enumerate(cases):
            equal_rows = sorted(map(repr, case)) == sorted(map(repr, other_case))
            assert (sums_by_case.get(i) == sums_by_case.get(j)) == equal_rows


def test_a_failed_write_leaves_the_table_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write(frame(spark, ROWS), TABLE)
    broken = frame(spark, ROWS).withColumn("n", F.raise_error(F.lit("boom")))
    with pytest.raises(Exception, match="boom"):
        lake.write(broken, TABLE)
    assert lake.read(spark, "things").count() == 3


def test_what_a_killed_attempt_left_is_removed_and_no_reader_sees_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = Lake(str(tmp_path))
    half = tmp_path / "_writing" / "things-1"
    half.mkdir(parents=True)
    (half / "part-0.parquet").write_text("half")
    with pytest.raises(RunFailed, match="table things is not in"):
        lake.read(spark, "things")
    with lake.scratch_space(spark):
        assert not half.exists()
        Path(lake.scratch("mine")).mkdir(parents=True)
    assert not Path(lake.scratch("mine")).exists()


def test_a_lake_that_cannot_be_written_is_named(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("a file where the folder should be")
    lake = Lake(str(tmp_path / "lake"))
    with pytest.raises(RunFailed, match=r"table things cannot be written to .*lake"):
        lake.write(frame(spark, ROWS), TABLE)


def test_the_folder_of_a_run_stays_in_the_lake() -> None:
    assert run_folder("/lake/", "c", "r", "id") == "/lake/c/r/id"
    with pytest.raises(ConfigurationError):
        run_folder("/lake", "c", "..", "id")
