"""The merge rules that look at one event alone."""

from __future__ import annotations

from dataclasses import fields

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context.merge_policy import MergePolicy
from cutline.context.merge_rules import Foreign, LateArrivals
from cutline.cut import AFTER, OVERLAP
from cutline.engine.frames import step
from cutline.engine.merge.columns import is_native, time_is_known
from cutline.engine.merge.frames import CANDIDATES, LATE, RULE
from cutline.tables import verdict

_COLUMN_OF_FIELD = {
    "aggregate": "aggregate",
    "type": "type",
    "origin": "migorigin",
    "source": "source",
    "system": "migsrcsystem",
    "region": "migregion",
}
"""By field of Foreign, the column that it is compared with."""


@step(needs=CANDIDATES, adds=(LATE, RULE))
def with_single_event_rules(candidates: DataFrame, policy: MergePolicy) -> DataFrame:
    """The candidates with LATE, and RULE where a rule about the event alone decides."""
    late = _is_late_correction(policy.late_arrivals)
    after_cut = F.col("side") == AFTER
    rules: list[tuple[str, bool, Column]] = [
        (verdict.NOT_AUTHORITATIVE, policy.not_authoritative.enabled, _is_foreign(policy)),
        (
            verdict.SUBJECT_TOO_LONG,
            policy.subject_too_long.enabled,
            F.octet_length("subject") > policy.subject_too_long.limit,
        ),
        (verdict.TOO_LATE, policy.late_arrivals.enabled, _is_too_late(policy.late_arrivals, late)),
        (verdict.AFTER_CUT, policy.after_cut.enabled, after_cut & ~late),
        (
            verdict.IN_OVERLAP,
            policy.overlap.enabled and not policy.overlap.idempotent_consumers,
            F.col("side") == OVERLAP,
        ),
    ]
    first_rule = F.lit(None).cast("string")
    for name, enabled, condition in reversed(rules):
        if enabled:
            first_rule = F.when(condition, F.lit(name)).otherwise(first_rule)
    return candidates.select("*", late.alias(LATE), first_rule.alias(RULE))


def _is_foreign(policy: MergePolicy) -> Column:
    """Whether another system is the authority for the event; never null."""
    condition = F.lit(False)
    for foreign in policy.not_authoritative.foreign:
        condition = condition | _matches(foreign)
    return condition


def _matches(foreign: Foreign) -> Column:
    """Whether the event has the value of each field that the declaration gives."""
    condition = F.lit(True)
    for field in fields(foreign):
        value = getattr(foreign, field.name)
        if value is not None:
            condition = condition & F.col(_COLUMN_OF_FIELD[field.name]).eqNullSafe(value)
    return condition


def _is_late_correction(rule: LateArrivals) -> Column:
    """Whether history came after the cut, of a business time before the moment of the rule."""
    if not rule.enabled or rule.before is None:
        return F.lit(False)
    after_cut = (F.col("side") == AFTER) & ~is_native() & time_is_known()
    return F.coalesce(after_cut & (F.col("time") < F.lit(rule.before)), F.lit(False))


def _is_too_late(rule: LateArrivals, late: Column) -> Column:
    """Whether a late correction is about a time longer ago than the rule allows."""
    if rule.before is None or rule.allowed is None:
        return F.lit(False)
    return late & (F.col("time") < F.lit(rule.before - rule.allowed))
