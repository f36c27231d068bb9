"""A translator's rules as Spark columns: the rows that they take, and what they return."""

from cutline.engine.rules.evaluate import (
    ImageMove,
    as_column,
    evaluate_fact,
    evaluate_row_rule,
    holds,
    is_true,
    rule_label,
)
from cutline.engine.rules.occurrences import (
    BY_FIELDS,
    BY_KEY,
    BY_POSITION,
    BY_TIME,
    ONCE,
    identity_of,
    position_text,
    refuse_incomplete,
    time_text,
)
from cutline.engine.rules.row import (
    AFTER,
    BEFORE,
    LAST,
    WAS,
    Element,
    image,
    view_types,
    whole_image,
)
from cutline.engine.rules.subjects import joined_subject, subject_of

__all__ = [
    "AFTER",
    "BEFORE",
    "BY_FIELDS",
    "BY_KEY",
    "BY_POSITION",
    "BY_TIME",
    "LAST",
    "ONCE",
    "WAS",
    "Element",
    "ImageMove",
    "as_column",
    "evaluate_fact",
    "evaluate_row_rule",
    "holds",
    "identity_of",
    "image",
    "is_true",
    "joined_subject",
    "position_text",
    "refuse_incomplete",
    "rule_label",
    "subject_of",
    "time_text",
    "view_types",
    "whole_image",
]
