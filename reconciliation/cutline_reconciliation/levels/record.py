"""Record level: whether the new side has exactly the eligible subjects of the legacy."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.breaks import DUPLICATED, MISSING, RECORD, UNEXPECTED
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.break_row import break_struct, no_breaks
from cutline_reconciliation.levels.excuses.exceptions import own_rule, whole_rule


def record_explanation() -> Column:
    """The rule that explains a subject of the legacy alone; else null.

    It is that of an exception of the subject itself, or of the whole that contains it.
    """
    missing = F.col("class") == classes.ONLY_LEFT
    return F.when(missing, F.coalesce(own_rule(), whole_rule()))


def record_breaks() -> Column:
    """An array of at most one break: missing and not explained, unexpected, or duplicated.

    A duplicated subject has its number of rows on each side as values.
    """
    kind = F.col("class")
    missing = (kind == classes.ONLY_LEFT) & record_explanation().isNull()
    doubled = kind == classes.DUPLICATED
    break_kind = (
        F.when(missing, MISSING)
        .when(kind == classes.ONLY_RIGHT, UNEXPECTED)
        .when(doubled, DUPLICATED)
    )
    struct = break_struct(
        level=F.lit(RECORD),
        name=F.col("name"),
        subject=F.col("subject"),
        aggregate=F.col("name"),
        category=F.col("category"),
        kind=break_kind,
        legacy=F.when(doubled, F.col("rows_left")),
        new=F.when(doubled, F.col("rows_right")),
    )
    return F.when(break_kind.isNotNull(), F.array(struct)).otherwise(no_breaks())
