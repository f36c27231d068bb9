"""The one layout of all positions: three numbers of fixed width, joined by "."."""

from __future__ import annotations

FIRST_DIGITS = SECOND_DIGITS = 20
ORDINAL_DIGITS = 10
WIDTHS = (FIRST_DIGITS, SECOND_DIGITS, ORDINAL_DIGITS)


def numbers_text(numbers: tuple[int, int, int], base: int = 10) -> str:
    """The text of three numbers, in decimal or (base 16) lower-case hexadecimal digits.

    ValueError for one that is negative or too wide. The last is always decimal.
    """
    shown = []
    for number, width, wanted in zip(numbers, WIDTHS, (base, base, 10), strict=True):
        text = f"{number:0{width}x}" if wanted == 16 else f"{number:0{width}d}"
        if number < 0 or len(text) > width:
            raise ValueError(f"{number} does not fit into a position")
        shown.append(text)
    return ".".join(shown)


NOWHERE = numbers_text((0, 0, 0))
"""The position of every snapshot row of a source that has no changes."""
