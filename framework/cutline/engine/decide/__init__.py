"""Decisions: the one end of each row, from its image, its facts and its moves."""

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
    "WITHIN",
    "allows",
    "doubtful_move",
    "end_of_image",
    "end_of_move",
    "end_of_row",
    "has_move_rules",
    "lacks_inferred",
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
