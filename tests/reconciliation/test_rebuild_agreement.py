"""On random rows a rebuild counts what a plain program counts, and shows those rows or what was."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.decided import DecidedShop
from support.logged import install_plugin
from support.rebuilds import declare, legacy_has, projected, rebuilt, served
from support.shop_project import PLUGIN, PYPROJECT

SEEDS = range(1, 1 + int(os.environ.get("CUTLINE_REBUILDS", "6")))


@pytest.mark.soak
@pytest.mark.slow
def test_random_rows_are_counted_and_shown_as_a_plain_program_does(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    shop = DecidedShop(tmp_path / "shop")
    declare(shop)
    projection = dict.fromkeys(range(1, 13), 1)
    projected(shop, spark, *projection)
    shown: dict[int, int] | None = None
    for seed in SEEDS:
        rng = random.Random(seed)
        numbers = rng.sample(range(1, 19), rng.randint(0, 18))
        rows = {number: rng.choice([1, 1, 1, 2]) for number in numbers}
        limit = rng.choice([0.0, 0.25, 0.5, 1.0])
        legacy_has(shop, rows)
        done = rebuilt(shop, spark, limit)
        [agreement] = done.agreements
        shared = rows.keys() & projection.keys()
        equal = sum(rows[number] == projection[number] for number in shared)
        counts = agreement.equal, agreement.different
        assert counts == (equal, len(shared) - equal), seed
        assert agreement.only_rebuilt == len(rows.keys() - projection.keys()), seed
        assert agreement.only_projected == len(projection.keys() - rows.keys()), seed
        unlike = len(rows.keys() | projection.keys()) - equal
        assert done.shown == (unlike <= limit * (unlike + equal)), seed
        shown = rows if done.shown else shown
        if shown is not None:
            assert served(shop) == sorted((str(n), placed) for n, placed in shown.items()), seed
    assert shown is not None
