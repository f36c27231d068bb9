"""The checks that a row fails, and the sentence with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.restore.checks.check import Check

RULES = "array<string>"


def no_rules() -> Column:
    """An empty array of rules."""
    return F.array().cast(RULES)


def failed_rules(checks: Sequence[Check]) -> Column:
    """The rules that a row breaks, in order; empty for a good one."""
    if not checks:
        return no_rules()
    # Most rows are good: for those only the predicates are evaluated, and no array is made.
    any_broken = reduce(lambda a, b: a | b, [check.breaks for check in checks])
    each = F.array(*(F.when(check.breaks, F.lit(check.rule)) for check in checks))
    broken = F.array_except(each, F.array(F.lit(None).cast("string")))
    return F.when(any_broken, broken).otherwise(no_rules())


def failure_reasons(checks: Sequence[Check], failed: Column) -> Column:
    """The reasons of the failed rules, joined by semicolons."""
    return F.concat_ws(
        "; ",
        *(
            F.when(F.array_contains(failed, check.rule), F.lit(check.reason.replace("\n", " ")))
            for check in checks
        ),
    )
