"""Likely causes: subjects counted by attribute and by pair, for clusters and for matches."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.sql.spark import literal
from cutline_reconciliation.explain.attributes import LABEL, MATCHED_LABEL, NUMBER, PLACES
from cutline_reconciliation.explain.groups import GROUP
from cutline_reconciliation.explain.places import Attribute
from cutline_reconciliation.explain.risk import (
    LEAST_SHARE,
    LEAST_SUBJECTS,
    Cause,
    Counts,
    causes,
    likeliest,
)

BEST = 8
"""The number of likeliest attributes of a label of which pairs are made."""
_Key = tuple[str, str]
_COMBINATION = "combination"
_Combinations = dict[tuple[Attribute, ...], Counts]


@dataclass(frozen=True)
class LikelyCauses:
    """The numbers of a label's subjects and of its group's matches, and its likely causes."""

    subjects: int
    matched: int
    causes: tuple[Cause[Attribute], ...] = field(default=())


def likely_causes(
    profiles: DataFrame, attributes: Mapping[int, Attribute]
) -> dict[_Key, LikelyCauses]:
    """By group and label, the likely causes: attributes that matches of the group hardly have.

    `profiles` has one row per label and set of attributes: `grouped`, `label` (MATCHED_LABEL for
    matches), the `number` of subjects, and the `places` of what they have; `attributes` says what
    is at a place, in the order of the columns' names. It is read four times, in two jobs: the first
    counts single attributes, the second pairs of the likeliest. Combinations without support are
    dropped in Spark, so that the result is bounded by the numbers of columns and labels.
    """
    singles, tried = _count_combinations(
        profiles, F.transform(PLACES, lambda place: F.array(place)), attributes
    )
    wanted: dict[str, set[Attribute]] = defaultdict(set)
    for (group, _), counted in singles.items():
        wanted[group] |= {found.attributes[0] for found in likeliest(counted.counts)[:BEST]}
    combinations = singles
    if any(len(names) > 1 for names in wanted.values()):
        pairs, _ = _count_combinations(profiles, _pairs(wanted, attributes), attributes)
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
    profiles: DataFrame, combinations: Column, attributes: Mapping[int, Attribute]
) -> tuple[dict[_Key, _LabelCounts], dict[str, int]]:
    """Subjects by group, label and combination with support; and the number of tests by group.

    The number of tests is that of combinations with enough subjects for support, whichever of the
    subjects broke.
    """
    none = F.array(F.array().cast("array<int>"))
    totals = profiles.groupBy(GROUP, LABEL).agg(F.sum(NUMBER).alias("_total"))
    counts = (
        profiles.select(
            GROUP, LABEL, NUMBER, F.explode(F.concat(none, combinations)).alias(_COMBINATION)
        )
        .groupBy(GROUP, LABEL, _COMBINATION)
        .agg(F.sum(NUMBER).alias(NUMBER))
        .join(totals, [GROUP, LABEL])
    )
    matched = F.col(LABEL) == MATCHED_LABEL
    least = F.ceil(F.col("_total") * LEAST_SHARE.numerator / LEAST_SHARE.denominator)
    enough = F.col(NUMBER) >= F.greatest(least, F.lit(LEAST_SUBJECTS))
    whole = F.size(_COMBINATION) == 0
    entries = F.when(matched | whole | enough, F.struct(LABEL, NUMBER))
    by_label = counts.groupBy(GROUP, _COMBINATION).agg(
        F.map_from_entries(F.collect_list(entries)).alias("of"), F.sum(NUMBER).alias("_all")
    )
    supported = by_label.where(
        whole | (F.size(F.map_filter("of", lambda k, _: k != MATCHED_LABEL)) > 0)
    )
    # The number of tests must not depend on which subjects broke, for it corrects p-values.
    possible = F.count_if(~whole & (F.col("_all") >= LEAST_SUBJECTS))
    tried_counts = by_label.groupBy(GROUP).agg(possible.alias("tried"))
    texts = [
        F.to_json(F.struct(*columns)) for columns in ((GROUP, _COMBINATION, "of"), (GROUP, "tried"))
    ]
    collected = supported.select(texts[0]).unionAll(tried_counts.select(texts[1])).collect()
    rows = [json.loads(row[0]) for row in collected]
    return (
        _read([row for row in rows if _COMBINATION in row], attributes),
        {row[GROUP]: row["tried"] for row in rows if "tried" in row},
    )


def _read(
    rows: Iterable[Mapping[str, Any]], attributes: Mapping[int, Attribute]
) -> dict[_Key, _LabelCounts]:
    of: dict[str, dict[tuple[Attribute, ...], dict[str, int]]] = defaultdict(dict)
    for row in rows:
        combination = tuple(attributes[place] for place in row[_COMBINATION])
        of[row[GROUP]][combination] = row["of"]
    by_label: dict[_Key, _LabelCounts] = {}
    for group, of_group in of.items():
        totals = of_group.pop((), {})
        matched = totals.pop(MATCHED_LABEL, 0)
        counts: dict[str, _Combinations] = {label: {} for label in totals}
        for combination, numbers in sorted(of_group.items(), key=repr):
            matched_with = numbers.pop(MATCHED_LABEL, 0)
            for label, number in numbers.items():
                counts[label][combination] = Counts(number, matched_with, totals[label], matched)
        for label, subjects in totals.items():
            by_label[(group, label)] = _LabelCounts(subjects, matched, counts[label])
    return by_label


def _pairs(
    wanted: Mapping[str, Collection[Attribute]], attributes: Mapping[int, Attribute]
) -> Column:
    """All pairs of two columns' wanted attributes of a profile's group, as arrays of two places."""
    place_of = {attribute: place for place, attribute in attributes.items()}
    column_of = {name: n for n, name in enumerate(sorted({name for name, _ in place_of}))}
    among = "cast(array() AS array<struct<place:int,of:int>>)"
    for group, those in wanted.items():
        if those:
            in_order = sorted((place_of[one], column_of[one[0]]) for one in those)
            structs = ", ".join(
                f"named_struct('place', {place}, 'of', {of})" for place, of in in_order
            )
            among = f"if({GROUP} = {literal(group)}, array({structs}), {among})"
    mine = F.filter(F.expr(among), lambda it: F.array_contains(PLACES, it["place"]))
    pairs = F.transform(
        mine,
        lambda x, i: F.transform(
            F.filter(
                F.slice(mine, i + F.lit(2), F.greatest(F.size(mine), F.lit(1))),
                lambda y: y["of"] != x["of"],
            ),
            lambda y: F.array(x["place"], y["place"]),
        ),
    )
    return F.flatten(pairs)
