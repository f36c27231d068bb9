"""Likely causes: subjects counted by attribute and by pair, for clusters and for matches."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.explain.attributes import ATTRIBUTE, ATTRIBUTES
from cutline_reconciliation.explain.groups import GROUP
from cutline_reconciliation.explain.risk import (
    LEAST_SHARE,
    LEAST_SUBJECTS,
    Cause,
    Counts,
    causes,
    likeliest,
)

LABEL, MATCHED_LABEL = "label", ""
BEST = 8
"""The number of likeliest attributes of a label of which pairs are made."""
Attribute = tuple[str, str | None]
_Key = tuple[str, str]
_Combinations = dict[tuple[Attribute, ...], Counts]


@dataclass(frozen=True)
class LikelyCauses:
    """The numbers of a label's subjects and of its group's matches, and its likely causes."""

    subjects: int
    matched: int
    causes: tuple[Cause[Attribute], ...] = field(default=())


def likely_causes(members: DataFrame) -> dict[_Key, LikelyCauses]:
    """By group and label, the likely causes: attributes that matches of the group hardly have.

    `members` has one row per subject and label: `grouped`, `label` (MATCHED for a match) and
    `attributes`. It is read four times, in two jobs: the first counts single attributes, the second
    pairs of the likeliest. Combinations without support are dropped in Spark, so that the result is
    bounded by the numbers of columns and labels.
    """
    singles, tried = _count_combinations(members, F.transform(ATTRIBUTES, lambda a: F.array(a)))
    wanted: dict[str, set[Attribute]] = defaultdict(set)
    for (group, _), counted in singles.items():
        wanted[group] |= {found.attributes[0] for found in likeliest(counted.counts)[:BEST]}
    combinations = singles
    if any(len(names) > 1 for names in wanted.values()):
        pairs, _ = _count_combinations(members, _pairs(wanted))
        combinations = {
            key: counted.with_more(pairs[key].counts) for key, counted in singles.items()
        }
    return {
        key: _likely_causes(counted, tried.get(key[0], 0)) for key, counted in combinations.items()
    }


@dataclass(frozen=True)
class _LabelCounts:
    """Subjects of a label, matches in its group, and counts by combination."""

    subjects: int
    matched: int
    counts: _Combinations

    def with_more(self, more: _Combinations) -> _LabelCounts:
        return _LabelCounts(self.subjects, self.matched, self.counts | more)


def _likely_causes(counted: _LabelCounts, tried: int) -> LikelyCauses:
    return LikelyCauses(counted.subjects, counted.matched, tuple(causes(counted.counts, tried)))


def _count_combinations(
    members: DataFrame, combinations: Column
) -> tuple[dict[_Key, _LabelCounts], dict[str, int]]:
    """Subjects by group, label and combination with support; and the number of tests by group.

    The number of tests is that of combinations with enough subjects for support, whichever of the
    subjects broke.
    """
    none = F.array(F.array().cast(f"array<{ATTRIBUTE}>"))
    totals = members.groupBy(GROUP, LABEL).agg(F.count("*").alias("_total"))
    counts = (
        members.select(GROUP, LABEL, F.explode(F.concat(none, combinations)).alias("attributes_of"))
        .groupBy(GROUP, LABEL, "attributes_of")
        .agg(F.count("*").alias("number"))
        .join(F.broadcast(totals), [GROUP, LABEL])
    )
    matched = F.col(LABEL) == MATCHED_LABEL
    least = F.ceil(F.col("_total") * LEAST_SHARE.numerator / LEAST_SHARE.denominator)
    enough = F.col("number") >= F.greatest(least, F.lit(LEAST_SUBJECTS))
    whole = F.size("attributes_of") == 0
    entries = F.when(matched | whole | enough, F.struct(LABEL, "number"))
    by_label = counts.groupBy(GROUP, "attributes_of").agg(
        F.map_from_entries(F.collect_list(entries)).alias("of"), F.sum("number").alias("_all")
    )
    supported = by_label.where(
        whole | (F.size(F.map_filter("of", lambda k, _: k != MATCHED_LABEL)) > 0)
    )
    # The number of tests must not depend on which subjects broke, for it corrects p-values.
    possible = F.count_if(~whole & (F.col("_all") >= LEAST_SUBJECTS))
    tried_counts = by_label.groupBy(GROUP).agg(possible.alias("tried"))
    texts = [
        F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})
        for columns in ((GROUP, "attributes_of", "of"), (GROUP, "tried"))
    ]
    collected = supported.select(texts[0]).unionAll(tried_counts.select(texts[1])).collect()
    rows = [json.loads(row[0]) for row in collected]
    return (
        _read([row for row in rows if "attributes_of" in row]),
        {row[GROUP]: row["tried"] for row in rows if "tried" in row},
    )


def _read(rows: list[Mapping[str, object]]) -> dict[_Key, _LabelCounts]:
    of: dict[str, dict[tuple[Attribute, ...], dict[str, int]]] = defaultdict(dict)
    for row in rows:
        combination = tuple((a["name"], a["value"]) for a in row["attributes_of"])  # type: ignore[attr-defined]
        of[str(row[GROUP])][combination] = dict(row["of"])  # type: ignore[call-overload]
    by_label = {}
    for group, of_group in of.items():
        totals = of_group.pop((), {})
        matched = totals.pop(MATCHED_LABEL, 0)
        for label, subjects in totals.items():
            counted = {
                attributes: Counts(numbers[label], numbers.get(MATCHED_LABEL, 0), subjects, matched)
                for attributes, numbers in sorted(of_group.items(), key=repr)
                if label in numbers
            }
            by_label[(group, label)] = _LabelCounts(subjects, matched, counted)
    return by_label


def _pairs(wanted: Mapping[str, set[Attribute]]) -> Column:
    """All pairs of two columns' wanted attributes of a subject's group."""
    among = F.array().cast(f"array<{ATTRIBUTE}>")
    for group, attributes in wanted.items():
        literals = [
            F.struct(F.lit(n).alias("name"), F.lit(v).cast("string").alias("value"))
            for n, v in sorted(attributes, key=repr)
        ]
        if literals:
            among = F.when(F.col(GROUP) == group, F.array(*literals)).otherwise(among)
    wanted_attributes = F.array_sort(F.array_intersect(F.col(ATTRIBUTES), among))
    pairs = F.transform(
        wanted_attributes,
        lambda x, i: F.transform(
            F.filter(
                F.slice(
                    wanted_attributes, i + F.lit(2), F.greatest(F.size(wanted_attributes), F.lit(1))
                ),
                lambda y: y["name"] != x["name"],
            ),
            lambda y: F.array(x, y),
        ),
    )
    return F.flatten(pairs)
