"""The feed: live events are applied to the versions of a read model until a rollout is complete."""

from cutline.feed.aside import AsideEntry, aside_entries, decide
from cutline.feed.cycle import CycleDone, VersionFeed
from cutline.feed.feeder import (
    VersionFed,
    feed_on,
    feed_slice,
    standing_versions,
    version_feed,
    version_of,
)
from cutline.feed.separate import feed_database, rebuild_commands
from cutline.feed.standing import FeedStanding, feed_standings, records_behind
from cutline.feed.topics import live_tail

__all__ = [
    "AsideEntry",
    "CycleDone",
    "FeedStanding",
    "VersionFed",
    "VersionFeed",
    "aside_entries",
    "decide",
    "feed_database",
    "feed_on",
    "feed_slice",
    "feed_standings",
    "live_tail",
    "rebuild_commands",
    "records_behind",
    "standing_versions",
    "version_feed",
    "version_of",
]
