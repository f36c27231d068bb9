"""A comparison as one JSON document: the counts, how it was compared, and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cutline.version import __version__
from cutline_reconciliation.compare import Comparison
from cutline_reconciliation.compare.views.examples import Examples


@dataclass(frozen=True)
class SideTold:
    """What is said of one side's table."""

    place: str
    """Where it is; never with a password."""
    kind: str
    """parquet, csv, jsonl, sqlite, postgres, or whatever the caller compared."""
    types: Mapping[str, str]
    """By column, its type in the source's own words."""
    read_as: Mapping[str, str]
    """By column, the type in which it was compared."""
    notes: Sequence[str] = ()
    """What a reader should know of how it was read."""


def document(
    comparison: Comparison,
    left: SideTold | None = None,
    right: SideTold | None = None,
    rules: str | None = None,
    found: Examples | None = None,
) -> dict[str, Any]:
    """`Comparison.as_json`, with what its views show besides.

    `left` and `right` say what was compared, `rules` by which file, `found` are the examples.
    """
    told = comparison.as_json()
    told["left"] = None if left is None else asdict(left)
    told["right"] = None if right is None else asdict(right)
    told["rules"] = rules
    told["examples"] = None if found is None else asdict(found)
    told["cutline"] = __version__
    return told
