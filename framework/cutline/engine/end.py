"""A row's end: what it is called, the rule that decided it and the reason, in one column."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def end(disposition: str, rule: Column, reason: Column) -> Column:
    """A struct of `disposition`, `rule` and `reason`."""
    return F.struct(
        F.lit(disposition).alias("disposition"), rule.alias("rule"), reason.alias("reason")
    )
