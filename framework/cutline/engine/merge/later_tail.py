"""Merging a later tail with what was merged before. Only tests use it as yet."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.context import Context, MergePolicy
from cutline.engine.frames import step
from cutline.engine.merge.frames import MERGED, SUBJECT_KEY
from cutline.engine.merge.verdicts import with_verdicts


@step(needs=MERGED, returns=MERGED)
def merge_later_tail(
    merged: DataFrame, tail: DataFrame, context: Context, policy: MergePolicy | None = None
) -> DataFrame:
    """What `with_verdicts` gives for all candidates at once, computed for subjects of `tail` only.

    `merged` is what `with_verdicts` or `merge_later_tail` returned for the earlier candidates, by
    the same policy; `tail` has the columns of candidates. The rows of subjects that are not in the
    tail are passed on as they are.
    """
    subjects = tail.select(*SUBJECT_KEY).distinct()
    earlier = merged.join(subjects, list(SUBJECT_KEY), "left_semi").select(*tail.columns)
    untouched = merged.join(subjects, list(SUBJECT_KEY), "left_anti")
    return untouched.unionByName(with_verdicts(earlier.unionByName(tail), context, policy))
