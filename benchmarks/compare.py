"""Comparing two tables beside a hand-written join and beside peers: ratios within one run.

    python benchmarks/compare.py [--rows N] [--drift PERCENT ...] [--repeat R] [--peers]

Two tables of 13 columns are written once: the right side holds the same rows in another order, of
which a share has one of two columns changed. Then, in turn and several times over: `compare`, with
all its counts; a full outer join written by hand that counts differences per column and cannot tell
duplicates; and with `--peers` pyspark-extension's diff with its change column, and datacompy, if
they are installed (see README). The first round is not counted. Prints Markdown; nothing is
asserted.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import tempfile
from collections.abc import Callable
from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from timed import Timed, in_turn
from used import watched

from cutline.project.spark import SparkSection
from cutline.spark.session import MEMORY_UNSIZED, session
from cutline_reconciliation.compare import compare


def hashed(seed: int) -> Column:
    return F.abs(F.xxhash64("id", F.lit(seed)))


def one_of(values: list[str], seed: int) -> Column:
    return F.element_at(F.array(*map(F.lit, values)), (hashed(seed) % len(values) + 1).cast("int"))


def moment(seed: int) -> Column:
    return F.timestamp_seconds(F.lit(1_600_000_000) + hashed(seed) % 100_000_000)


def orders(spark: SparkSession, rows: int) -> DataFrame:
    """A table of orders: a key of 64 bits, six texts, a decimal, a number, four moments."""
    return spark.range(0, rows, 1, 8).select(
        "id",
        F.concat(F.lit("SO-"), F.lpad(F.col("id").cast("string"), 9, "0")).alias("order_no"),
        F.concat(F.lit("D"), hashed(1) % 10).alias("depot"),
        one_of(["WEB", "STORE", "PHONE"], 2).alias("channel"),
        F.concat(F.lit("C"), hashed(3) % 1_000_000).alias("customer_no"),
        one_of(["NEW", "RELEASED", "CLOSED", "CANCL"], 4).alias("status"),
        F.lit("EUR").alias("currency"),
        ((hashed(5) % 1_000_000) / 100).cast("decimal(12,2)").alias("total"),
        (hashed(6) % 99 + 1).alias("items"),
        moment(7).alias("ordered_at"),
        F.when(hashed(8) % 2 == 0, moment(8)).alias("released_at"),
        F.when(hashed(9) % 3 == 0, moment(9)).alias("closed_at"),
        moment(10).alias("updated_at"),
    )


def drifted(table: DataFrame, percent: float) -> DataFrame:
    """The same rows in another order, of which a share has another status or another total."""
    hit = hashed(77) % 100_000 < round(percent * 1000)
    status, total = F.col("status"), F.col("total")
    return table.withColumns(
        {
            "status": F.when(hit & (hashed(11) % 2 == 0), "OTHER").otherwise(status),
            "total": F.when(hit & (hashed(11) % 2 == 1), total + 1)
            .otherwise(total)
            .cast("decimal(12,2)"),
        }
    ).orderBy(F.xxhash64("id"))


def by_hand(left: DataFrame, right: DataFrame) -> object:
    columns = [c for c in left.columns if c != "id"]
    sides = [
        frame.select(
            "id", F.lit(1).alias(f"in_{s}"), *(F.col(c).alias(f"{s}_{c}") for c in columns)
        )
        for frame, s in ((left, "l"), (right, "r"))
    ]
    in_both = F.col("in_l").isNotNull() & F.col("in_r").isNotNull()
    differs = [~F.col(f"l_{c}").eqNullSafe(F.col(f"r_{c}")) for c in columns]
    return (
        sides[0]
        .join(sides[1], "id", "full_outer")
        .agg(
            F.count("in_l"),
            F.count("in_r"),
            F.count_if(in_both & reduce(Column.__or__, differs)),
            F.count_if(F.col("in_r").isNull()),
            F.count_if(F.col("in_l").isNull()),
            *(F.count_if(in_both & one) for one in differs),
        )
        .collect()
    )


def extension(left: DataFrame, right: DataFrame) -> object:
    from gresearch.spark.diff import DiffOptions

    options = DiffOptions().with_change_column("changes")
    return left.diff(right, options, "id").groupBy("diff", "changes").count().collect()


def datacompy(left: DataFrame, right: DataFrame) -> object:
    from datacompy import SparkSQLCompare

    return SparkSQLCompare(left.sparkSession, left, right, join_columns=["id"]).report()


def cleared(spark: SparkSession) -> None:
    """Nothing cached, and no garbage: datacompy leaves both."""
    spark.catalog.clearCache()
    assert spark._jvm is not None
    spark._jvm.java.lang.System.gc()


PEERS = {
    "pyspark-extension, with its change column": ("gresearch", extension),
    "datacompy": ("datacompy", datacompy),
}


def measured(left: DataFrame, right: DataFrame, options: argparse.Namespace) -> list[str]:
    """Rows of a table, one per contestant."""
    work: dict[str, Callable[[DataFrame, DataFrame], object]] = {
        "compare": lambda a, b: compare(a, b, ["id"]),
        "full outer join by hand": by_hand,
    }
    for name, (module, peer) in PEERS.items() if options.peers else ():
        if importlib.util.find_spec(module) and name not in options.without:
            work[name] = peer
    timed = {name: Timed(lambda f=f: f(left, right)) for name, f in work.items()}
    in_turn(timed.values(), options.repeat, lambda: cleared(left.sparkSession))
    ours = timed["compare"]
    lines = []
    for name, timing in timed.items():
        ratio = ""
        if timing is not ours:
            ratio = f"{_ratio(ours.seconds, timing.seconds)}; {_ratio(ours.cpu, timing.cpu)}"
        middle = statistics.median(timing.seconds)
        lines.append(f"| {name} | {middle:.1f} | {min(timing.cpu):.1f} | {ratio} |")
    return lines


def _ratio(ours: list[float], theirs: list[float]) -> str:
    """The median of the rounds' ratios, the least and the most: a round's pieces come one after the
    other, so that a slow hour of the machine is in both."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--drift", type=float, nargs="+", default=[0, 1, 30])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--memory", default=MEMORY_UNSIZED)
    options = parser.parse_args()
    peak = watched(os.getpid())
    spark = session(SparkSection(master="local[2]", memory=options.memory))
    with tempfile.TemporaryDirectory(prefix="cutline-benchmark-") as name:
        folder = Path(name)
        orders(spark, options.rows).write.parquet(f"{folder}/left")
        left = spark.read.parquet(f"{folder}/left")
        for drift in options.drift:
            drifted(left, drift).write.parquet(f"{folder}/right-{drift}")
            right = spark.read.parquet(f"{folder}/right-{drift}")
            print(f"\n{options.rows:,} rows a side, {drift:g} % drift, Spark {spark.version}\n")
            print("| | s, median | CPU s, least | ours of it, by round; CPU |\n|---|---:|---:|---|")
            print("\n".join(measured(left, right, options)), flush=True)
    print(f"\npeak memory {peak[0]:,.0f} MiB")
    spark.stop()


if __name__ == "__main__":
    main()
