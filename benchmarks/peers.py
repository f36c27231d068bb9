"""What peers say of small tables whose one difference is known: which find it, and which do not.

    python benchmarks/peers.py [--write]

Each case is two literal tables, and what a comparison must say: how many keys differ. Asked are
Cutline's `compare`, datacompy, pyspark-extension and reladiff, as far as they are installed (see
README). Prints Markdown; with `--write` it replaces the table in docs/seeded-breaks.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from cutline.project.spark import SparkSection
from cutline.spark.session import session
from cutline_reconciliation.compare import compare

PAGE = Path(__file__).parents[1] / "docs" / "seeded-breaks.md"
MARK = "<!-- made by benchmarks/peers.py -->"


@dataclass(frozen=True)
class Case:
    """Two tables with a key `k`, as rows of SQL, and the keys that differ."""

    name: str
    columns: str
    left: str
    right: str
    differs: int


CASES = (
    Case("the same rows in another order", "k, a", "(1, 'x'), (2, 'y')", "(2, 'y'), (1, 'x')", 0),
    Case("two empty tables", "k, a", "", "", 0),
    Case("lost row", "k, a", "(1, 'x'), (2, 'y')", "(1, 'x')", 1),
    Case("invented row", "k, a", "(1, 'x')", "(1, 'x'), (2, 'y')", 1),
    Case("doubled row", "k, a", "(1, 'x'), (2, 'y')", "(1, 'x'), (1, 'x'), (2, 'y')", 1),
    Case("duplicates on both sides, alike, in another order", "k, a",
         "(1, 'x'), (1, 'y')", "(1, 'y'), (1, 'x')", 0),
    Case("stale value", "k, a", "(1, 'CLOSED')", "(1, 'NEW')", 1),
    Case("swapped columns", "k, a, b", "(1, 'x', 'y')", "(1, 'y', 'x')", 1),
    Case("shifted boundary", "k, a, b", "(1, 'a|b', 'c')", "(1, 'a', 'b|c')", 1),
    Case("truncated text", "k, a", "(1, 'delivered')", "(1, 'deliver')", 1),
    Case("trailing space", "k, a", "(1, 'x')", "(1, 'x ')", 1),
    Case("null and its name", "k, a", "(1, cast(null as string))", "(1, '<null>')", 1),
    Case("null and the empty text", "k, a", "(1, cast(null as string))", "(1, '')", 1),
    Case("Unicode form", "k, a", "(1, '\u00e9')", "(1, 'e\u0301')", 1),
    Case("rounding", "k, a", "(1, 10.49BD)", "(1, 10.00BD)", 1),
    Case("unit change", "k, a", "(1, 1049L)", "(1, 104900L)", 1),
    Case("neighbours beyond 2^53", "k, a", "(1, 9007199254740993L)", "(1, 9007199254740992L)", 1),
    Case("the same decimal, another scale", "k, a", "(1, 1.10BD)", "(1, 1.1BD)", 0),
    Case("time zone shift", "k, a", "(1, timestamp'2026-11-01 10:00:00Z')",
         "(1, timestamp'2026-11-01 11:00:00Z')", 1),
    Case("off-by-one period", "k, a", "(1, date'2026-11-01')", "(1, date'2026-12-01')", 1),
    Case("NaN on both sides", "k, a", "(1, double('NaN'))", "(1, double('NaN'))", 0),
    Case("a field of a struct", "k, a", "(1, struct(1 as x))", "(1, struct(2 as x))", 1),
    Case("a null struct, and a struct of nulls", "k, a", "(1, cast(null as struct<x:int>))",
         "(1, struct(cast(null as int) as x))", 1),
    Case("a map in another order", "k, a", "(1, map('a', 1, 'b', 2))",
         "(1, map('b', 2, 'a', 1))", 0),
    Case("a value of a map", "k, a", "(1, map('a', 1))", "(1, map('a', 2))", 1),
    Case("bytes", "k, a", "(1, X'00FF')", "(1, X'00FE')", 1),
    Case("a column more, of nulls", "k, a|k, a, b", "(1, 'x')", "(1, 'x', cast(null as int))", -1),
)  # fmt: skip


def frames(spark: SparkSession, case: Case) -> tuple[DataFrame, DataFrame]:
    names = case.columns.split("|")
    sides = []
    for rows, columns in ((case.left, names[0]), (case.right, names[-1])):
        empty = rows or "(1, 'x')"
        frame = spark.sql(f"SELECT * FROM VALUES {empty} AS t({columns})")
        sides.append(frame if rows else frame.where("false"))
    return sides[0], sides[1]


def cutline(left: DataFrame, right: DataFrame) -> str:
    result = compare(left, right, ["k"])
    if result.columns_only_left or result.columns_only_right:
        return "differ: a column more"
    doubled = result.duplicate_keys_unlike
    differing = result.changed + result.only_left + result.only_right + doubled
    return f"{differing} differ" if differing else "equal"


def datacompy(left: DataFrame, right: DataFrame) -> str:
    from datacompy import SparkSQLCompare

    comparison = SparkSQLCompare(left.sparkSession, left, right, join_columns=["k"])
    if comparison.matches():
        return "equal"
    if comparison.df1_unq_columns() or comparison.df2_unq_columns():
        return "differ: a column more"
    rows = comparison.count_matching_rows()
    unequal = comparison.intersect_rows.count() - rows
    apart = comparison.df1_unq_rows.count() + comparison.df2_unq_rows.count()
    return f"{unequal + apart} differ" if unequal + apart else "differ, nothing told"


def extension(left: DataFrame, right: DataFrame) -> str:
    import gresearch.spark.diff  # noqa: F401  adds DataFrame.diff

    differing = left.diff(right, "k").where("diff <> 'N'").count()  # type: ignore[operator]
    return f"{differing} differ" if differing else "equal"


def reladiff(left: DataFrame, right: DataFrame) -> str:
    import duckdb
    from reladiff import Algorithm, connect, diff_tables

    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/both.duckdb"
        with duckdb.connect(place) as database:
            for name, frame in (("l", left), ("r", right)):
                rows = frame.toArrow()
                database.register("given", rows)
                database.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
                database.unregister("given")
        database = connect({"driver": "duckdb", "filepath": place})
        tables = [
            database_table(database, name, frame) for name, frame in (("l", left), ("r", right))
        ]
        differences = list(diff_tables(*tables, algorithm=Algorithm.HASHDIFF))
    keys = {row[1][0] for row in differences}
    return f"{len(keys)} differ" if keys else "equal"


def database_table(database: object, name: str, frame: DataFrame) -> object:
    from reladiff import TableSegment

    more = tuple(c for c in frame.columns if c != "k")
    return TableSegment(database, (name,), ("k",), extra_columns=more).with_schema()


PEERS: dict[str, tuple[str, Callable[[DataFrame, DataFrame], str]]] = {
    "Cutline": ("cutline", cutline),
    "datacompy": ("datacompy", datacompy),
    "pyspark-extension": ("gresearch", extension),
    "reladiff": ("reladiff", reladiff),
}


def answer(ask: Callable[[DataFrame, DataFrame], str], sides: tuple[DataFrame, DataFrame]) -> str:
    try:
        return ask(*sides)
    except Exception as error:  # whatever a peer raises is what it says
        return f"fails: {type(error).__name__}"


def expected_answer(case: Case) -> str:
    if case.differs < 0:
        return "differ: a column more"
    return f"{case.differs} differ" if case.differs else "equal"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    spark = session(SparkSection(master="local[2]"))
    peers = {n: ask for n, (module, ask) in PEERS.items() if importlib.util.find_spec(module)}
    lines = [f"| {' | '.join(['tables', *peers])} |", f"|---|{'---|' * len(peers)}"]
    for case in CASES:
        right = expected_answer(case)
        answers = [answer(ask, frames(spark, case)) for ask in peers.values()]
        cells = [one if one == right else f"**{one}**" for one in answers]
        lines.append(f"| {' | '.join([f'{case.name}: {right}', *cells])} |")
    table = "\n".join(lines)
    print(table)
    if options.write:
        head, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
        PAGE.write_text(f"{head}{MARK}\n\n{table}\n", encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
