"""Chance by seed: every part of the estate has a generator of its own."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutline_translators.estate.moments import Ints

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Chance:
    """The source of all randomness: the same seed gives the same estate."""

    seed: int

    def of(self, part: str, chunk: int = 0) -> np.random.Generator:
        """The generator of one part of the estate, independent of the other parts."""
        return np.random.default_rng([self.seed, zlib.crc32(part.encode()), chunk])


def rare_places(
    rng: np.random.Generator, eligible: Bools, region: Ints, rate: float, least: int
) -> Ints:
    """The sorted places of rare rows: in each region a share `rate` of its rows, `least` at least.

    They are drawn from the eligible rows only, each at most once.
    """
    drawn = [
        rng.choice(places, min(max(least, round(rate * int(rows))), len(places)), replace=False)
        for places, rows in (
            (np.flatnonzero(eligible & (region == r)), np.count_nonzero(region == r))
            for r in range(2)
        )
    ]
    return np.sort(np.concatenate(drawn))


def weighted_choices(rng: np.random.Generator, count: int, shares: list[float]) -> Ints:
    """`count` draws of an index into `shares`, which sum to 1."""
    return np.searchsorted(np.cumsum(shares)[:-1], rng.random(count), side="right").astype(np.int64)
