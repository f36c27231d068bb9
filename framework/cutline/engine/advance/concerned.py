"""The rows that new changes concern: from keys to subjects and back, until nothing is added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance.frames import EDGES, KEY, ROW_KEYS, SUBJECT
from cutline.engine.frames import step
from cutline.spark.among import among, not_among
from cutline.spark.few_rows import broadcast_if_few


@dataclass(frozen=True)
class KeptRows:
    """Rows that were computed once and are read from where they lie now; and their number."""

    rows: DataFrame
    count: int


@step(needs=EDGES, returns=ROW_KEYS)
def concerned_rows(
    edges: DataFrame, seeds: DataFrame, keep: Callable[[DataFrame], KeptRows]
) -> DataFrame:
    """The keys of `seeds`, and all keys that share a subject with one of these, and so on.

    `seeds` are as ROW_KEYS, `edges` as EDGES. `keep` computes a frame, so that no step computes
    anew what the steps before it did.
    """
    frontier = keep(seeds.select(*KEY).distinct())
    keys, subjects = frontier.rows, edges.select(*SUBJECT).limit(0)
    while frontier.count:
        beside = keep(_new(_beside(edges, frontier, KEY), SUBJECT, subjects))
        if not beside.count:
            break
        subjects = subjects.unionByName(beside.rows)
        frontier = keep(_new(_beside(edges, beside, SUBJECT), KEY, keys))
        keys = keys.unionByName(frontier.rows)
    return keys


def _beside(edges: DataFrame, reached: KeptRows, names: tuple[str, ...]) -> DataFrame:
    return among(edges, broadcast_if_few(reached.rows, reached.count), names)


def _new(edges: DataFrame, names: tuple[str, ...], reached: DataFrame) -> DataFrame:
    """The values of some columns that were not reached before."""
    values = edges.select(*(F.col(name) for name in names)).distinct()
    return not_among(values, reached, names)
