"""Of topics in files, which regions share and every run adds to, a release has the lines of its
slice, up to those of its run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cutline.results import ReportResult
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark

TOPIC = "retail.fulfilment.customer_order.synthetic"


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    """A slice that was opened, whose run says that it published two records."""
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    slice_.do("open")
    published(slice_, "run-1", 2)
    return slice_


def published(slice_: RolledOutSlice, run: str, count: int) -> None:
    with slice_.control.lease(CONTEXT, REGION) as lease:
        result = ReportResult(rows_in=2, rows_out=2, published={TOPIC: count})
        slice_.control.stage_started(run, result.stage, lease)
        slice_.control.stage_done(run, result.stage, result, "d" * 32, 1.0, lease)
        slice_.control.complete(run, lease)


def write(slice_: RolledOutSlice, *lines: tuple[str, str, str], partition: int = 0) -> None:
    """Appends lines, each with the region, run and id of its event."""
    folder = slice_.folder / "topics" / TOPIC
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{partition:05d}.jsonl"
    begin = len(file.read_text().splitlines()) if file.exists() else 0
    with file.open("a") as out:
        for offset, (region, run, event) in enumerate(lines, begin):
            headers = {"ce_id": event, "ce_migregion": region, "migrunid": run}
            record: dict[str, Any] = {"partition": partition, "offset": offset, "key": "k"}
            out.write(json.dumps(record | {"headers": headers}, separators=(",", ":")) + "\n")


def refused(slice_: RolledOutSlice) -> list[str]:
    return [guard.says for guard in slice_.plan("stage", "run-1").refused]


def test_lines_of_another_region_are_no_history_of_the_slice(slice_: RolledOutSlice) -> None:
    write(slice_, ("us-east", "run-e", "e1"), ("us-east", "run-e", "e2"))
    assert refused(slice_) == [f"{TOPIC} holds 0 records, of 2 that the run published"]
    write(slice_, (REGION, "run-1", "w1"), partition=1)
    # The same event twice is one, and a line that tells nothing is none.
    write(slice_, (REGION, "run-1", "w1"), partition=1)
    (slice_.folder / "topics" / TOPIC / "00002.jsonl").write_text(f'{{"{REGION}\n')
    assert refused(slice_) == [f"{TOPIC} holds 1 records, of 2 that the run published"]
    # An earlier run of the slice put the other one there.
    write(slice_, (REGION, "run-0", "w0"))
    assert refused(slice_) == []


def test_an_older_run_has_nothing_that_a_newer_one_put_there(slice_: RolledOutSlice) -> None:
    slice_.run("run-2")
    write(slice_, (REGION, "run-1", "w1"), (REGION, "run-2", "w3"), ("us-east", "run-e", "e1"))
    assert refused(slice_) == [f"{TOPIC} holds 1 records, of 2 that the run published"]
    write(slice_, ("us-east", "run-e", "e2"), (REGION, "run-2", "w4"), partition=2)
    write(slice_, (REGION, "run-1", "w2"), ("us-east", "run-e", "e3"), partition=1)
    slice_.do("stage", "run-1")
    slice_.do("stage", "run-2")
    newer, older = slice_.control.releases(CONTEXT, REGION)
    assert older.positions[TOPIC] == {"0": 1, "1": 1, "2": 0}
    assert newer.positions[TOPIC] == {"0": 2, "1": 1, "2": 2}
