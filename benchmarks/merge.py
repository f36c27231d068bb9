"""Merging beside a bare Spark job over the same events: ratios within one run.

    python benchmarks/merge.py [--events N ...] [--repeat R] [--skew]

Candidates (synthetic ones and, a tenth of them, native ones, half of which are twins) are written
once per size. Then, in turn and several times over: the merge as the stage does it, with verdicts,
causal order, findings, exceptions and books, and the projection; and a bare Spark job that unites
the same events, spreads them by subject, sorts them as a timeline and writes them. The first
round is not counted. Processor seconds tell more than the clock where others use the machine. With
`--skew` the merge also runs on as many events of which one subject has a million (or all, if there
are fewer), and on some of which one key has a tenth. Prints Markdown; nothing is asserted.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime as dt
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from timed import Timed, cpu_ratio, in_turn
from used import watched

from cutline.context import (
    Aggregate,
    Context,
    Event,
    Supersede,
    count,
    expects,
    last_of_types,
    latest,
    requires,
)
from cutline.engine.merge import split_by_verdict, with_verdicts
from cutline.engine.project import project, state_table
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.project.spark import SparkSection
from cutline.results import TRANSLATE, TranslateResult
from cutline.spark.session import MEMORY_UNSIZED, session
from cutline.stages.merge import run_merge
from cutline.tables import DISPOSITIONS, EVENTS, TIMELINE
from cutline.translator import Translation
from cutline.workspace import Workspace

EACH = 5
"""Events of a subject."""
SHARE = 10
"""One in so many events is native."""


class Placed(Event):
    """An order was placed."""

    order_no: str
    channel: str
    customer_no: str
    total: int


class Released(Event):
    """An order went to the warehouse."""

    order_no: str


class Completed(Event):
    """An order was completed."""

    order_no: str


class Noted(Event):
    """Somebody wrote something."""

    identified_by = ("no",)

    no: int


SHOP = Context(
    name="shop",
    doc="What the events belong to.",
    aggregates=(
        Aggregate(
            name="order",
            doc="One order.",
            events=(Placed, Released, Completed, Noted),
            state={
                "customer": latest("customer_no", Placed),
                "status": last_of_types(
                    {Placed: "placed", Released: "released", Completed: "done"}
                ),
                "notes": count(Noted),
            },
            order=(
                requires(Released, first=Placed),
                requires(Completed, first=Released),
                expects(Noted, first=Placed, rule="noted-before", missing="noted-unplaced"),
            ),
        ),
    ),
)


def even(n: Column) -> Column:
    """The subject of the n-th event, where all have as many."""
    return F.floor(n / EACH)


def one_large(count: int) -> Callable[[Column], Column]:
    """One subject has a million events, or half of all."""
    return lambda n: F.when(n < min(1_000_000, count // 2), F.lit(0)).otherwise(even(n))


def hot(n: Column) -> Column:
    """One key has a tenth of all rows."""
    return F.when(n % 10 == 0, F.lit(0)).otherwise(even(n))


def candidates(
    spark: SparkSession, count: int, subject_of: Callable[[Column], Column]
) -> DataFrame:
    """Events in the columns of EVENTS, as wide as ours are."""
    n = F.col("n")
    rows = spark.range(count).select(F.col("id").alias("n"), subject_of(F.col("id")).alias("s"))
    place = n % EACH
    native = n % SHARE == 9
    twin = native & (n % (2 * SHARE) == SHARE + 9)
    kind = (
        F.when(place == 0, "Placed")
        .when(place == 1, "Released")
        .when((place == 2) | twin, "Completed")
        .otherwise("Noted")
    )
    subject = F.concat(F.lit("SO-"), F.lpad(F.col("s").cast("string"), 9, "0"))
    hashed = F.sha1(F.concat_ws("/", n.cast("string"), F.lit("id")))
    fact = F.when(
        kind.isin("Completed"), F.sha1(F.concat_ws("/", subject, F.lit("Completed")))
    ).otherwise(F.sha1(F.concat_ws("/", n.cast("string"), F.lit("fact"))))
    data = (
        F.when(
            place == 0,
            F.concat(
                F.lit('{"channel":"WEB","customer_no":"C'),
                n.cast("string"),
                F.lit('","order_no":"'),
                subject,
                F.lit('","total":'),
                (n % 10_000).cast("string"),
                F.lit("}"),
            ),
        )
        .when(kind == "Noted", F.concat(F.lit('{"no":'), n.cast("string"), F.lit("}")))
        .otherwise(F.concat(F.lit('{"order_no":"'), subject, F.lit('"}')))
    )
    begin = F.lit("2026-01-01 00:00:00").cast("timestamp")
    values = {
        "id": F.substr(hashed, F.lit(1), F.lit(36)),
        "source": F.when(native, "urn:shop:live").otherwise("urn:cutline:shop:erp"),
        "type": kind,
        "subject": subject,
        # Every hundredth release comes before its order was placed.
        "time": F.timestamp_seconds(
            F.unix_timestamp(begin)
            + F.col("s") % 1_000_000
            + F.when((place == 1) & (n % 100 == 1), -9).otherwise(place) * 60
        ),
        "datacontenttype": F.lit("application/json"),
        "dataschema": F.concat(F.lit("urn:cutline:shop:"), kind, F.lit(":1")),
        "partitionkey": subject,
        "sequence": F.lpad(n.cast("string"), 41, "0"),
        "recordedtime": begin,
        "migorigin": F.when(native, "native").otherwise("synthetic"),
        "migreplaysafe": F.lit(True),
        "migconfidence": F.when(n % 7 == 0, "inferred").otherwise("exact"),
        "migtimebasis": F.lit("effective"),
        "migsrcsystem": F.lit("erp"),
        "migsrctable": F.lit("orders"),
        "migsrckey": F.concat(F.lit('["'), subject, F.lit('"]')),
        "migsrcpos": F.lpad(n.cast("string"), 41, "0"),
        "migextracttime": begin,
        "migtranslator": F.when(~native, "Orders"),
        "migtranslatorver": F.when(~native, "1.0.0"),
        "migbatchid": F.lit("extract-1"),
        "migrunid": F.lit("run-1"),
        "migregion": F.lit("eu-west"),
        "migcontext": F.lit("shop"),
        "migfactkey": F.substr(fact, F.lit(1), F.lit(36)),
        "aggregate": F.lit("order"),
        "side": F.when(n % 50 == 0, "after").otherwise("before"),
        "data": data,
    }
    none = F.lit(None)
    return rows.select(
        *(values.get(c.name, none).cast(c.type).alias(c.name) for c in EVENTS.columns)
    )


def workspace(folder: Path, count: int) -> Workspace:
    """What the stage is given: a project without live topics, for the native events are there."""
    content = {
        "version": 1,
        "name": "shop",
        "topics": {"prefix": "shop"},
        "sources": {"erp": {"kind": "parquet", "path": "erp", "tables": {"orders": {}}}},
        "contexts": {
            "shop": {
                "translation": {"use": "shop", "major": 1},
                "cut": {"policy": "commit-timestamp", "at": "2026-11-01T06:00:00Z"},
            }
        },
        "regions": {"all": {"everything": True}},
    }
    file = ProjectFile.model_validate(content)
    synthetic = count - count // SHARE
    return Workspace(
        run_id="benchmark",
        region="all",
        project=LoadedProject(file, folder, folder / "cutline.yaml", None),
        context=SHOP,
        translation=Translation("shop", "1.0.0", SHOP, ()),
        lake=Lake(str(folder / "lake")),
        recorded_at=dt.datetime(2026, 11, 1, 2, tzinfo=dt.UTC),
        positions={"erp": "benchmark"},
        done={TRANSLATE: TranslateResult(rows_in=count, rows_out=synthetic)},
    )


def measured(spark: SparkSession, folder: Path, count: int, options: argparse.Namespace) -> str:
    """All pieces of work on one number of events, as Markdown."""
    shapes = {"even": even}
    if options.skew:
        shapes |= {"one subject": one_large(count), "hot key": hot}
    given_to = {name: workspace(folder / name, count) for name in shapes}
    for name, shape in shapes.items():
        lake = given_to[name].lake
        lake.write(candidates(spark, count, shape), EVENTS)
        lake.write(spark.createDataFrame([], DISPOSITIONS.ddl), DISPOSITIONS)
    kept_there = given_to["even"].lake

    def bare() -> None:
        rows = kept_there.read(spark, EVENTS)
        native = F.col("migorigin") == "native"
        rows = rows.where(~native).unionByName(rows.where(native))
        rows = rows.repartition("aggregate", "subject")
        rows = rows.sortWithinPartitions("aggregate", "subject", "time", "sequence", "id")
        rows.write.mode("overwrite").parquet(f"{folder}/bare", compression="zstd")

    def merged(name: str) -> Callable[[], object]:
        def work() -> None:
            run_merge(given_to[name])
            (order,) = SHOP.aggregates
            lake = given_to[name].lake
            lake.write(project(lake.read(spark, TIMELINE), order), state_table(order))

        return work

    def alone() -> None:
        # As the stage asks it, which has one version of each translator.
        policy = dataclasses.replace(SHOP.merge, supersede=Supersede(enabled=False))
        rows = split_by_verdict(with_verdicts(kept_there.read(spark, EVENTS), SHOP, policy))
        rows.write.mode("overwrite").parquet(f"{folder}/bare", compression="zstd")

    work = {"bare": Timed(bare), "judged alone": Timed(alone)}
    work |= {f"merge and project, {name}": Timed(merged(name)) for name in shapes}
    in_turn(work.values(), options.repeat)
    lines = [
        f"{count:,} events",
        "",
        "| | s, least | s, median | CPU s, least | of the bare job's median; CPU |",
        "|---|---:|---:|---:|---|",
    ]
    base = work["bare"]
    for name, timing in work.items():
        middle = statistics.median(timing.seconds)
        ratio = f"{middle / statistics.median(base.seconds):.2f}; {cpu_ratio(timing.cpu, base.cpu)}"
        cells = [
            name,
            f"{min(timing.seconds):.1f}",
            f"{middle:.1f}",
            f"{min(timing.cpu):.1f}",
            ratio,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[200_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--skew", action="store_true")
    parser.add_argument("--memory", default=MEMORY_UNSIZED)
    parser.add_argument("--conf", nargs="*", default=[])
    options = parser.parse_args()
    peak = watched(os.getpid())
    conf = dict(one.split("=", 1) for one in options.conf)
    spark = session(SparkSection(master="local[2]", memory=options.memory, conf=conf))
    for events in options.events:
        with tempfile.TemporaryDirectory(prefix="cutline-benchmark-") as folder:
            print(measured(spark, Path(folder), events, options), flush=True)
            print(f"\npeak memory so far {peak[0]:,.0f} MiB\n", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
