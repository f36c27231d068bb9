"""Merging a later tail with what was merged before."""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.context import Context, MergePolicy
from cutline.engine.merge.columns import SUBJECT
from cutline.engine.merge.judge import judged


def remerged(
    stored: DataFrame, later: DataFrame, context: Context, policy: MergePolicy | None = None
) -> DataFrame:
    """What `judged` says of all candidates at once, asked only of subjects of the later tail.

    `stored` is what `judged` or `remerged` returned for the earlier candidates, by the same policy;
    `later` has the columns of candidates. The rows of other subjects are passed on as they are.
    """
    touched = later.select(*SUBJECT).distinct()
    again = stored.join(touched, list(SUBJECT), "left_semi").select(*later.columns)
    others = stored.join(touched, list(SUBJECT), "left_anti")
    return others.unionByName(judged(again.unionByName(later), context, policy))
