"""The alignment of two sequences, expected and actual, with the least sum of distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Left = TypeVar("Left")
Right = TypeVar("Right")

_GAP = 1.0


def align(
    left: Sequence[Left], right: Sequence[Right], distance: Callable[[Left, Right], float]
) -> list[tuple[Left | None, Right | None]]:
    """The pairs of the best alignment, in order; null for the side that has no partner.

    `distance` is 0 for equal items. A pair of more than 2 is never made, as two items without a
    partner cost 2.

    >>> align("abd", "acd", lambda left, right: 0 if left == right else 3)
    [('a', 'a'), (None, 'c'), ('b', None), ('d', 'd')]
    """
    costs = [[_GAP * (i + j) for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i, left_item in enumerate(left, start=1):
        for j, right_item in enumerate(right, start=1):
            costs[i][j] = min(
                costs[i - 1][j - 1] + distance(left_item, right_item),
                costs[i - 1][j] + _GAP,
                costs[i][j - 1] + _GAP,
            )
    return _trace_back(left, right, distance, costs)


def _trace_back(
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
