"""A comparison in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.wording import counted

Document = Mapping[str, Any]
"""The output of `cutline compare --json`."""

CLASSES = {
    "changed": "a compared column differs",
    "only_left": "the right side has no such key",
    "only_right": "the left side has no such key",
    "duplicated": "the key occurs more than once on a side",
    "null_key": "the key holds a null",
}
"""The classes of rows that are no match, with their meanings."""


def verdict(document: Document) -> str:
    """EQUAL or DIFFERENT."""
    return "EQUAL" if document["equal"] else "DIFFERENT"


def title(document: Document) -> str:
    """The two tables and the key, in a phrase."""
    return (
        f"{_place(document, 'left')} → {_place(document, 'right')}, by {', '.join(document['key'])}"
    )


def sentence(document: Document) -> str:
    """The reason in one sentence: everything that makes the tables differ, or that nothing does."""
    differences = [*_rows(document), *_columns(document)]
    if differences:
        return _and(differences) + "."
    if not document["rows_left"] and not document["rows_right"]:
        return "Both tables are empty."
    forgiven = document["forgiven"]
    but = f", {forgiven:,} of them only by what rules forgive" if forgiven else ""
    return f"All {document['rows_left']:,} rows are alike{but}."


def _rows(document: Document) -> list[str]:
    differences = []
    pairs = document["matched"] + document["changed"]
    if document["changed"]:
        differences.append(f"{document['changed']:,} of {pairs:,} common keys changed")
    for side in ("left", "right"):
        if count := document[f"only_{side}"]:
            differences.append(f"{counted(count, 'row')} only on the {side}")
    if count := document["duplicate_keys_unlike"]:
        differences.append(f"{counted(count, 'duplicated key')} with unlike rows")
    if count := document["null_keys_unlike"]:
        differences.append(f"{counted(count, 'row')} without a key that the other side has not")
    return differences


def _columns(document: Document) -> list[str]:
    return [
        f"{counted(len(names), 'column')} only on the {side} ({', '.join(names[:5])}"
        + (", …)" if len(names) > 5 else ")")
        for side in ("left", "right")
        if (names := document[f"columns_only_{side}"])
    ]


def _place(document: Document, side: str) -> str:
    return str(document[side]["place"]) if document[side] else side


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
