"""The states of both sides: a decision depends on subjects that it reads on either side."""

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
    """Every `state_<aggregate>` by its name, with the legacy's version of broken subjects added.

    Of the aggregates in `broken`, each subject with a break at record or state level has a second
    row: with the truth's values, and with those of the state where truth lacks a column.
    """
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
