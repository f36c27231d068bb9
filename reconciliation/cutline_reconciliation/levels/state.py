"""State level: whether the projected state equals the legacy's truth, column by column."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.breaks import DIFFERENT, STATE
from cutline_reconciliation.compare import classes
from cutline_reconciliation.levels.break_row import break_struct, no_breaks
from cutline_reconciliation.levels.excuses.exceptions import own_rule


def state_explanation() -> Column:
    """The rule of an exception of a subject that differs; else null."""
    return F.when(F.col("class") == classes.CHANGED, own_rule())


def state_breaks() -> Column:
    """An array with one break per differing column; empty for an explained subject."""
    broken = (F.col("class") == classes.CHANGED) & state_explanation().isNull()
    structs = F.transform(
        F.filter("differences", lambda d: d["class"] == classes.CHANGED),
        lambda d: break_struct(
            level=F.lit(STATE),
            name=F.col("name"),
            subject=F.col("subject"),
            aggregate=F.col("name"),
            category=F.col("category"),
            kind=F.lit(DIFFERENT),
            column=d["column"],
            legacy=d["left"],
            new=d["right"],
            amount=d["amount"],
        ),
    )
    return F.when(broken, structs).otherwise(no_breaks())
