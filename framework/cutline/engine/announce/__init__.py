"""Announcement: the events of the facts that rise, from arrays to candidates of their own row."""

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.announce.fallen import no_types, with_fallen_types
from cutline.engine.announce.frames import (
    ANNOUNCED,
    COMMIT_NAMES,
    EVENTS_ANNOUNCED,
    FALLEN_TYPES,
    FALLEN_WITHIN,
    IMAGE_NAMES,
    NAMES_BEFORE,
    TRANSLATED_CHANGES,
    TRANSLATOR,
    VERSION,
)

__all__ = [
    "ANNOUNCED",
    "COMMIT_NAMES",
    "EVENTS_ANNOUNCED",
    "FALLEN_TYPES",
    "FALLEN_WITHIN",
    "IMAGE_NAMES",
    "NAMES_BEFORE",
    "TRANSLATED_CHANGES",
    "TRANSLATOR",
    "VERSION",
    "Lineage",
    "candidate_events",
    "no_types",
    "with_fallen_types",
]
