"""What feeds a decision or a state that differs: what broke or was put aside below it."""

from cutline_reconciliation.explain.feeding.fed import Fed, fed
from cutline_reconciliation.explain.feeding.feed import Feed

__all__ = ["Fed", "Feed", "fed"]
