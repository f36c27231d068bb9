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
from support.fed import FedDesk, candidate_of, historic, ordered, paid, states_of, withdrawn

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
    monkeypatch.setattr(cycle, "MOST_RECORDS", 60)
    desk = FedDesk(spark, tmp_path, history)
    half = rng.randint(0, len(live))
    for part in (live[:half], live[half:]):
        for record in part:
            desk.put(
                *[record] * rng.choice((1, 1, 1, 2)),
                partition=zlib.crc32(record["key"].encode()) % 2,
            )
        desk.feed()
    expected = states_of(spark, [*history, *map(candidate_of, live)])
    assert desk.shown() == expected
    assert len(expected) > SUBJECTS / 4
    assert desk.model().verify(desk.version) == ()
