"""Whole runs beside a bare Spark job and beside runs of a tenth of the rows: docs/performance.md.

    python benchmarks/whole_run.py [--orders N ...] [--changes MB] [--fixed] [--memory M]
                                   [--olist FOLDER --copies N ...] [--write FILE]

Each size is a freshly generated estate (or Olist's public data, multiplied), run by `cutline run`
in a process of its own with the defaults that a user has, unless `--memory` says otherwise. Right
after it, a bare Spark job (`bare.py`) brings the same sources into Parquet and copies each table
that the run wrote. `--changes` extracts one change file of that many megabytes, beside Spark that
reads the same JSON into Parquet. `--fixed` runs 1,000 orders with and without `quick_start`, and
the demo twice. Memory is the largest sum over the process and its children of what is resident,
shared pages divided (PSS). Prints Markdown, and with `--write` puts it between the marks of FILE.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import changed
import multiplied
import yaml
from used import watched

from cutline.control import Control
from cutline.project import load_shared
from cutline.spark.session import MEMORY_UNSIZED

HERE = Path(__file__).parent
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
REGION = "eu-west"


@dataclass(frozen=True)
class Measurement:
    """One size: its name, seconds of the whole command, MiB at the peak, and what it printed.

    `written` are the tables that each stage wrote, `bare` is what `bare.py` printed; `exit_code` 1
    says that a gate said no.
    """

    name: str
    seconds: float
    peak: float
    exit_code: int
    document: dict[str, Any]
    written: dict[str, list[str]]
    bare: dict[str, Any]

    @property
    def rows(self) -> int:
        """Source rows of the slice."""
        return int(self.document["stages"][0]["rows_in"])

    def stages(self) -> dict[str, float]:
        """Seconds by stage."""
        return {stage["name"]: stage["seconds"] for stage in self.document["stages"]}

    def copied(self, stage: str) -> float:
        """Seconds of the bare copies of what the stage wrote."""
        return sum(self.bare["copied"][table] for table in self.written[stage])


def run_project(
    project: Path, context: str, region: str, verb: str = "run"
) -> tuple[float, float, int, dict[str, Any]]:
    """Run a slice, or `advance` it: seconds of the command, MiB at the peak, exit code, and what it
    printed.

    SystemExit with what it said if it neither ended right nor was stopped by a gate.
    """
    command = [sys.executable, "-m", "cutline", verb, context, "--region", region]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [*command, "--project", str(project), "--json"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        peak = watched(process.pid)
        out, _ = process.communicate()
        seconds = time.monotonic() - began
        if process.returncode not in (0, 1):
            errors.seek(0)
            raise SystemExit(
                f"{project} ended with exit code {process.returncode}:\n{errors.read()[-4000:]}"
            )
    return seconds, peak[0], process.returncode, json.loads(out)


def measure(project: Path, name: str, context: str, region: str, memory: str | None) -> Measurement:
    """A whole run of a project, and the bare job beside it."""
    if memory is not None:
        set_spark(project, memory=memory)
    seconds, peak, code, document = run_project(project, context, region)
    run_id = document["run_id"]
    lake = project / "lake" / context / region / run_id
    command = [sys.executable, str(HERE / "bare.py"), str(project), str(lake)]
    bare = subprocess.run(
        [*command, "--memory", memory or MEMORY_UNSIZED],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    written = tables_by_stage(project, run_id)
    return Measurement(name, seconds, peak, code, document, written, json.loads(bare.stdout))


def tables_by_stage(project: Path, run_id: str) -> dict[str, list[str]]:
    """The names of the tables that each stage of a run wrote, as the control database has them."""
    record = Control.open(load_shared(project).file.control, project).run(run_id)
    assert record is not None
    return {
        stage: [table.name for table in result.tables] for stage, result in record.results().items()
    }


def set_spark(project: Path, **settings: Any) -> None:
    """Change settings under `spark` in the project's file."""
    config = project / "cutline.yaml"
    content = yaml.safe_load(config.read_text())
    content["spark"] = content.get("spark", {}) | settings
    config.write_text(yaml.safe_dump(content, sort_keys=False))


def demo_estate(folder: Path, orders: int) -> Path:
    """A project of the demo's estate."""
    from cutline_translators.retail.estate import write_project

    project = folder / f"orders-{orders}"
    write_project(project, orders, 1, 2)
    return project


def size_table(measured: Sequence[Measurement]) -> str:
    """One column per size, and seconds, ratios to the bare job and to the size before."""
    head = "| | " + " | ".join(m.name for m in measured) + " |"
    lines = [head, "|---|" + "---:|" * len(measured)]

    def row(name: str, cells: Sequence[str]) -> None:
        lines.append(f"| {name} | " + " | ".join(cells) + " |")

    row("source rows", [f"{m.rows:,}" for m in measured])
    for stage in measured[0].stages():
        row(f"{stage}, s", [f"{m.stages()[stage]:.1f}" for m in measured])
    row("all stages, s", [f"{sum(m.stages().values()):.1f}" for m in measured])
    row("whole command, s", [f"{m.seconds:.1f}" for m in measured])
    row("peak memory, MiB", [f"{m.peak:,.0f}" for m in measured])
    row("bare read into Parquet, s", [f"{m.bare['read']:.1f}" for m in measured])
    row("bare copies of all tables, s", [f"{sum(m.bare['copied'].values()):.1f}" for m in measured])
    row(
        "**extract, of a bare read**",
        [_times(m.stages()["extract"], m.bare["read"]) for m in measured],
    )
    for stage in measured[0].stages():
        row(
            f"{stage}, of bare copies of its tables",
            [_times(m.stages()[stage], m.copied(stage)) for m in measured],
        )
    whole = [sum(m.stages().values()) for m in measured]
    bare = [m.bare["read"] + sum(m.bare["copied"].values()) for m in measured]
    row("**whole run, of the bare job**", [_times(a, b) for a, b in zip(whole, bare, strict=True)])
    before = [None, *measured[:-1]]
    row(
        "rows, of the size before",
        [_of(m.rows, b and b.rows) for m, b in zip(measured, before, strict=True)],
    )
    row(
        "**time, of the size before**",
        [_of(m.seconds, b and b.seconds) for m, b in zip(measured, before, strict=True)],
    )
    row("exit code", [str(m.exit_code) for m in measured])
    return "\n".join(lines)


def _times(seconds: float, base: float) -> str:
    return f"{seconds / base:.1f} ×" if base else "–"


def _of(number: float, base: float | None) -> str:
    return f"{number / base:.2f} ×" if base else "–"


def fixed_table(folder: Path) -> str:
    """What a run of 1,000 orders costs, quick and not, and the demo the second time."""
    lines = ["| | s |", "|---|---:|"]
    for quick in (True, False):
        project = demo_estate(folder / f"quick-{quick}", 1_000)
        set_spark(project, quick_start=quick)
        _, _, _, document = run_project(project, "fulfilment", REGION)
        seconds = sum(stage["seconds"] for stage in document["stages"])
        with_or_not = "with" if quick else "without"
        lines.append(f"| all stages of 1,000 orders, {with_or_not} quick start | {seconds:.1f} |")
    for turn in ("first", "second"):
        began = time.monotonic()
        demo = [sys.executable, "-m", "cutline", "demo", "--dir", str(folder / f"demo-{turn}")]
        subprocess.run(demo, check=True, capture_output=True)
        lines.append(f"| `cutline demo`, the {turn} time | {time.monotonic() - began:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, nargs="*", default=[])
    parser.add_argument("--olist", type=Path, help="the folder with Olist's CSV files")
    parser.add_argument("--copies", type=int, nargs="*", default=[1, 10])
    parser.add_argument("--changes", type=int, help="megabytes of a Debezium file")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--memory", help="the driver's heap; else the run's own choice")
    parser.add_argument("--folder", type=Path, help="where to work; else a temporary folder")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    parts: list[str] = [_machine()]
    with tempfile.TemporaryDirectory(prefix="cutline-benchmark-", dir=options.folder) as name:
        folder = Path(name)
        if options.fixed:
            parts += ["### What any run costs", fixed_table(folder)]
        if options.orders:
            measured = [
                measure(
                    demo_estate(folder, n), f"{n:,} orders", "fulfilment", REGION, options.memory
                )
                for n in options.orders
            ]
            parts += ["### The demo's estate", size_table(measured)]
        if options.olist:
            measured = [
                measure(
                    multiplied.write_project(options.olist, folder / f"olist-{n}", n),
                    f"{n} × Olist",
                    "marketplace",
                    multiplied.REGION,
                    options.memory,
                )
                for n in options.copies
            ]
            parts += ["### Olist, multiplied", size_table(measured)]
        if options.changes:
            parts += ["### A change file", changed.table(folder, options.changes, options.memory)]
    text = "\n\n".join(parts)
    print(text)
    if options.write:
        write_between_marks(options.write, text)


def write_between_marks(file: Path, text: str) -> None:
    """Replace what stands between the marks of a page; SystemExit if it has none."""
    page = file.read_text(encoding="utf-8")
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise SystemExit(f"{file} does not have the marks {BEGIN} and {END} once each")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    file.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {memory:.0f} GiB, by"
        f" `python benchmarks/whole_run.py {' '.join(sys.argv[1:])}`."
    )


if __name__ == "__main__":
    main()
