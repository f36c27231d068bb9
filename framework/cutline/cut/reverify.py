"""Keys that were touched after they had been compared, and must be compared again.

Source: Shopify's Ghostferry, whose specification shows why the queue counts: a key that is touched
again while it is being compared needs another comparison, which a set would forget. Only tests use
this so far: the comparison of a slice that is still written to will.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Reverify(Generic[Key]):
    """A queue of keys, each as many times as it was touched: one comparison settles one touch.

    It is empty only if as many comparisons have ended as keys were touched, and each began after
    the touch that it settles.
    """

    def __init__(self) -> None:
        self._waiting: Counter[Key] = Counter()
        self._under_way: Counter[Key] = Counter()

    def touched(self, key: Key) -> None:
        """A change of the row was seen."""
        self._waiting[key] += 1

    def begin(self) -> Key | None:
        """A key whose row is to be read and compared now; null if none waits."""
        key = next(iter(self._waiting), None)
        if key is not None:
            _less(self._waiting, key)
            self._under_way[key] += 1
        return key

    def settled(self, key: Key) -> None:
        """A comparison that was begun found both sides equal. ValueError if none was begun."""
        self._end(key)

    def differs(self, key: Key) -> None:
        """A comparison that was begun found a difference: the key waits again. ValueError as above.

        What differs while changes are on their way may be equal a moment later.
        """
        self._end(key)
        self._waiting[key] += 1

    @property
    def pending(self) -> int:
        """How many comparisons are still owed, those under way included."""
        return self._waiting.total() + self._under_way.total()

    @property
    def empty(self) -> bool:
        """Whether nothing is owed: the condition for an end."""
        return self.pending == 0

    def _end(self, key: Key) -> None:
        if not self._under_way[key]:
            raise ValueError(f"no comparison of {key!r} is under way")
        _less(self._under_way, key)


def _less(counted: Counter[Key], key: Key) -> None:
    counted[key] -= 1
    if not counted[key]:
        del counted[key]
