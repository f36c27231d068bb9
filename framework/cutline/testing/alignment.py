"""Pairing what was expected with what came, so that a difference shows where it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Left = TypeVar("Left")
Right = TypeVar("Right")

_GAP = 1.0


def aligned(
    left: Sequence[Left], right: Sequence[Right], distance: Callable[[Left, Right], float]
) -> list[tuple[Left | None, Right | None]]:
    """Pairs in order, with null where one side has nothing; the sum of distances is the least.

    `distance` is 0 for equals and below 2 for a pair that belongs together all the same: leaving
    both without a partner costs 2.
    """
    costs = [[_GAP * (i + j) for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i, one in enumerate(left, start=1):
        for j, other in enumerate(right, start=1):
            costs[i][j] = min(
                costs[i - 1][j - 1] + distance(one, other),
                costs[i - 1][j] + _GAP,
                costs[i][j - 1] + _GAP,
            )
    return _walked_back(left, right, distance, costs)


def _walked_back(
    left: Sequence[Left],
    right: Sequence[Right],
    distance: Callable[[Left, Right], float],
    costs: list[list[float]],
) -> list[tuple[Left | None, Right | None]]:
    pairs: list[tuple[Left | None, Right | None]] = []
    i, j = len(left), len(right)
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + distance(left[i - 1], right[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((left[i], right[j]))
        elif i and costs[i][j] == costs[i - 1][j] + _GAP:
            i -= 1
            pairs.append((left[i], None))
        else:
            j -= 1
            pairs.append((None, right[j]))
    return pairs[::-1]
