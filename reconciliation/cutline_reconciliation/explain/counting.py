"""Counting who has what: subjects of each cluster and of the matches, by attribute and by pair."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.explain.attributes import ATTRIBUTE, ATTRIBUTES
from cutline_reconciliation.explain.risk import (
    LEAST_SHARE,
    LEAST_SUBJECTS,
    Cause,
    Counts,
    causes,
    likeliest,
)

GROUP, LABEL, MATCHED = "grouped", "label", ""
BEST = 8
"""Pairs are made of so many of the likeliest single attributes of each label."""
Attribute = tuple[str, str | None]
_Key = tuple[str, str]
_Told = dict[tuple[Attribute, ...], Counts]


@dataclass(frozen=True)
class Likely:
    """What was counted of one label: its subjects, those that match, and its causes."""

    subjects: int
    matched: int
    causes: tuple[Cause[Attribute], ...] = field(default=())


def likely(members: DataFrame) -> dict[_Key, Likely]:
    """By group and label, what sets its subjects apart from the group's matches.

    `members` has `grouped`, `label` (MATCHED of a subject that matches), and the `attributes` of a
    subject, which is there once per label. It is read four times, in two jobs: the first counts
    single attributes, the second pairs of the likeliest. What comes back is bounded by the numbers
    of columns and of labels: what has no support is left behind.
    """
    singles, tried = _counted(members, F.transform(ATTRIBUTES, lambda a: F.array(a)))
    wanted: dict[str, set[Attribute]] = defaultdict(set)
    for (group, _), one in singles.items():
        wanted[group] |= {found.attributes[0] for found in likeliest(one.told)[:BEST]}
    every = singles
    if any(len(names) > 1 for names in wanted.values()):
        both, _ = _counted(members, _pairs(wanted))
        every = {key: one.with_told(both[key].told) for key, one in singles.items()}
    return {key: _likely(one, tried.get(key[0], 0)) for key, one in every.items()}


@dataclass(frozen=True)
class _Counted:
    """The subjects of a label, those that match in its group, and what was counted of them."""

    subjects: int
    matched: int
    told: _Told

    def with_told(self, more: _Told) -> _Counted:
        return _Counted(self.subjects, self.matched, self.told | more)


def _likely(counted: _Counted, tried: int) -> Likely:
    return Likely(counted.subjects, counted.matched, tuple(causes(counted.told, tried)))


def _counted(
    members: DataFrame, combinations: Column
) -> tuple[dict[_Key, _Counted], dict[str, int]]:
    """Subjects by group, label and combination, where the combination has support in a label; and
    by group how many combinations might have had it, whoever broke."""
    none = F.array(F.array().cast(f"array<{ATTRIBUTE}>"))
    totals = members.groupBy(GROUP, LABEL).agg(F.count("*").alias("_total"))
    counts = (
        members.select(GROUP, LABEL, F.explode(F.concat(none, combinations)).alias("told"))
        .groupBy(GROUP, LABEL, "told")
        .agg(F.count("*").alias("number"))
        .join(F.broadcast(totals), [GROUP, LABEL])
    )
    matched = F.col(LABEL) == MATCHED
    least = F.ceil(F.col("_total") * LEAST_SHARE.numerator / LEAST_SHARE.denominator)
    enough = F.col("number") >= F.greatest(least, F.lit(LEAST_SUBJECTS))
    whole = F.size("told") == 0
    kept = F.when(matched | whole | enough, F.struct(LABEL, "number"))
    by_label = counts.groupBy(GROUP, "told").agg(
        F.map_from_entries(F.collect_list(kept)).alias("of"), F.sum("number").alias("_all")
    )
    supported = by_label.where(whole | (F.size(F.map_filter("of", lambda k, _: k != MATCHED)) > 0))
    # Which these are does not depend on who broke: the chance may be multiplied by their number.
    possible = F.count_if(~whole & (F.col("_all") >= LEAST_SUBJECTS))
    tried = by_label.groupBy(GROUP).agg(possible.alias("tried"))
    texts = [
        F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})
        for columns in ((GROUP, "told", "of"), (GROUP, "tried"))
    ]
    found = supported.select(texts[0]).unionAll(tried.select(texts[1])).collect()
    rows = [json.loads(row[0]) for row in found]
    return (
        _read([row for row in rows if "told" in row]),
        {row[GROUP]: row["tried"] for row in rows if "tried" in row},
    )


def _read(rows: list[Mapping[str, object]]) -> dict[_Key, _Counted]:
    of: dict[str, dict[tuple[Attribute, ...], dict[str, int]]] = defaultdict(dict)
    for row in rows:
        told = tuple((one["name"], one["value"]) for one in row["told"])  # type: ignore[attr-defined]
        of[str(row[GROUP])][told] = dict(row["of"])  # type: ignore[call-overload]
    found = {}
    for group, told_of in of.items():
        totals = told_of.pop((), {})
        matched = totals.pop(MATCHED, 0)
        for label, subjects in totals.items():
            counted = {
                attributes: Counts(numbers[label], numbers.get(MATCHED, 0), subjects, matched)
                for attributes, numbers in sorted(told_of.items(), key=repr)
                if label in numbers
            }
            found[(group, label)] = _Counted(subjects, matched, counted)
    return found


def _pairs(wanted: Mapping[str, set[Attribute]]) -> Column:
    """Two and two of the wanted attributes of the subject's group, of different columns."""
    among = F.array().cast(f"array<{ATTRIBUTE}>")
    for group, attributes in wanted.items():
        literals = [
            F.struct(F.lit(n).alias("name"), F.lit(v).cast("string").alias("value"))
            for n, v in sorted(attributes, key=repr)
        ]
        if literals:
            among = F.when(F.col(GROUP) == group, F.array(*literals)).otherwise(among)
    own = F.array_sort(F.array_intersect(F.col(ATTRIBUTES), among))
    pairs = F.transform(
        own,
        lambda x, i: F.transform(
            F.filter(
                F.slice(own, i + F.lit(2), F.greatest(F.size(own), F.lit(1))),
                lambda y: y["name"] != x["name"],
            ),
            lambda y: F.array(x, y),
        ),
    )
    return F.flatten(pairs)
