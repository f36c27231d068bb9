"""The frames of an advance: keys of source rows, subjects, and which belong together."""

from __future__ import annotations

from cutline.engine.frames import Frame, frame_of
from cutline.tables import REPLACED_ROWS, REPLACED_SUBJECTS

ROW_KEYS = frame_of(REPLACED_ROWS)
SUBJECTS = frame_of(REPLACED_SUBJECTS)

EDGES = Frame(
    "a key of a source table, and a subject that a row with that key belongs to or belonged to",
    (*ROW_KEYS.columns, *SUBJECTS.columns),
)

KEY = tuple(ROW_KEYS.names)
SUBJECT = tuple(SUBJECTS.names)
