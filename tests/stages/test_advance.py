"""A slice that goes on from run to run has the rows of one run over everything."""

from __future__ import annotations

import os
import random

import pytest
from pyspark.sql import SparkSession

from cutline.api.stages import ADVANCE_STAGES, STAGES
from cutline.workspace import BaseRun
from support.advanced import GrowingSlice, differences
from support.repairs import TRANSLATION, Drawn

pytestmark = pytest.mark.usefixtures("sorted_out")
COMMITS = 250
SPLITS = int(os.environ.get("CUTLINE_SPLITS", "1"))
"""How many histories are split; `make soak` splits more."""


def cut_at(lines: dict[str, list[str]], places: list[float]) -> list[dict[str, list[str]]]:
    """The lines of both logs up to each place, anywhere, and at last all of them."""
    return [
        {name: log[: int(len(log) * place)] for name, log in lines.items()}
        for place in [*sorted(places), 1.0]
    ]


def compare(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, seed: int, places: list[float]
) -> None:
    lines = Drawn(seed, COMMITS).lines
    advanced = GrowingSlice(spark, tmp_path_factory.mktemp("advanced"), TRANSLATION)
    for logs in cut_at(lines, places):
        advanced.grow(logs)
        last = advanced.run(ADVANCE_STAGES[:4])
        if len(advanced.runs) > 1:
            assert 0 < table(last, "replaced_rows") < last.done["extract"].rows_out
    assert advanced.notes == []
    whole = GrowingSlice(spark, tmp_path_factory.mktemp("whole"), TRANSLATION)
    whole.grow(lines)
    assert differences(spark, last, whole.run(STAGES[:4])) == {}


def table(run: BaseRun, name: str) -> int:
    """The rows of a table of a run."""
    return next(t.rows for r in run.done.values() for t in r.tables if t.name == name)


@pytest.mark.parametrize("seed", range(SPLITS))
def test_any_split_gives_the_rows_and_books_of_one_run(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """The first is split once, the others several times."""
    rng = random.Random(seed)
    places = [rng.uniform(0.1, 0.95) for _ in range(rng.randint(2, 5) if seed else 1)]
    compare(spark, tmp_path_factory, seed, places)
