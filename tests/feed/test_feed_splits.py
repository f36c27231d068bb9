"""However live events are split over transactions, the rows are what one projection gives."""

from __future__ import annotations

import os
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.feed import cycle
from support.fed import FedDesk, candidate_of, event, historic, ordered, paid, states_of, withdrawn

SUBJECTS = 60
SEEDS = range(int(os.environ.get("CUTLINE_FEEDS", "1")))
"""More of them in `make soak`."""


def records_of(rng: random.Random, subject: str) -> list[dict[str, Any]]:
    """Some events of one order, each once, in any order of their times."""
    events = [ordered(f"{subject}-o", rng.randint(1, 9), subject, rng.randint(1, 9))]
    events += [
        paid(f"{subject}-p{n}", rng.randint(1, 9), subject, rng.randint(1, 9))
        for n in range(rng.randint(0, 3))
    ]
    events += [withdrawn(f"{subject}-w", rng.randint(1, 9), subject)] * (rng.random() < 0.3)
    rng.shuffle(events)
    return events


@pytest.mark.parametrize("seed", SEEDS)
def test_any_splits_give_the_states_of_everything(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    history: list[dict[str, Any]] = []
    live: list[dict[str, Any]] = []
    for number in range(SUBJECTS):
        for record in records_of(rng, f"o{number}"):
            if rng.random() < 0.4:
                history.append(historic(record))
            else:
                live.append(record)
    rng.shuffle(live)
    # What the run read is in its timeline; what it could not read is among its exceptions.
    read_by_run = live[: len(live) // 5]
    of_run = [candidate_of(record) for record in read_by_run]
    desk = FedDesk(spark, tmp_path, [*history, *of_run])
    deliver(desk, [*read_by_run, event("unreadable", "Paid", 1, "o1")])
    desk.run_read_everything()
    rest = live[len(read_by_run) :]
    monkeypatch.setattr(cycle, "MOST_RECORDS", rng.randint(len(rest) // 2, len(rest)))
    half = rng.randint(0, len(rest))
    for part in (rest[:half], rest[half:]):
        deliver(desk, [record for record in part for _ in range(rng.choice((1, 1, 1, 2)))])
        desk.feed()
    expected = states_of(spark, [*history, *of_run, *map(candidate_of, rest)])
    assert desk.shown() == expected
    assert len(expected) > SUBJECTS / 4
    assert desk.model().verify(desk.version) == ()
    assert desk.aside() == []


def deliver(desk: FedDesk, records: list[dict[str, Any]]) -> None:
    """Each in the partition of its order."""
    for record in records:
        desk.append_records(record, partition=zlib.crc32(record["key"].encode()) % 2)
