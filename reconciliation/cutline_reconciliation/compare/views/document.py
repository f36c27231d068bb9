"""A comparison as one JSON document: the counts, how it was compared, and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cutline.version import __version__
from cutline_reconciliation.compare import Comparison
from cutline_reconciliation.compare.views.examples import Examples


@dataclass(frozen=True)
class SideDescription:
    """One side's table, for the views of a comparison."""

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
    left: SideDescription | None = None,
    right: SideDescription | None = None,
    rules: str | None = None,
    examples: Examples | None = None,
) -> dict[str, Any]:
    """`Comparison.as_json`, with what its views show besides.

    `left` and `right` say what was compared, `rules` by which file.
    """
    fields = comparison.as_json()
    fields["left"] = None if left is None else asdict(left)
    fields["right"] = None if right is None else asdict(right)
    fields["rules"] = rules
    fields["examples"] = None if examples is None else asdict(examples)
    fields["cutline"] = __version__
    return fields
