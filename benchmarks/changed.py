"""Extracting one large change file, beside Spark that reads the same JSON into Parquet."""

from __future__ import annotations

import datetime as dt
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import orders
import pyarrow as pa
import pyarrow.parquet as pq
from timed import Timed, in_turn
from translate import project

from cutline.lake.lake import Lake
from cutline.project.spark import SparkSection
from cutline.sources import digest_sources
from cutline.spark.session import session
from cutline.stages.extract import run_extract
from cutline.translator import Translation
from cutline.workspace import Workspace

BEGAN = dt.datetime(2026, 11, 1, 3, tzinfo=dt.UTC)
STAMP = "%Y-%m-%dT%H:%M:%SZ"


def table(folder: Path, megabytes: int, memory: str | None) -> str:
    """Seconds, megabytes and records a second, and the ratio, as Markdown."""
    folder = folder / "changed"
    records = write_files(folder, megabytes)
    size = (folder / "changes.jsonl").stat().st_size / 1e6
    spark = session(SparkSection(memory=memory))
    schema = spark.read.json(str(folder / "sample.jsonl")).schema

    def extract() -> None:
        run_extract(workspace(folder))

    def bare() -> None:
        frame = spark.read.schema(schema).json(str(folder / "changes.jsonl"))
        frame.write.mode("overwrite").parquet(str(folder / "bare"), compression="zstd")

    work = {"extract": Timed(extract), "Spark reads the same JSON with a schema": Timed(bare)}
    in_turn(work.values(), 1)
    base = min(work["Spark reads the same JSON with a schema"].seconds)
    lines = [
        f"{records:,} Debezium records, {size:,.0f} MB, after a first round that is not counted.",
        "",
        "| | s | CPU s | MB/s | records/s | speed of the bare read |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, timing in work.items():
        seconds = min(timing.seconds)
        cells = [
            f"{seconds:.1f}",
            f"{min(timing.cpu):.1f}",
            f"{size / seconds:.1f}",
            f"{records / seconds:,.0f}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} | {base / seconds:.2f} |")
    return "\n".join(lines)


def workspace(folder: Path) -> Workspace:
    """What the extract stage is given."""
    translation = Translation("shop", "1.0.0", orders.SHOP, (orders.FourFacts,))
    loaded = project(folder, True, changes="changes.jsonl")
    return Workspace(
        run_id="benchmark",
        region="all",
        project=loaded,
        context=orders.SHOP,
        translation=translation,
        lake=Lake(str(folder / "lake")),
        recorded_at=orders.EXTRACTED,
        positions=digest_sources(loaded, translation, "all"),
        extract_times={"erp": orders.EXTRACTED},
        done={},
    )


def write_files(folder: Path, megabytes: int) -> int:
    """A snapshot of one row, and a change file of that size; the number of its records."""
    (folder / "erp").mkdir(parents=True)
    snapshot = pa.Table.from_pylist([order(random.Random(0), 0, "NEW", BEGAN)])
    pq.write_table(snapshot, folder / "erp" / "orders.parquet")
    most, written, records = megabytes * 1_000_000, 0, 0
    with (folder / "changes.jsonl").open("w", encoding="utf-8") as out:
        while written < most:
            line = json.dumps(record(records), separators=(",", ":")) + "\n"
            out.write(line)
            written += len(line)
            records += 1
            if records == 1000:
                out.flush()
                sample = (folder / "changes.jsonl").read_text(encoding="utf-8")
                (folder / "sample.jsonl").write_text(sample, encoding="utf-8")
    return records


def record(number: int) -> dict[str, object]:
    """One Debezium record: every order is inserted, then updated once."""
    at = BEGAN + dt.timedelta(milliseconds=number)
    row, turn = divmod(number, 2)
    before = order(random.Random(row), row + 1, "NEW", at) if turn else None
    after = order(random.Random(row), row + 1, "RELEASED" if turn else "NEW", at)
    return envelope("orders", number, "u" if turn else "c", before, after, at)


def envelope(
    table: str,
    number: int,
    op: str,
    before: dict[str, object] | None,
    after: dict[str, object],
    at: dt.datetime,
) -> dict[str, object]:
    """A Debezium record: the number-th of its log, and a transaction of its own."""
    milliseconds = int(at.timestamp() * 1000)
    source = {
        "version": "3.4.0.Final", "connector": "postgresql", "name": "erp", "db": "erp",
        "schema": "public", "table": table, "snapshot": "false", "ts_ms": milliseconds,
        "sequence": f'[null,"{2000 + number}"]', "txId": 700_000 + number, "lsn": 2000 + number,
        "xmin": None,
    }  # fmt: skip
    return {
        "before": before, "after": after, "source": source, "transaction": None,
        "op": op, "ts_ms": milliseconds + 250,
    }  # fmt: skip


def order(chance: random.Random, number: int, status: str, at: dt.datetime) -> dict[str, object]:
    """One row of the order table, as text and numbers that its contract reads."""
    stamp = at.strftime(STAMP)
    return {
        "order_no": f"SO-{number:09d}",
        "depot": chance.choice(orders.DEPOTS),
        "channel": chance.choice(["WEB", "STORE", "PHONE"]),
        "customer_no": f"C-{chance.randrange(10**6):07d}",
        "status": status,
        "currency": "EUR",
        "total": f"{chance.randrange(1000, 99_999) / 100:.2f}",
        "items": chance.randrange(1, 99),
        "ordered_at": stamp,
        "released_at": stamp if status == "RELEASED" else None,
        "closed_at": None,
        "cancelled_at": None,
        "updated_at": stamp,
    }


def main() -> None:
    """`python benchmarks/changed.py MEGABYTES`, alone."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        print(table(Path(folder), int(sys.argv[1]), None))
        print(f"{time.monotonic() - began:.0f} s in all")


if __name__ == "__main__":
    main()
