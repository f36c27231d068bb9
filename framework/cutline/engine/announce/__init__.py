"""Announcement: the candidate events of the facts that rise."""

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.announce.fallen import FALLEN_TYPES, FALLEN_WITHIN, no_types, with_fallen_types

__all__ = [
    "FALLEN_TYPES",
    "FALLEN_WITHIN",
    "Lineage",
    "candidate_events",
    "no_types",
    "with_fallen_types",
]
