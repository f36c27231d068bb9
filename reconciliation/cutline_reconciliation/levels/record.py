"""Record level: is every eligible legacy entity represented, and nothing else?"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.breaks import DUPLICATED, MISSING, RECORD, UNEXPECTED
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.break_row import break_struct, no_breaks
from cutline_reconciliation.levels.excuses.exceptions import own_rule, whole_rule


def record_explanation() -> Column:
    """The rule that explains a subject which only the legacy has; else null.

    A row or an event of the subject is an exception, or one of the whole that truth says it is a
    part of.
    """
    missing = F.col("class") == classes.ONLY_LEFT
    return F.when(missing, F.coalesce(own_rule(), whole_rule()))


def record_breaks() -> Column:
    """At most one break: missing (unless explained), unexpected or duplicated.

    A duplicated subject shows on each side how often it is there.
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
