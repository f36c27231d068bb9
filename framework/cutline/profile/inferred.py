"""The type of a column: the narrowest kind that every one of its values fits without a loss."""

from __future__ import annotations

from cutline.profile.figures import Figures

TEXT = "string"
_ROOM = 18
"""Digits that a decimal has at least: what was seen so far is not the largest there can be."""
_FINEST = 10
"""Digits behind the point beyond which a number was a binary fraction once."""
_LONGEST_INTEGER = 18


def inferred(seen: Figures) -> str:
    """The Spark type; text for a column of nulls, and for one whose values are of several kinds.

    An integer with a leading zero or a plus is text: it names something, and is not counted with.
    Moments without any zone are `timestamp_ntz`; if some have one, `timestamp`. Unreadable values
    leave a column what its readable ones say.
    """
    if not seen.values:
        return TEXT
    kinds = {
        "boolean": seen.booleans,
        "bigint": seen.integers if (seen.digits or 0) <= _LONGEST_INTEGER else 0,
        _decimal(seen): seen.decimals if _is_exact(seen) else 0,
        "double": seen.numbers if seen.decimals < seen.numbers or not _is_exact(seen) else 0,
        "date": seen.days,
        "timestamp" if seen.zoned else "timestamp_ntz": seen.moments,
    }
    return next((kind for kind, count in kinds.items() if count == seen.values), TEXT)


def _decimal(seen: Figures) -> str:
    digits, scale = seen.digits or 0, seen.scale or 0
    return f"decimal({min(38, max(_ROOM, digits + scale))},{scale})"


def _is_exact(seen: Figures) -> bool:
    digits, scale = seen.digits or 0, seen.scale or 0
    return digits + scale <= 38 and scale <= _FINEST


def ends(seen: Figures, kind: str) -> tuple[str | None, str | None]:
    """The least and the greatest value in the order of the type."""
    if kind in ("float", "double"):
        return seen.number_low, seen.number_high
    if kind in ("tinyint", "smallint", "int", "bigint") or kind.startswith("decimal"):
        # Numbers too long to be compared exactly are compared nearly.
        return seen.exact_low or seen.number_low, seen.exact_high or seen.number_high
    if kind in ("date", "timestamp", "timestamp_ntz"):
        return seen.time_low, seen.time_high
    return seen.text_low, seen.text_high
