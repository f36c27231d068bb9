"""The states as either side has them: where both differ, what a decision looks at differs too."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import state_name, truth_name
from cutline.tables.breaks import OUTCOME
from cutline.workspace import Workspace


def both_sides(
    workspace: Workspace, breaks: DataFrame, broken: Iterable[str]
) -> dict[str, DataFrame]:
    """Every `state_<aggregate>` by its name. Of the aggregates that are `broken` each subject with
    a break below the outcomes is there once more, as the legacy has it: with the truth's values,
    and those of the state where truth does not vouch for a column."""
    lake, spark = workspace.lake, workspace.spark
    states = {
        state_name(a.name): lake.read(spark, state_name(a.name))
        for a in workspace.context.aggregates
    }
    for name in broken:
        state, truth = states[state_name(name)], lake.read(spark, truth_name(name))
        mine = breaks.where((F.col("level") != OUTCOME) & (F.col("name") == name))
        theirs = truth.join(mine.select("subject").distinct(), "subject", "left_semi")
        vouched = [c for c in state.columns if c in truth.columns]
        rest = [c for c in state.columns if c not in truth.columns]
        legacy = theirs.select(*vouched).join(state.select("subject", *rest), "subject", "left")
        states[state_name(name)] = state.unionByName(legacy)
    return states
