"""What feeds a decision or a state that differs: what broke or was put aside below it."""

from cutline_reconciliation.explain.feeding.feed import Feed
from cutline_reconciliation.explain.feeding.find_feeds import FeedingResult, find_feeds

__all__ = ["Feed", "FeedingResult", "find_feeds"]
