"""Aggregates by structured keys: a pass names its metrics by text, and no text is taken apart."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pyspark.sql import Column

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class KeyedCounts(Generic[Key]):
    """Aggregates of one pass, by whatever key says what each counts.

    A metric is called `<prefix>0`, `<prefix>1` … by the place of its key. Two sets of counts that
    are observed in the same pass need prefixes of their own.

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
        """The aggregates by the names of their metrics."""
        return {f"{self.prefix}{i}": column for i, column in enumerate(self.by_key.values())}

    def read(self, metrics: Mapping[str, int]) -> dict[Key, int]:
        """The numbers by key, of the metrics of the pass; others among them are left out."""
        return {key: metrics[f"{self.prefix}{i}"] for i, key in enumerate(self.by_key)}
