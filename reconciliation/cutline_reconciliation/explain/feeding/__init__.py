"""Feeds: lower breaks and excluded rows and events on which a broken subject depends."""

from cutline_reconciliation.explain.feeding.feed import Feed
from cutline_reconciliation.explain.feeding.find_feeds import FeedingResult, find_feeds

__all__ = ["Feed", "FeedingResult", "find_feeds"]
