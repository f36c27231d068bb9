"""What feeds a decision that differs: breaks of the levels below in what it looks at."""

from cutline_reconciliation.explain.feeding.fed import Fed, fed
from cutline_reconciliation.explain.feeding.feed import Feed

__all__ = ["Fed", "Feed", "fed"]
