"""The type of a column: the narrowest kind that every one of its values fits without a loss."""

from __future__ import annotations

from cutline.profile.figures import Figures

TEXT = "string"
_ROOM = 18
"""Digits that a decimal has at least: what was seen so far is not the largest there can be."""
_FINEST = 10
"""Digits behind the point beyond which a number was a binary fraction once."""
_LONGEST_INTEGER = 18


def infer_type(figures: Figures) -> str:
    """The Spark type; text for a column of nulls, and for one whose values are of several kinds.

    An integer with a leading zero or a plus is text: it names something, and is not counted with.
    Moments without any zone are `timestamp_ntz`; if some have one, `timestamp`. Unreadable values
    leave a column what its readable ones say.
    """
    if not figures.values:
        return TEXT
    kinds = {
        "boolean": figures.booleans,
        "bigint": figures.integers if (figures.digits or 0) <= _LONGEST_INTEGER else 0,
        _decimal(figures): figures.decimals if _is_decimal(figures) else 0,
        "double": figures.numbers
        if figures.decimals < figures.numbers or not _is_exact(figures)
        else 0,
        "date": figures.days,
        "timestamp" if figures.zoned else "timestamp_ntz": figures.moments,
    }
    return next((kind for kind, count in kinds.items() if count == figures.values), TEXT)


def _decimal(figures: Figures) -> str:
    digits, scale = figures.digits or 0, figures.scale or 0
    return f"decimal({min(38, max(_ROOM, digits + scale))},{scale})"


def _is_decimal(figures: Figures) -> bool:
    """Whether decimals are no binary fractions, or have more digits than those."""
    return _is_exact(figures) or (_fits(figures) and figures.numbers < figures.values)


def _is_exact(figures: Figures) -> bool:
    return _fits(figures) and (figures.scale or 0) <= _FINEST


def _fits(figures: Figures) -> bool:
    return (figures.digits or 0) + (figures.scale or 0) <= 38


def least_and_greatest(figures: Figures, kind: str) -> tuple[str | None, str | None]:
    """The least and the greatest value in the order of the type."""
    if kind in ("float", "double"):
        return figures.number_low, figures.number_high
    if kind in ("tinyint", "smallint", "int", "bigint") or kind.startswith("decimal"):
        # Numbers too long to be compared exactly are compared nearly.
        return figures.exact_low or figures.number_low, figures.exact_high or figures.number_high
    if kind in ("date", "timestamp", "timestamp_ntz"):
        return figures.time_low, figures.time_high
    return figures.text_low, figures.text_high
