"""Composition: from the changes of all parts to the images of a subject, one per commit."""

from cutline.engine.compose.carry import (
    ASIDE,
    BY_COMMIT,
    GROUP,
    MOVED_FROM,
    MOVED_TO,
    PART,
    SEVERAL,
    SKEW,
    STANDS_FOR,
    TAKEN_AWAY,
    UNREADABLE,
    in_order,
    of_commit,
    optional_parts,
)
from cutline.engine.compose.commits import (
    BROKEN_BEFORE,
    COMMIT_OF,
    SUPERSEDED,
    UNREAD_BEFORE,
    commit_is_known,
)
from cutline.engine.compose.images import (
    compose_images,
    existed,
    is_complete,
    is_composed,
    lacks_prior_image,
    snapshot_images,
)
from cutline.engine.compose.lookups import join_lookup, match_count
from cutline.engine.compose.views import passenger_parts, view_questions

__all__ = [
    "ASIDE",
    "BROKEN_BEFORE",
    "BY_COMMIT",
    "COMMIT_OF",
    "GROUP",
    "MOVED_FROM",
    "MOVED_TO",
    "PART",
    "SEVERAL",
    "SKEW",
    "STANDS_FOR",
    "SUPERSEDED",
    "TAKEN_AWAY",
    "UNREADABLE",
    "UNREAD_BEFORE",
    "commit_is_known",
    "compose_images",
    "existed",
    "in_order",
    "is_complete",
    "is_composed",
    "join_lookup",
    "lacks_prior_image",
    "match_count",
    "of_commit",
    "optional_parts",
    "passenger_parts",
    "snapshot_images",
    "view_questions",
]
