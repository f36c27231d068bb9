"""The noise of an outcome: decisions that differ between two moments of the legacy itself."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Outcome
from cutline.errors import RunFailed
from cutline_reconciliation.compare import classes, pair_rows
from cutline_reconciliation.compare.columns.parse_texts import (
    UNREADABLE,
    comparable_type,
    parse_texts,
)
from cutline_reconciliation.levels.column_rules import outcome_rules

CHURNED = "churned"
_SUBJECT, _VALUE = "subject", "value"
_AGREEING = (classes.MATCHED, classes.WITHIN_TOLERANCE)


@dataclass(frozen=True)
class Noise:
    """How much the legacy's decisions differ between two moments.

    `compared` subjects are in its population at either moment; decisions of the `churned` ones
    differ by more than the outcome's tolerance.
    """

    compared: int
    churned: int


def churn(outcome: Outcome, legacy: DataFrame, earlier: DataFrame, kind: T.DataType) -> DataFrame:
    """One row per subject of either moment's population: `subject`, `churned`, and `unfit`.

    `unfit` marks answers that cannot be compared; it must be false everywhere. `kind` is the type
    of the new side's value.
    """
    now, then = (_read(side, kind) for side in (legacy, earlier))
    pairs = pair_rows(now, then, key=[_SUBJECT], columns={_VALUE: outcome_rules(outcome)})
    unfit = F.col("class") == classes.DUPLICATED
    for side in ("left", "right"):
        unreadable = F.size(F.col(side).getField(UNREADABLE)) > 0
        unfit = unfit | F.coalesce(unreadable, F.lit(False))
    return pairs.select(
        _SUBJECT, (~F.col("class").isin(*_AGREEING)).alias(CHURNED), unfit.alias("unfit")
    )


def noise_of(outcome: str, churned: DataFrame) -> Noise:
    """The counts of `churn`. RunFailed, naming the outcome, for answers that are unfit."""
    counts = churned.agg(
        F.count("*").alias("compared"),
        F.count_if(CHURNED).alias(CHURNED),
        F.count_if("unfit").alias("unfit"),
    ).head()
    assert counts is not None
    if counts["unfit"]:
        raise RunFailed(
            f"outcome {outcome}: at the baseline {counts['unfit']:,} subjects are decided more "
            "than once, or have a value that is none of the type that the new side decides in",
            left_behind="The earlier stages are kept.",
            next_step="See that the baseline is the same legacy, or leave it out.",
        )
    return Noise(counts["compared"], counts[CHURNED])


def with_churn(decisions: DataFrame, churned: DataFrame | None) -> DataFrame:
    """The decisions of one outcome with `churned`; null without a baseline."""
    if churned is None:
        return decisions.withColumn(CHURNED, F.lit(None).cast("boolean"))
    joined = decisions.join(churned.drop("unfit"), _SUBJECT, "left")
    return joined.withColumn(CHURNED, F.coalesce(CHURNED, F.lit(False)))


def _read(side: DataFrame, kind: T.DataType) -> DataFrame:
    types = {_SUBJECT: T.StringType(), _VALUE: comparable_type(kind)}
    return parse_texts(side.where(F.col(_VALUE).isNotNull()).select(_SUBJECT, _VALUE), types)
