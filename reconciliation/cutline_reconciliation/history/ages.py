"""How long breaks and exceptions have been open, counted in the pass that writes their history."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.results.reconcile import OpenAge
from cutline.tables.history import AGES
from cutline_reconciliation.compare.counts.keyed import KeyedCounts

_OLDEST = "oldest"
_DAY = 86_400_000_000
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def open_ages(
    by: str, names: Iterable[str], weight: Column, at: dt.datetime
) -> KeyedCounts[tuple[str, str]]:
    """Aggregates over a history: of what is open, by the values of the column `by`, what each row
    weighs by age, and the first moment in microseconds since 1970.

    An age is that of `at`. What a run of newer inputs first saw after it is of the lowest age.
    """
    first = F.unix_micros("first_seen_at")
    bucket = _bucket(F.lit((at - _EPOCH) // dt.timedelta(microseconds=1)) - first)
    counts: dict[tuple[str, str], Column] = {}
    for name in names:
        mine = (F.col(by) == name) & F.col("fixed_run").isNull()
        for of_age in AGES:
            counts[name, of_age] = F.sum(F.when(mine & (bucket == of_age), weight))
        counts[name, _OLDEST] = F.min(F.when(mine, first))
    return KeyedCounts(counts, "age")


def ages_of(counted: Mapping[tuple[str, str], int]) -> dict[str, OpenAge]:
    """The ages by name, from what was counted; without names of which nothing is open."""
    ages: dict[str, OpenAge] = {}
    for name in dict.fromkeys(name for name, _ in counted):
        by_age = {bucket: counted[name, bucket] for bucket in AGES}
        if any(by_age.values()):
            oldest = _EPOCH + dt.timedelta(microseconds=counted[name, _OLDEST])
            ages[name] = OpenAge(oldest, by_age)
    return ages


def _bucket(age: Column) -> Column:
    *younger, oldest = AGES
    bucket = F.lit(oldest)
    for name in reversed(younger):
        bucket = F.when(age < AGES[name] * _DAY, name).otherwise(bucket)
    return bucket
