"""The books of a stage: what came in, what went out, and that nothing is left over."""

from __future__ import annotations

from cutline.errors import ConservationError


def check_balance(label: str, came: int, ended: int) -> int:
    """What is unexplained: always 0, because anything else fails the run with the numbers."""
    if came != ended:
        raise ConservationError(
            f"the books do not balance: {came:,} {label} came in, {ended:,} have an end",
            left_behind="The stage's tables are not valid; earlier stages are kept.",
            next_step="This is a defect of Cutline or of a plugin: please report it with the run.",
        )
    return 0
