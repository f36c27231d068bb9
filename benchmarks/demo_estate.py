"""The demo estate at one and ten times the size: seconds per stage, rows, peak memory, and ratios.

    python benchmarks/demo_estate.py [--orders N] [--factor F] [--major M]

Each size is run in a process of its own, with `cutline run`, on a freshly generated estate.
Memory is the largest sum over that process and its children (the JVM among them) of what is
resident, pages that several of them share divided among them (PSS), sampled twice a second. Prints
one Markdown table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from used import watched


@dataclass(frozen=True)
class Measured:
    """One size: orders generated, wall seconds of the whole command, MiB at the peak, its JSON."""

    orders: int
    seconds: float
    peak: float
    run_document: dict[str, Any]

    def stages(self) -> dict[str, float]:
        """Seconds by stage."""
        return {stage["name"]: stage["seconds"] for stage in self.run_document["stages"]}

    def rows(self) -> int:
        """Source rows extracted."""
        return int(self.run_document["stages"][0]["rows_in"])


def measure(folder: Path, orders: int, major: int) -> Measured:
    """Generate an estate, run its slice eu-west, and say what it took."""
    from cutline_translators.retail.estate import write_project

    project = folder / f"orders-{orders}"
    write_project(project, orders, 1, major)
    # Both sizes as a real project runs, not as a sample does.
    config = project / "cutline.yaml"
    text = config.read_text().replace("quick_start: true", "quick_start: false")
    assert "quick_start: false" in text
    config.write_text(text)
    command = [sys.executable, "-m", "cutline", "run", "fulfilment", "--region", "eu-west"]
    began = time.monotonic()
    process = subprocess.Popen(
        [*command, "--project", str(project), "--json"], stdout=subprocess.PIPE, text=True
    )
    peak = watched(process.pid)
    out, _ = process.communicate()
    seconds = time.monotonic() - began
    if process.returncode not in (0, 1):
        raise SystemExit(f"the run with {orders} orders ended with exit code {process.returncode}")
    return Measured(orders, seconds, peak[0], json.loads(out))


def table(small: Measured, large: Measured) -> str:
    """The two runs side by side, as Markdown."""
    rows = [("source rows", f"{small.rows():,}", f"{large.rows():,}", large.rows() / small.rows())]
    for name, seconds in small.stages().items():
        more = large.stages()[name]
        rows.append((f"{name}, s", f"{seconds:.1f}", f"{more:.1f}", more / seconds))
    total, most = sum(small.stages().values()), sum(large.stages().values())
    rows.append(("all stages, s", f"{total:.1f}", f"{most:.1f}", most / total))
    ratio = large.seconds / small.seconds
    rows.append(("whole command, s", f"{small.seconds:.1f}", f"{large.seconds:.1f}", ratio))
    ratio = large.peak / small.peak
    rows.append(("peak memory, MiB", f"{small.peak:,.0f}", f"{large.peak:,.0f}", ratio))
    lines = [
        f"| | {small.orders:,} orders | {large.orders:,} orders | ratio |",
        "|---|---:|---:|---:|",
    ]
    lines += [f"| {name} | {a} | {b} | {ratio:.2f} |" for name, a, b, ratio in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=4_000)
    parser.add_argument("--factor", type=int, default=10)
    parser.add_argument("--major", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cutline-benchmark-") as folder:
        small = measure(Path(folder), options.orders, options.major)
        large = measure(Path(folder), options.orders * options.factor, options.major)
    print(table(small, large))


if __name__ == "__main__":
    main()
