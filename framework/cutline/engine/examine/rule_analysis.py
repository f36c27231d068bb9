"""What one rule's expressions give and look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import types as T

from cutline.engine.examine.columns_used import UsedColumn
from cutline.translator.occurrence import LEFT_OUT

WHEN, AT, DATA, SUBJECT, KEY = "when", "at", "data.", "subject.", "key."


@dataclass(frozen=True)
class RuleAnalysis:
    """What one rule's expressions give and look at.

    `types` are the Spark types of its payload fields' and keys' columns, by `data.<field>` and
    `key.<i>`. `asks` are the (part or lookup, column) pairs of its predicate. `moving` are those of
    its payload that are not stable: a snapshot may no longer show what they were. `dated` are those
    of its time.
    """

    types: Mapping[str, T.DataType]
    asks: frozenset[UsedColumn]
    moving: frozenset[UsedColumn]
    dated: frozenset[UsedColumn] = frozenset()


def as_list(value: Any) -> list[Any]:
    """What was given as one column or as several; nothing for None or what is left out."""
    if value is None or value is LEFT_OUT:
        return []
    return list(value) if isinstance(value, tuple | list) else [value]
