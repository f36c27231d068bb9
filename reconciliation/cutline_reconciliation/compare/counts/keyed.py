"""Aggregates by structured keys, whose metrics need no parsing of names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pyspark.sql import Column

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class KeyedCounts(Generic[Key]):
    """Aggregates of one pass by keys of any type.

    A metric's name is `<prefix>0`, `<prefix>1` … by the position of its key. Counts that are
    observed in one pass need different prefixes.

        >>> keyed = KeyedCounts({("order", "missing"): "a column", ("order", "late"): "another"})
        >>> list(keyed.columns)
        ['count0', 'count1']
        >>> keyed.read({"count0": 3, "count1": 0, "rows": 9})
        {('order', 'missing'): 3, ('order', 'late'): 0}
    """

    by_key: Mapping[Key, Column]
    prefix: str = "count"

    @property
    def columns(self) -> dict[str, Column]:
        """The aggregates by metric."""
        return {f"{self.prefix}{i}": column for i, column in enumerate(self.by_key.values())}

    def read(self, metrics: Mapping[str, int]) -> dict[Key, int]:
        """The numbers by key, from the metrics of a pass; other metrics are left out."""
        return {key: metrics[f"{self.prefix}{i}"] for i, key in enumerate(self.by_key)}
