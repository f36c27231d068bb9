"""The analysis of one rule."""

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
    """The types of a rule's expressions, and the columns that they read.

    `types` are Spark types by use: `data.<field>`, `key.<i>`. The others are pairs of a part or
    lookup and a column: `asks` those of the predicate; `moving` those of the payload that are not
    declared stable, so that a snapshot may show a later value; `dated` the same for the time.
    """

    types: Mapping[str, T.DataType]
    asks: frozenset[UsedColumn]
    moving: frozenset[UsedColumn]
    dated: frozenset[UsedColumn] = frozenset()


def as_list(value: Any) -> list[Any]:
    """One value or several as a list; an empty one for None and for what is left out."""
    if value is None or value is LEFT_OUT:
        return []
    return list(value) if isinstance(value, tuple | list) else [value]
