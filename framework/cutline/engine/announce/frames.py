"""The frames of announcement: a change with its events, and the names that its image says."""

from __future__ import annotations

from cutline.engine.compose import CHANGE_REFERENCE, IMAGES, SKEW, SUPERSEDED
from cutline.engine.facts import EVENT_STRUCT
from cutline.engine.frames import Frame, FrameColumn, frame_of
from cutline.engine.restore import LEFT_SUBJECT
from cutline.tables import DISPOSITIONS

_DISPOSITIONS = frame_of(DISPOSITIONS)

EVENTS_ANNOUNCED = FrameColumn(
    "events", f"array<{EVENT_STRUCT}>", "the events that the change announces; perhaps empty", False
)
ANNOUNCED = FrameColumn(
    "announced", "int", "how many they are: who needs no more leaves the events unmade", False
)
TRANSLATOR = FrameColumn("translator", "string", "the translator; null for reference data")
VERSION = FrameColumn("version", "string", "its version")
FALLEN_TYPES = FrameColumn(
    "fell_types",
    "array<string>",
    "types of events that the change would have announced by itself, and that its commit does not",
    False,
)
FALLEN_WITHIN = FrameColumn("fell_within", "int", "how many they are", False)

TRANSLATED_CHANGES = Frame(
    "one change of a part, or one row that is only looked up, with its one disposition",
    (
        *CHANGE_REFERENCE,
        *_DISPOSITIONS.named("payload", "subject", "aggregate"),
        *_DISPOSITIONS.named("disposition", "rule", "reason", "checks"),
        *(EVENTS_ANNOUNCED, ANNOUNCED, TRANSLATOR, VERSION),
        *_DISPOSITIONS.named("finding", "finding_reason"),
        *(SKEW, FALLEN_WITHIN, LEFT_SUBJECT),
    ),
)

IMAGE_NAMES = FrameColumn(
    "image_names", "array<string>", "the names of facts that the image says; null if not sound"
)
COMMIT_NAMES = FrameColumn(
    "commit_names", "array<string>", "IMAGE_NAMES of an image that stands for its commit; else null"
)
NAMES_BEFORE = FrameColumn(
    "names_before",
    "array<string>",
    "the names that the subject's last sound image says; null if there is none",
)
NAMED_IMAGES = Frame(
    "one image of a subject, with the names that it says",
    (*IMAGES.columns, SUPERSEDED, IMAGE_NAMES, COMMIT_NAMES, NAMES_BEFORE),
)
