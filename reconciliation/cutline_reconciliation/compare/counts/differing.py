"""How often each column differs, and which rules forgive it, over the pairs that are not alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.counts.digest import digest
from cutline_reconciliation.compare.counts.observed import counted
from cutline_reconciliation.compare.counts.tally import tally
from cutline_reconciliation.compare.counts.totals import (
    SIGNATURE,
    Totals,
    key_names,
    keyed,
    once,
    sent,
    signatures,
)
from cutline_reconciliation.compare.plan import Plan


def differing(left: DataFrame, right: DataFrame, plan: Plan, totals: Totals) -> Mapping[str, int]:
    """The `tally` of the pairs that `totals` set aside: one job, and none where there are none.

    It reads again only the columns of which `totals` saw a bit that differs. Whether these are all,
    the signature tells; where a column is missing, one more job reads all of them.
    """
    if totals.counts["pairs"] == totals.counts["alike"]:
        return {}
    every = range(len(plan.columns))
    if 0 < len(totals.columns) < len(every):
        pairs = _pairs(left, right, plan, totals, totals.columns)
        told = counted(pairs, _tally(plan, totals.columns) | _signature(plan, totals.columns))
        if tuple(told.pop(name) for name in SIGNATURE) == totals.signature:
            return told
    return counted(_pairs(left, right, plan, totals, every), _tally(plan, every))


def _pairs(
    left: DataFrame, right: DataFrame, plan: Plan, totals: Totals, places: Sequence[int]
) -> DataFrame:
    """One row per pair: its key, and of each place the values of both sides and the verdict."""
    keys = key_names(plan)
    wanted = totals.suspects.where(once()).select(*keys)
    few = sent(wanted, totals.counts["pairs"] - totals.counts["alike"])
    rows = [
        frame.select(
            *keyed(side, plan),
            *(named(plan.columns[i].name).alias(_place(side, i)) for i in places),
        ).join(few, keys, "left_semi")
        for side, frame in (("left", left), ("right", right))
    ]
    verdicts = (
        plan.columns[i].verdict(*(F.col(_place(side, i)) for side in ("left", "right")))
        for i in places
    )
    found = (verdict.alias(_place("", i)) for i, verdict in zip(places, verdicts, strict=True))
    return rows[0].join(rows[1], keys).select("*", *found)


def _tally(plan: Plan, places: Sequence[int]) -> dict[str, Column]:
    return tally(plan, {i: F.col(_place("", i)) for i in places})


def _signature(plan: Plan, places: Sequence[int]) -> dict[str, Column]:
    sides = (_digest(plan, side, places) for side in ("left", "right"))
    changes = (one.bitwiseXOR(other) for one, other in zip(*sides, strict=True))
    made = signatures(plan, *changes)
    return {name: F.bit_xor(one) for name, one in zip(SIGNATURE, made, strict=True)}


def _digest(plan: Plan, side: str, places: Sequence[int]) -> tuple[Column, Column]:
    pairs = {i: plan.columns[i] for i in places}
    return digest(
        {i: (p.plain(F.col(_place(side, i)), side), p.form.type) for i, p in pairs.items()}
    )


def _place(side: str, i: int) -> str:
    return f"_{side}{i}"
