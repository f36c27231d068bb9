"""The shapes of a table, its contract's own and the older ones, validated when it is declared."""

from cutline.translator.shapes.lifts import lift_label, refuse_unknown_column
from cutline.translator.shapes.validation import EVERY_OTHER, refuse_wrong_shapes

__all__ = [
    "EVERY_OTHER",
    "lift_label",
    "refuse_unknown_column",
    "refuse_wrong_shapes",
]
