"""The merge: every candidate event gets its one verdict, in one exchange keyed by subject."""

from cutline.engine.merge.again import remerged
from cutline.engine.merge.declared import policy_of
from cutline.engine.merge.judge import judged, reason_of
from cutline.engine.merge.parts import IS_ACCEPTED, parted

__all__ = ["IS_ACCEPTED", "judged", "parted", "policy_of", "reason_of", "remerged"]
