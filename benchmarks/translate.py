"""Translating beside a bare Parquet copy of the same rows: ratios within one run.

    python benchmarks/translate.py [--rows N ...] [--repeat R] [--only NAME ...]

The extract's table of an order table with 13 columns is written once per size. Then, in turn and
several times over: the translate stage itself (contract and payload checks, dispositions, events,
digests, books) runs on it with four facts, with forty that announce as many events, and with four
of which one is in Python; a bare Spark job copies the rows that the stage has written, and one
those that it has read. The same again for a table with changes of a fifth of the orders, where
the bare job that copies what was read also spreads it by key and sorts it. The first round is not
counted. Processor seconds tell more than the clock where others use the machine. Prints one
Markdown table per size; nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orders
from pyspark.sql import SparkSession
from timed import cpu_ratio
from used import cpu_seconds, watched

from cutline.engine.translate import translate_changes
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.project.spark import SparkSection
from cutline.results import EXTRACT, ExtractResult
from cutline.spark.session import MEMORY_UNSIZED, session
from cutline.stages.translate import inputs_of, run_translate
from cutline.translator import Translation, Translator
from cutline.workspace import Workspace

CUT = "2026-11-01T06:00:00Z"
WRITTEN, READ = "bare copy of what is written", "bare copy of what is read"
SORTED = "bare exchange, sort and copy of what is read"


@dataclass
class Timed:
    """One piece of work: its seconds, by repetition, and what they are ratios of."""

    beside: tuple[str, ...]
    work: Callable[[], int]
    events: int = 0
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        began, used = time.perf_counter(), cpu_seconds(os.getpid())
        self.events = self.work()
        self.seconds.append(time.perf_counter() - began)
        self.cpu.append(cpu_seconds(os.getpid()) - used)


def project(folder: Path, changing: bool, changes: str = "none") -> LoadedProject:
    """A project of one source, with a change file, of the name `changes`, or without."""
    source: dict[str, Any] = {
        "kind": "parquet",
        "path": "erp",
        "tables": {"orders": {"path": "orders.parquet"}},
    }
    if changing:
        point = orders.CONSISTENT_POINT
        source["changes"] = {
            "kind": "debezium",
            "path": changes,
            "snapshot": {"policy": "exported-snapshot", "consistent_point": point},
        }
    context = {
        "translation": {"use": "shop", "major": 1},
        "cut": {"policy": "commit-timestamp", "at": CUT},
        "live": {"aggregates": []},
    }
    content = {
        "version": 1,
        "name": "shop",
        "topics": {"prefix": "shop"},
        "sources": {"erp": source},
        "contexts": {"shop": context},
        "regions": {"all": {"everything": True}},
    }
    file = ProjectFile.model_validate(content)
    return LoadedProject(file, folder, folder / "cutline.yaml", None)


def workspace(folder: Path, translator: type[Translator], rows: int, changing: bool) -> Workspace:
    """What the stage is given: the extract of `folder` is its own."""
    return Workspace(
        run_id="benchmark",
        region="all",
        project=project(folder, changing),
        context=orders.SHOP,
        translation=Translation("shop", "1.0.0", orders.SHOP, (translator,)),
        lake=Lake(str(folder)),
        recorded_at=orders.EXTRACTED,
        positions={"erp": "benchmark"},
        done={EXTRACT: ExtractResult(rows_in=rows, rows_out=rows, **{"extracts": {}})},
    )


def python_nodes(workspace: Workspace) -> int:
    """How many nodes of the physical plan run Python."""
    (translator,) = workspace.translation.translators
    plan = (
        translate_changes(translator, inputs_of(workspace))
        ._jdf.queryExecution()
        .executedPlan()
        .toString()
    )
    return sum(name in line for line in plan.splitlines() for name in ("EvalPython", "InArrow"))


def measured(spark: SparkSession, folder: Path, rows: int, options: argparse.Namespace) -> str:
    """All pieces of work on tables of one size, as Markdown."""
    shown, changed = folder / "snapshot", folder / "changes"
    snapshot = orders.snapshot(spark, rows)
    moved = orders.updates(spark, rows)
    Lake(str(shown)).write(snapshot, orders.TABLE)
    Lake(str(changed)).write(snapshot.unionByName(moved), orders.TABLE)
    more = spark.read.parquet(f"{changed}/{orders.TABLE.name}").count()

    def copies(place: Path, *tables: str) -> Callable[[], int]:
        def work() -> int:
            for name in tables:
                frame = spark.read.parquet(f"{place}/{name}")
                frame.write.mode("overwrite").parquet(f"{folder}/copy", compression="zstd")
            return 0

        return work

    def sorted_copy() -> int:
        frame = spark.read.parquet(f"{changed}/{orders.TABLE.name}")
        frame = frame.repartition("key").sortWithinPartitions("key", "position")
        frame.write.mode("overwrite").parquet(f"{folder}/copy", compression="zstd")
        return 0

    def stage(place: Path, translator: Any, count: int) -> Callable[[], int]:
        return lambda: run_translate(workspace(place, translator, count, place is changed)).rows_out

    written = ("dispositions", "events")
    bare, bare_sorted = (WRITTEN, READ), (f"changes: {WRITTEN}", f"changes: {SORTED}")
    work: Mapping[str, Timed] = {
        "40 facts": Timed(("4 facts",), stage(shown, orders.FortyFacts, rows)),
        "4 facts, 1 in Python": Timed(("4 facts",), stage(shown, orders.OneInPython, rows)),
        "4 facts": Timed(bare, stage(shown, orders.FourFacts, rows)),
        WRITTEN: Timed((), copies(shown, *written)),
        READ: Timed((), copies(shown, orders.TABLE.name)),
        "changes: 40 facts": Timed(("changes: 4 facts",), stage(changed, orders.FortyFacts, more)),
        "changes: 4 facts": Timed(bare_sorted, stage(changed, orders.FourFacts, more)),
        f"changes: {WRITTEN}": Timed((), copies(changed, *written)),
        f"changes: {SORTED}": Timed((), sorted_copy),
    }
    wanted = {n: w for n, w in work.items() if not options.only or n in options.only}
    for timing in wanted.values():
        timing.run()
        timing.seconds.clear()
    for _ in range(options.repeat):
        for timing in wanted.values():
            timing.run()
    plans = {
        name: python_nodes(workspace(shown, translator, rows, False))
        for name, translator in (
            ("4 facts", orders.FourFacts),
            ("40 facts", orders.FortyFacts),
            ("4 facts, 1 in Python", orders.OneInPython),
        )
    }
    return _table(rows, more, wanted, plans)


def _table(rows: int, more: int, work: Mapping[str, Timed], plans: Mapping[str, int]) -> str:
    lines = [
        f"{rows:,} snapshot rows; with changes {more:,} rows",
        "",
        "| | events | s, least | s, median | CPU s, least | of medians; of CPU | Python nodes |",
        "|---|---:|---:|---:|---:|---|---:|",
    ]
    for name, timing in work.items():
        middle = statistics.median(timing.seconds)
        ratios = []
        for base in (work[beside] for beside in timing.beside if beside in work):
            times = middle / statistics.median(base.seconds)
            ratios.append(f"{times:.2f}; {cpu_ratio(timing.cpu, base.cpu)} of {_name(work, base)}")
        events = f"{timing.events:,}" if timing.events else ""
        cells = [
            name,
            events,
            f"{min(timing.seconds):.1f}",
            f"{middle:.1f}",
            f"{min(timing.cpu):.1f}",
        ]
        lines.append(f"| {' | '.join([*cells, '<br>'.join(ratios), str(plans.get(name, ''))])} |")
    return "\n".join(lines)


def _name(work: Mapping[str, Timed], wanted: Timed) -> str:
    return next(name for name, one in work.items() if one is wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--memory", default=MEMORY_UNSIZED)
    parser.add_argument("--conf", nargs="*", default=[])
    options = parser.parse_args()
    peak = watched(os.getpid())
    spark = session(
        SparkSection(
            master="local[2]",
            memory=options.memory,
            conf=dict(one.split("=", 1) for one in options.conf),
        )
    )
    for rows in options.rows:
        with tempfile.TemporaryDirectory(prefix="cutline-benchmark-") as folder:
            print(measured(spark, Path(folder), rows, options), flush=True)
            print(f"\npeak memory so far {peak[0]:,.0f} MiB\n", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
