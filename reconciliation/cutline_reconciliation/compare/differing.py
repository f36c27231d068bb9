"""How often each column differs, and which rules forgive it, over the pairs that are not alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.digest import digest
from cutline_reconciliation.compare.names import named
from cutline_reconciliation.compare.plan import Plan
from cutline_reconciliation.compare.seen import counted
from cutline_reconciliation.compare.totals import (
    SIGNATURE,
    Totals,
    key,
    key_names,
    keyed,
    once,
    sent,
    signed,
)


def differing(left: DataFrame, right: DataFrame, plan: Plan, totals: Totals) -> Mapping[str, int]:
    """The `tally` of the pairs that `totals` set aside: one job, and none where there are none.

    It reads again only the columns of which `totals` saw that they differ. That these are all, the
    signature tells; it may miss a column that differs in a few rows only, and then all are read.
    """
    if totals.counts["pairs"] == totals.counts["alike"]:
        return {}
    every = range(len(plan.columns))
    if 0 < len(totals.columns) < len(every):
        told = _counted(left, right, plan, totals, totals.columns)
        if tuple(told[name] for name in SIGNATURE) == totals.signature:
            return told
    return _counted(left, right, plan, totals, every)


def tally(plan: Plan, found: Mapping[int, Column]) -> dict[str, Column]:
    """Aggregates over pairs: `changed` and `forgiven` ones, and of each compared column, by its
    place, `<i>/changed`, `<i>/forgiven`, and `<i>/<rule>` by rule.

    `found` has by a column's place its verdict, null where its values are the same.
    """
    changed, forgiven = (
        told_so(found.values(), c) for c in (classes.CHANGED, classes.WITHIN_TOLERANCE)
    )
    counts = {"changed": F.count_if(changed), "forgiven": F.count_if(forgiven & ~changed)}
    for i, one in found.items():
        kind, rules = one.getField("class"), one.getField("rules")
        counts[f"{i}/changed"] = F.count_if(kind == classes.CHANGED)
        counts[f"{i}/forgiven"] = F.count_if(kind == classes.WITHIN_TOLERANCE)
        for rule in plan.columns[i].rules:
            counts[f"{i}/{rule}"] = F.count_if(F.array_contains(rules, rule))
    return counts


def told_so(found: Iterable[Column], kind: str) -> Column:
    """Whether one of the verdicts is of a class."""
    is_so = [F.coalesce(one.getField("class") == kind, F.lit(False)) for one in found]
    return reduce(Column.__or__, is_so, F.lit(False))


def _counted(
    left: DataFrame, right: DataFrame, plan: Plan, totals: Totals, places: Sequence[int]
) -> Mapping[str, int]:
    keys = key_names(plan)
    few = totals.counts["pairs"] - totals.counts["alike"]
    wanted = sent(totals.suspects.where(once()).select(*keys), few)
    rows = [
        frame.select(
            *keyed(side, plan),
            *(named(plan.columns[i].name).alias(_place(side, i)) for i in places),
        ).join(wanted, keys, "left_semi")
        for side, frame in (("left", left), ("right", right))
    ]
    verdicts = {
        i: plan.columns[i].verdict(F.col(_place("left", i)), F.col(_place("right", i)))
        for i in places
    }
    lefts, rights = (_digest(plan, side, places) for side in ("left", "right"))
    signs = signed(key(plan), *(a.bitwiseXOR(b) for a, b in zip(lefts, rights, strict=True)))
    pairs = (
        rows[0]
        .join(rows[1], keys)
        .select(
            *(column.alias(_place("", i)) for i, column in verdicts.items()),
            *(column.alias(name) for name, column in zip(SIGNATURE, signs, strict=True)),
        )
    )
    counts = tally(plan, {i: F.col(_place("", i)) for i in places})
    return counted(pairs, {**counts, **{name: F.bit_xor(name) for name in SIGNATURE}})


def _digest(plan: Plan, side: str, places: Sequence[int]) -> tuple[Column, Column]:
    pairs = {i: plan.columns[i] for i in places}
    return digest(
        {i: (p.plain(F.col(_place(side, i)), side), p.form.type) for i, p in pairs.items()}
    )


def _place(side: str, i: int) -> str:
    return f"_{side}{i}"
