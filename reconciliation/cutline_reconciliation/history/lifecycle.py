"""The lifecycle of breaks and exceptions: opened, persisting, fixed, reopened. DataFrame to
DataFrame.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.tables.breaks import FIXED, OPENED, PERSISTING, REOPENED


@dataclass(frozen=True)
class RunStamp:
    """The id of the run that writes a history, and its knowledge time."""

    run_id: str
    at: dt.datetime


def with_state(rows: DataFrame, before: DataFrame) -> DataFrame:
    """The rows, each with its `state` against the history of the previous run, by `id`.

    opened: in no earlier run; persisting: it was open; reopened: it was fixed. `before` has one row
    per id; it is empty without a previous run.
    """
    lives = before.select(
        "id", F.lit(True).alias("_known"), F.col("fixed_run").isNotNull().alias("_fixed")
    )
    state = _state(F.lit(True), F.col("_known").isNotNull(), F.col("_fixed"))
    return rows.join(lives, "id", "left").withColumn("state", state).drop("_known", "_fixed")


def history(rows: DataFrame, before: DataFrame, stamp: RunStamp) -> DataFrame:
    """The history after this run: one row per id of this run or an earlier one.

    `rows` has one row per id. Its columns are those of the last run that had the id; beside them
    are those of `tables.history.LIFE`. A fixed id stays fixed until a run has it again.
    """
    run, at = F.lit(stamp.run_id), F.lit(stamp.at)
    new = {c: F.col(f"new.`{c}`") for c in rows.columns}
    old = {c: F.col(f"old.`{c}`") for c in before.columns}
    present, was_known = new["id"].isNotNull(), old["id"].isNotNull()
    was_fixed = old["fixed_run"].isNotNull()
    joined = rows.alias("new").join(before.alias("old"), new["id"] == old["id"], "full")
    began = F.when(present & (~was_known | was_fixed), 1).otherwise(0)
    life = {
        "state": _state(present, was_known, was_fixed),
        "openings": F.coalesce(old["openings"], F.lit(0)) + began,
        "first_seen_run": F.coalesce(old["first_seen_run"], run),
        "first_seen_at": F.coalesce(old["first_seen_at"], at),
        "last_seen_run": F.when(present, run).otherwise(old["last_seen_run"]),
        "last_seen_at": F.when(present, at).otherwise(old["last_seen_at"]),
        "fixed_run": F.when(~present, F.coalesce(old["fixed_run"], run)),
        "fixed_at": F.when(~present, F.coalesce(old["fixed_at"], at)),
    }
    latest_values = (F.when(present, new[c]).otherwise(old[c]).alias(c) for c in rows.columns)
    return joined.select(*latest_values, *(column.alias(name) for name, column in life.items()))


def level_figures(run_id: str, level: str) -> dict[str, Column]:
    """Aggregates over a history of breaks: the breaks of a level, by what this run did to them."""
    mine, state = F.col("level") == level, F.col("state")
    fixed_now = (state == FIXED) & (F.col("fixed_run") == run_id)
    return {
        OPENED: F.count_if(mine & (state == OPENED)),
        PERSISTING: F.count_if(mine & (state == PERSISTING)),
        FIXED: F.count_if(mine & fixed_now),
        REOPENED: F.count_if(mine & (state == REOPENED)),
        "open": F.count_if(mine & (state != FIXED)),
        "waived": F.count_if(mine & (state != FIXED) & F.col("waiver").isNotNull()),
    }


def _state(present: Column, was_known: Column, was_fixed: Column) -> Column:
    return (
        F.when(~present, FIXED)
        .when(~was_known, OPENED)
        .when(was_fixed, REOPENED)
        .otherwise(PERSISTING)
    )
