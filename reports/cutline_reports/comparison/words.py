"""A comparison in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.wording import counted

Document = Mapping[str, Any]
"""What `cutline compare --json` prints."""

CLASSES = {
    "changed": "a compared column differs",
    "only_left": "the right side has no such key",
    "only_right": "the left side has no such key",
    "duplicated": "the key occurs more than once on a side",
    "null_key": "the key holds a null",
}
"""The classes of rows that are not matched, and what each means."""


def verdict(told: Document) -> str:
    """EQUAL or DIFFERENT."""
    return "EQUAL" if told["equal"] else "DIFFERENT"


def title(told: Document) -> str:
    """What was compared with what, by which key."""
    return f"{_place(told, 'left')} → {_place(told, 'right')}, by {', '.join(told['key'])}"


def sentence(told: Document) -> str:
    """Why, in one sentence: everything that makes the tables differ, or that nothing does."""
    found = [*_rows(told), *_columns(told)]
    if found:
        return _and(found) + "."
    if not told["rows_left"] and not told["rows_right"]:
        return "Both tables are empty."
    forgiven = told["forgiven"]
    but = f", {forgiven:,} of them only by what rules forgive" if forgiven else ""
    return f"All {told['rows_left']:,} rows are alike{but}."


def _rows(told: Document) -> list[str]:
    found = []
    pairs = told["matched"] + told["changed"]
    if told["changed"]:
        found.append(f"{told['changed']:,} of {pairs:,} common keys changed")
    for side in ("left", "right"):
        if count := told[f"only_{side}"]:
            found.append(f"{counted(count, 'row')} only on the {side}")
    if count := told["duplicate_keys_unlike"]:
        found.append(f"{counted(count, 'duplicated key')} with unlike rows")
    if count := told["null_keys_unlike"]:
        found.append(f"{counted(count, 'row')} without a key that the other side has not")
    return found


def _columns(told: Document) -> list[str]:
    return [
        f"{counted(len(names), 'column')} only on the {side} ({', '.join(names[:5])}"
        + (", …)" if len(names) > 5 else ")")
        for side in ("left", "right")
        if (names := told[f"columns_only_{side}"])
    ]


def _place(told: Document, side: str) -> str:
    return str(told[side]["place"]) if told[side] else side


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
