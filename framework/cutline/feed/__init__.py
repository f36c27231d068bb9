"""The feed: live events are applied to the versions of a read model until a rollout is complete."""

from cutline.feed.aside import AsideEntry, aside_entries, decide
from cutline.feed.cycle import CycleDone, VersionFeed
from cutline.feed.feeder import VersionFed, feed_slice, standing_versions, version_of

__all__ = [
    "AsideEntry",
    "CycleDone",
    "VersionFed",
    "VersionFeed",
    "aside_entries",
    "decide",
    "feed_slice",
    "standing_versions",
    "version_of",
]
