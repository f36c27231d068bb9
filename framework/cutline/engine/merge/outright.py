"""Rules that look at one event alone."""

from __future__ import annotations

from dataclasses import fields

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context.merge_policy import MergePolicy
from cutline.context.merge_rules import Foreign, LateArrivals
from cutline.cut import AFTER, OVERLAP
from cutline.engine.merge.columns import LATE, RULE, is_native, time_is_known
from cutline.tables import verdict

_COLUMNS = {
    "aggregate": "aggregate",
    "type": "type",
    "origin": "migorigin",
    "source": "source",
    "system": "migsrcsystem",
    "region": "migregion",
}


def judged_alone(frame: DataFrame, policy: MergePolicy) -> DataFrame:
    """Adds `late`, whether it is a correction that comes after the cut, and `rule`."""
    late = _late(policy.late_arrivals)
    after = F.col("side") == AFTER
    asked: list[tuple[str, bool, Column]] = [
        (verdict.NOT_AUTHORITATIVE, policy.not_authoritative.enabled, _foreign(policy)),
        (
            verdict.SUBJECT_TOO_LONG,
            policy.subject_too_long.enabled,
            F.octet_length("subject") > policy.subject_too_long.limit,
        ),
        (verdict.TOO_LATE, policy.late_arrivals.enabled, _too_late(policy.late_arrivals, late)),
        (verdict.AFTER_CUT, policy.after_cut.enabled, after & ~late),
        (
            verdict.IN_OVERLAP,
            policy.overlap.enabled and not policy.overlap.idempotent_consumers,
            F.col("side") == OVERLAP,
        ),
    ]
    rule = F.lit(None).cast("string")
    for name, enabled, holds in reversed(asked):
        if enabled:
            rule = F.when(holds, F.lit(name)).otherwise(rule)
    return frame.select("*", late.alias(LATE), rule.alias(RULE))


def _foreign(policy: MergePolicy) -> Column:
    found = F.lit(False)
    for one in policy.not_authoritative.foreign:
        found = found | _fits(one)
    return found


def _fits(foreign: Foreign) -> Column:
    fits = F.lit(True)
    for field in fields(foreign):
        wanted = getattr(foreign, field.name)
        if wanted is not None:
            fits = fits & F.col(_COLUMNS[field.name]).eqNullSafe(wanted)
    return fits


def _late(rule: LateArrivals) -> Column:
    if not rule.enabled or rule.before is None:
        return F.lit(False)
    told = (F.col("side") == AFTER) & ~is_native() & time_is_known()
    return F.coalesce(told & (F.col("time") < F.lit(rule.before)), F.lit(False))


def _too_late(rule: LateArrivals, late: Column) -> Column:
    if rule.before is None or rule.allowed is None:
        return F.lit(False)
    return late & (F.col("time") < F.lit(rule.before - rule.allowed))
