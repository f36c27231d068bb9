"""Coverage: what becomes of the values and moves that are really in the data, before any run."""

from cutline.engine.coverage.moves import move_coverage
from cutline.engine.coverage.values import value_coverage

__all__ = [
    "move_coverage",
    "value_coverage",
]
