"""Runs at the edges: whether each ends with its gate's answer, and what it says if not.

    python benchmarks/extremes.py [--only NAME ...] [--scale S] [--memory M] [--keep FOLDER]

Each case is a project of its own, run by `cutline run` in a process of its own with the heap that
Cutline chooses, unless `--memory` says otherwise. Prints one row of Markdown per case: source
rows, seconds, MiB at the peak (PSS of all its processes), the exit code, and what it said last.
Exit code 1 if a case ended otherwise than by its gates.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import changed
import extreme_plugin
import orders
import yaml
from used import watched

HERE = Path(__file__).parent
ITEMS = "CREATE TABLE items (item_no TEXT, kind_no TEXT, amount_cents INTEGER, opened_at TEXT)"
KINDS = "CREATE TABLE kinds (kind_no TEXT, label TEXT)"
PLUGINS = """[cutline.contexts]
extremes = extreme_plugin:EXTREMES
kinds = extreme_plugin:KINDS
[cutline.translators]
items-1 = extreme_plugin:ITEMS_1
wide-1 = extreme_plugin:WIDE_1
rules-1 = extreme_plugin:RULES_1
"""
TABLES = {"items": ("items", "kinds"), "wide": ("wide",), "rules": ("items",)}
"""The tables that each translation reads."""
OPENED_AT = "2026-10-01T08:00:00Z"
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """What is in the tables, what changed since, and what the legacy answers where it is asked."""

    rows: Callable[[int], Iterable[Row]]
    size: int
    kinds: Iterable[Row] = ()
    changes: Callable[[int], Iterator[dict[str, Any]]] | None = None
    truth: Callable[[int], Iterable[Row]] | None = None
    use: str = "items"

    @property
    def context(self) -> str:
        return "kinds" if self.use == "rules" else "extremes"


def items(size: int, kinds: int = 1, amount: int = 100) -> Iterable[Row]:
    return ((f"I-{n:09d}", f"K-{n % kinds}", amount + n % 7, OPENED_AT) for n in range(size))


def item(number: int, amount: int) -> dict[str, Any]:
    return {
        "item_no": f"I-{number:09d}",
        "kind_no": "K-0",
        "amount_cents": amount,
        "opened_at": OPENED_AT,
    }


def kind(version: int) -> dict[str, Any]:
    return {"kind_no": "K-0", "label": f"label {version}"}


def updates(
    table: str, images: Iterable[tuple[dict[str, Any], dict[str, Any]]], first: int
) -> Iterator[dict[str, Any]]:
    """Debezium's records of updates, three milliseconds apart; `first` is the first's number."""
    for number, (before, after) in enumerate(images, first):
        at = changed.BEGAN + dt.timedelta(milliseconds=3 * number)
        yield changed.envelope(table, number, "u", before, after, at)


def one_item_changes(size: int) -> Iterator[dict[str, Any]]:
    """All changes are of the first item."""
    yield from updates("items", ((item(0, n + 100), item(0, n + 101)) for n in range(size)), 0)


def one_kind_changes(size: int) -> Iterator[dict[str, Any]]:
    """The one kind that all items have is renamed again and again, while they change."""
    names = size // 20
    yield from updates("kinds", ((kind(n), kind(n + 1)) for n in range(names)), 0)
    images = ((item(n, 100 + n % 7), item(n, 200 + n % 7)) for n in range(size))
    yield from updates("items", images, names)


def wide_rows(size: int) -> Iterable[Row]:
    more = tuple(f"value of {name}" for name in extreme_plugin.MANY)
    return ((f"I-{n:09d}", n, OPENED_AT, *more) for n in range(size))


def same_key(size: int) -> Iterable[Row]:
    return (("I-000000000", "K-0", n, OPENED_AT) for n in range(size))


ONE_KIND = (("K-0", "label 0"),)
CASES = {
    "one subject with most changes": Case(items, 300_000, ONE_KIND, one_item_changes),
    "a reference row that all look up, renamed often": Case(
        items, 300_000, ONE_KIND, one_kind_changes
    ),
    "500 columns": Case(wide_rows, 100_000, use="wide"),
    "200 facts": Case(lambda size: items(size, kinds=250), 300_000, use="rules"),
    "a million exceptions": Case(lambda size: items(size, amount=-100), 1_000_000, ONE_KIND),
    "every subject drifted": Case(
        items, 1_000_000, ONE_KIND, truth=lambda size: items(size, amount=1000)
    ),
    "a key of one value": Case(same_key, 1_000_000, ONE_KIND),
    "a million rows beside none": Case(items, 1_000_000),
}


def write_project(folder: Path, case: Case, size: int) -> None:
    """The case as a project with its extract, and the plugins beside it."""
    (folder / "extract").mkdir(parents=True)
    plugins = folder / "plugins" / "extremes-1.dist-info"
    plugins.mkdir(parents=True)
    (plugins / "METADATA").write_text("Metadata-Version: 2.1\nName: extremes\nVersion: 1\n")
    (plugins / "entry_points.txt").write_text(PLUGINS)
    source: dict[str, Any] = {
        "kind": "sqlite",
        "path": "extract/erp.db",
        "extracted_at": "2026-11-01T02:00:00Z",
        "tables": {name: {} for name in TABLES[case.use]},
    }
    write_database(folder / "extract" / "erp.db", case, case.rows(size))
    if case.changes is not None:
        source["changes"] = {
            "kind": "debezium",
            "path": "extract/changes.jsonl",
            "snapshot": {
                "policy": "exported-snapshot",
                "consistent_point": orders.CONSISTENT_POINT,
            },
        }
        with (folder / "extract" / "changes.jsonl").open("w", encoding="utf-8") as out:
            for record in case.changes(size):
                out.write(json.dumps(record, separators=(",", ":")) + "\n")
    if case.truth is not None:
        source["truth"] = "extract/truth.db"
        write_database(folder / "extract" / "truth.db", case, case.truth(size))
    document = {
        "version": 1,
        "name": "extremes",
        "topics": {"prefix": "extremes"},
        "sources": {"erp": source},
        "contexts": {
            case.context: {
                "translation": {"use": case.use, "major": 1},
                "cut": {"policy": "commit-timestamp", "at": "2026-11-02T00:00:00Z"},
                "live": {"aggregates": []},
            }
        },
        "regions": {"all": {"everything": True}},
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


def write_database(path: Path, case: Case, rows: Iterable[Row]) -> None:
    with sqlite3.connect(path) as database:
        if case.use == "wide":
            names = ["item_no", "amount_cents", "opened_at", *extreme_plugin.MANY]
            database.execute(f"CREATE TABLE wide ({', '.join(names)})")
            database.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * len(names))})", rows)
            return
        database.execute(ITEMS)
        database.execute(KINDS)
        database.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
        database.executemany("INSERT INTO kinds VALUES (?, ?)", case.kinds)


def run(folder: Path, context: str, memory: str | None) -> tuple[float, float, int, str, str]:
    """Seconds, MiB at the peak, exit code, standard output and standard error of the run."""
    if memory:
        document = yaml.safe_load((folder / "cutline.yaml").read_text())
        document["spark"] = {"memory": memory}
        (folder / "cutline.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    paths = os.pathsep.join([str(folder / "plugins"), str(HERE)])
    began = time.monotonic()
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "cutline", "run", context, "--region", "all", "--json",
             "--project", str(folder)],
            stdout=out,
            stderr=err,
            env=os.environ | {"PYTHONPATH": paths},
        )  # fmt: skip
        peak = watched(process.pid)
        code = process.wait()
    seconds = time.monotonic() - began
    return seconds, peak[0], code, (folder / "out").read_text(), (folder / "err").read_text()


def measured(name: str, folder: Path, options: argparse.Namespace) -> tuple[str, bool]:
    """One row of the table, and whether the run ended by its gates."""
    case = CASES[name]
    write_project(folder, case, max(1, int(case.size * options.scale)))
    seconds, peak, code, out, err = run(folder, case.context, options.memory)
    if code in (0, 1) and out:
        document = json.loads(out)
        rows = f"{document['stages'][0]['rows_in']:,}"
        longest = max(document["stages"], key=lambda stage: stage["seconds"])
        outcome = f"{document['decision']}; longest: {longest['name']}, {longest['seconds']:.0f} s"
    else:
        rows, outcome = "", " ".join(err.split("\n")[-8:])
    return f"| {name} | {rows} | {seconds:.0f} | {peak:,.0f} | {code} | {outcome} |", code in (0, 1)


def main() -> None:
    """Runs the cases and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--memory")
    parser.add_argument("--keep", type=Path, help="a folder in which the projects stay")
    options = parser.parse_args()
    print("| case | source rows | s | MiB at the peak | exit code | |")
    print("|---|---:|---:|---:|---:|---|", flush=True)
    ended = []
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="cutline-extremes-") as temporary:
            folder = (options.keep or Path(temporary)) / name.replace(" ", "-").replace(",", "")
            line, by_gates = measured(name, folder, options)
            print(line, flush=True)
            ended.append(by_gates)
    sys.exit(0 if all(ended) else 1)


if __name__ == "__main__":
    main()
