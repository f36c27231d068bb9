"""Decisions: the one end of each row, from its image, its facts and its moves.

An image ends by itself, or by its move, or by the facts that rise from it. Rows of one commit share
the end of one image, and rows that were held get the end of the image that releases them.
"""

from cutline.engine.decide.frames import (
    DECIDED,
    DECIDED_ALONE,
    FAULT,
    IMAGE_END,
    RISEN,
    WAITING,
    WAS_READABLE,
    last_sound_columns,
)
from cutline.engine.decide.held_rows import may_hold_rows, release_held_rows, waiting_columns
from cutline.engine.decide.image_end import (
    end_of_image,
    end_of_row,
    lacks_inferred,
    risen,
    sound_before,
)
from cutline.engine.decide.lifecycles import (
    allows,
    doubtful_move,
    lifecycle_breach,
    lifecycle_rule,
    lifecycle_rules,
    no_breach,
)
from cutline.engine.decide.moves import (
    end_of_move,
    has_move_rules,
    with_last_sound,
    without_last_sound,
)
from cutline.engine.decide.shared_ends import WITHIN, share_ends

__all__ = [
    "DECIDED",
    "DECIDED_ALONE",
    "FAULT",
    "IMAGE_END",
    "RISEN",
    "WAITING",
    "WAS_READABLE",
    "WITHIN",
    "allows",
    "doubtful_move",
    "end_of_image",
    "end_of_move",
    "end_of_row",
    "has_move_rules",
    "lacks_inferred",
    "last_sound_columns",
    "lifecycle_breach",
    "lifecycle_rule",
    "lifecycle_rules",
    "may_hold_rows",
    "no_breach",
    "release_held_rows",
    "risen",
    "share_ends",
    "sound_before",
    "waiting_columns",
    "with_last_sound",
    "without_last_sound",
]
