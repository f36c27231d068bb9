"""The merge: every candidate event gets its one verdict, in one exchange keyed by subject.

The rules about one event alone come first; then those about several events of one id, of one fact,
or near in time; then the order that aggregates declare. The first rule that holds decides.
"""

from cutline.engine.merge.frames import IS_ACCEPTED
from cutline.engine.merge.later_tail import merge_later_tail
from cutline.engine.merge.policy import slice_policy
from cutline.engine.merge.split import split_by_verdict
from cutline.engine.merge.verdicts import reason_of, with_verdicts

__all__ = [
    "IS_ACCEPTED",
    "merge_later_tail",
    "reason_of",
    "slice_policy",
    "split_by_verdict",
    "with_verdicts",
]
