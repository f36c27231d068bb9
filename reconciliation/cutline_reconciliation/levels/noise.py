"""The noise of an outcome: where the legacy, asked at two moments, differs from itself."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Outcome
from cutline.errors import RunFailed
from cutline.tables.outcome import BREAKING
from cutline_reconciliation.compare import classes, paired
from cutline_reconciliation.compare.columns.typed import UNREADABLE, comparable_type, typed
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


def churn(outcome: Outcome, legacy: DataFrame, other: DataFrame, kind: T.DataType) -> DataFrame:
    """One row per subject of either moment's population: `subject`, `churned`, and `unfit`, which
    must be nowhere true. `kind` is the type in which the new side decides."""
    now, then = (_read(side, kind) for side in (legacy, other))
    found = paired(now, then, key=[_SUBJECT], columns={_VALUE: outcome_rules(outcome)})
    unread = [F.size(F.col(side).getField(UNREADABLE)) > 0 for side in ("left", "right")]
    unfit = F.col("class") == classes.DUPLICATED
    for one in unread:
        unfit = unfit | F.coalesce(one, F.lit(False))
    return found.select(
        _SUBJECT, (~F.col("class").isin(*_SAME)).alias(CHURNED), unfit.alias("unfit")
    )


def noise_of(outcome: str, churned: DataFrame) -> Noise:
    """The counts of `churn`. RunFailed, naming the outcome, for answers that cannot be compared."""
    told = churned.agg(
        F.count("*").alias("compared"),
        F.count_if(CHURNED).alias(CHURNED),
        F.count_if("unfit").alias("unfit"),
    ).head()
    assert told is not None
    if told["unfit"]:
        raise RunFailed(
            f"outcome {outcome}: at the baseline {told['unfit']:,} subjects are decided more than "
            "once, or have a value that is none of the type that the new side decides in",
            left_behind="The earlier stages are kept.",
            next_step="See that the baseline is the same legacy, or leave it out.",
        )
    return Noise(told["compared"], told[CHURNED])


def with_churn(decisions: DataFrame, churned: DataFrame | None) -> DataFrame:
    """The decisions of one outcome with `churned`: null where no baseline tells."""
    if churned is None:
        return decisions.withColumn(CHURNED, F.lit(None).cast("boolean"))
    found = decisions.join(churned.drop("unfit"), _SUBJECT, "left")
    return found.withColumn(CHURNED, F.coalesce(CHURNED, F.lit(False)))


def drift_count(outcome: str) -> dict[str, Column]:
    """An aggregate over decisions: those of the outcome that break beyond the noise."""
    beyond = F.col("class").isin(*BREAKING) & ~F.col(CHURNED)
    return {f"{outcome}/drift": F.count_if((F.col("outcome") == outcome) & beyond)}


def _read(side: DataFrame, kind: T.DataType) -> DataFrame:
    types = {_SUBJECT: T.StringType(), _VALUE: comparable_type(kind)}
    return typed(side.where(F.col(_VALUE).isNotNull()).select(_SUBJECT, _VALUE), types)
