"""The decisions of both sides of a slice, and those that a side took without the authority to.

`tenures` says who wrote when, `legacy_side` and `new_side` read what each decided, `strays` holds
them against each other, and `reconciling` does it all over a look at the sources.
"""

from cutline.rollout.decisions.reconciling import reconcile_decisions
from cutline.rollout.decisions.result import SliceDecisions, StrayDecision
from cutline.rollout.decisions.settling import settle

__all__ = ["SliceDecisions", "StrayDecision", "reconcile_decisions", "settle"]
