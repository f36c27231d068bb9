"""The noise of an outcome: where the legacy, asked at two moments, differs from itself."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Outcome
from cutline.errors import RunFailed
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare import pair_rows as paired
from cutline_reconciliation.compare.columns.parse_texts import (
    UNREADABLE,
    comparable_type,
    parse_texts,
)
from cutline_reconciliation.levels.column_rules import outcome_rules

CHURNED = "churned"
_SUBJECT, _VALUE = "subject", "value"
_SAME = (classes.MATCHED, classes.WITHIN_TOLERANCE)


@dataclass(frozen=True)
class Noise:
    """`compared`: subjects in the legacy's population at either moment; `churned`: those of which
    it decided otherwise, beyond the outcome's tolerance."""

    compared: int
    churned: int


def churn(outcome: Outcome, legacy: DataFrame, earlier: DataFrame, kind: T.DataType) -> DataFrame:
    """One row per subject of either moment's population: `subject`, `churned`, and `unfit`, which
    must be nowhere true. `kind` is the type in which the new side decides."""
    now, then = (_read(side, kind) for side in (legacy, earlier))
    pairs = paired(now, then, key=[_SUBJECT], columns={_VALUE: outcome_rules(outcome)})
    unfit = F.col("class") == classes.DUPLICATED
    for side in ("left", "right"):
        unreadable = F.size(F.col(side).getField(UNREADABLE)) > 0
        unfit = unfit | F.coalesce(unreadable, F.lit(False))
    return pairs.select(
        _SUBJECT, (~F.col("class").isin(*_SAME)).alias(CHURNED), unfit.alias("unfit")
    )


def noise_of(outcome: str, churned: DataFrame) -> Noise:
    """The counts of `churn`. RunFailed, naming the outcome, for answers that cannot be compared."""
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
    """The decisions of one outcome with `churned`: null where no baseline tells."""
    if churned is None:
        return decisions.withColumn(CHURNED, F.lit(None).cast("boolean"))
    joined = decisions.join(churned.drop("unfit"), _SUBJECT, "left")
    return joined.withColumn(CHURNED, F.coalesce(CHURNED, F.lit(False)))


def _read(side: DataFrame, kind: T.DataType) -> DataFrame:
    types = {_SUBJECT: T.StringType(), _VALUE: comparable_type(kind)}
    return parse_texts(side.where(F.col(_VALUE).isNotNull()).select(_SUBJECT, _VALUE), types)
