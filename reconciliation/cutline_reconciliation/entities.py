"""One aggregate's truth against its state: the comparison that record and state level read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline_reconciliation.compare import classes, paired

SUBJECT = "subject"


def entities(aggregate: str, truth: DataFrame, state: DataFrame) -> DataFrame:
    """One row per subject of either side: `name` (the aggregate), `subject`, `class`, `rows_left`
    (in the truth), `rows_right` (in the state), and `differences` in the columns of the truth."""
    vouched = [c for c in truth.columns if c != SUBJECT]
    compared = paired(
        truth,
        state.select(SUBJECT, *vouched),
        key=[SUBJECT],
        columns=dict.fromkeys(vouched),
    )
    return compared.select(
        F.lit(aggregate).alias("name"), SUBJECT, "class", "rows_left", "rows_right", "differences"
    )


def entity_counts() -> dict[str, Column]:
    """Aggregates over `entities`: subjects by class, rows by side, and what must be zero."""
    by_class = {name: F.count_if(F.col("class") == name) for name in classes.ALL}
    return by_class | {
        "rows_left": F.coalesce(F.sum("rows_left"), F.lit(0)),
        "rows_right": F.coalesce(F.sum("rows_right"), F.lit(0)),
        "doubled_truth": F.count_if(F.col("rows_left") > 1),
    }


def differing(entities: DataFrame) -> DataFrame:
    """The subjects that are not the same on both sides."""
    return entities.where(F.col("class") != classes.MATCHED)


def check_entities(aggregate: str, counts: Mapping[str, int], examples: Sequence[str]) -> None:
    """RunFailed if the truth names a subject twice, or the state has none for a row."""
    if counts["doubled_truth"]:
        raise RunFailed(
            f"the truth of aggregate {aggregate} has {counts['doubled_truth']:,} subjects more "
            f"than once, such as {', '.join(examples)}",
            left_behind="The earlier stages are kept.",
            next_step="Its SQL must return one row per subject: group it, or choose one.",
        )
    if counts[classes.NULL_KEY]:
        raise RunFailed(f"the state of aggregate {aggregate} has rows without a subject")
