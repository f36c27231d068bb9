"""Breaks of known kinds, put into the projected states of a run before they are reconciled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

LOSE, DOUBLE, INVENT, MOVE, CHANGE = "lose", "double", "invent", "move", "change"
AMOUNTS = (3, 1, 5, 2, 4)
LEGACY_ONLY, NEW_ONLY = "only the legacy has it", "only the new side has it"


@dataclass(frozen=True)
class Kind:
    """One kind of break.

    `of` is the aggregate it is seeded in and `where` says in which rows; `change` maps columns to
    what stands there afterwards, as SQL. `looks` says by column, or by outcome, what the pattern of
    its cluster must be; columns that the truth does not vouch for have none, for state level cannot
    see them. `decides` says which outcomes must differ, each with the class that it must find.
    """

    name: str
    of: str
    where: str = "true"
    how: str = CHANGE
    change: Mapping[str, str] = field(default_factory=dict)
    looks: Mapping[str, str] = field(default_factory=dict)
    decides: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Seed:
    """One kind, and the subjects that it was seeded in."""

    kind: Kind
    subjects: tuple[str, ...]

    @property
    def patterns(self) -> dict[tuple[str, str], str]:
        """The patterns of the clusters that its breaks must be in, by level and column or kind."""
        record_patterns = {
            LOSE: {("record", "missing"): LEGACY_ONLY},
            INVENT: {("record", "unexpected"): NEW_ONLY},
            MOVE: {("record", "missing"): LEGACY_ONLY, ("record", "unexpected"): NEW_ONLY},
            DOUBLE: {("record", "duplicated"): "the new side has it more than once"},
            CHANGE: {},
        }
        looks = self.kind.looks.items()
        decided = {("outcome", o): p for o, p in looks if o in self.kind.decides}
        state_patterns = {("state", c): p for c, p in looks if c in self.kind.change}
        return record_patterns[self.kind.how] | decided | state_patterns

    @property
    def expected(self) -> set[tuple[str, str, str, str | None]]:
        """The breaks that record and state level must find: level, kind, subject, column."""
        breaks: set[tuple[str, str, str, str | None]] = set()
        for subject in self.subjects:
            if self.kind.how in (LOSE, MOVE):
                breaks.add(("record", "missing", subject, None))
            if self.kind.how == MOVE:
                breaks.add(("record", "unexpected", f"{subject}~", None))
            if self.kind.how == INVENT:
                breaks.add(("record", "unexpected", f"{subject}~", None))
            if self.kind.how == DOUBLE:
                breaks.add(("record", "duplicated", subject, None))
            compared_columns = [c for c in self.kind.change if c in self.kind.looks]
            breaks |= {("state", "different", subject, c) for c in compared_columns}
        return breaks


def chosen(kinds: Sequence[Kind], sound: Mapping[str, DataFrame]) -> list[Seed]:
    """Subjects for each kind, in different amounts: no subject, and no whole of one, twice.

    `sound` holds the rows of each aggregate that agree with the legacy.
    """
    used_wholes: set[str] = set()
    seeds = []
    for kind, amount in zip(kinds, cycle(AMOUNTS), strict=False):
        rows = sound[kind.of].where(kind.where).select("subject").orderBy("subject").collect()
        free = [s for (s,) in rows if s.split("/")[0] not in used_wholes]
        subjects: list[str] = []
        for subject in free:
            if len(subjects) < amount and subject.split("/")[0] not in used_wholes:
                subjects.append(subject)
                used_wholes.add(subject.split("/")[0])
        assert len(subjects) == amount, f"{kind.name}: only {len(subjects)} rows to seed"
        seeds.append(Seed(kind, tuple(subjects)))
    return seeds


def seeded(states: Mapping[str, DataFrame], seeds: Sequence[Seed]) -> dict[str, DataFrame]:
    """The states of the aggregates that have seeds, with them."""
    sown_states: dict[str, DataFrame] = {}
    for seed in seeds:
        of = seed.kind.of
        sown_states[of] = _sown(sown_states.get(of, states[of]), seed)
    return sown_states


def _sown(state: DataFrame, seed: Seed) -> DataFrame:
    hit = F.col("subject").isin(*seed.subjects)
    how = seed.kind.how
    if how == LOSE:
        return state.where(~hit)
    if how == DOUBLE:
        return state.unionByName(state.where(hit))
    elsewhere = F.concat("subject", F.lit("~"))
    if how == INVENT:
        return state.unionByName(state.where(hit).withColumn("subject", elsewhere))
    if how == MOVE:
        return state.withColumn("subject", F.when(hit, elsewhere).otherwise(F.col("subject")))
    return state.select(*(_changed(state, name, hit, seed.kind.change) for name in state.columns))


def _changed(state: DataFrame, name: str, hit: Column, change: Mapping[str, str]) -> Column:
    if name not in change:
        return F.col(name)
    kind = state.schema[name].dataType
    return F.when(hit, F.expr(change[name]).cast(kind)).otherwise(F.col(name)).alias(name)


ORDER, LINE = "customer_order", "fulfilment_line"
RETAIL = (
    Kind("lost row", ORDER, "status = 'released'", LOSE,
         decides={"orders_released": "only-legacy"}),
    Kind("doubled row", ORDER, "status = 'completed'", DOUBLE),
    Kind("invented row", ORDER, "status = 'cancelled'", INVENT,
         decides={"orders_cancelled": "only-new"}),
    Kind("moved key", ORDER, "status = 'completed'", MOVE),
    Kind("stale value", ORDER, "status = 'released'", change={"status": "'placed'"},
         looks={"status": "released → placed"}, decides={"orders_released": "only-legacy"}),
    Kind("wrong status mapping", ORDER, "status = 'completed'", change={"status": "'cancelled'"},
         looks={"status": "completed → cancelled"}, decides={"orders_cancelled": "only-new"}),
    Kind("rounding", ORDER, "total_cents % 100 not in (0, 1, 50, 99) and total_cents > 100",
         change={"total_cents": "cast(round(total_cents / 100, 0) * 100 as bigint)"},
         looks={"total_cents": "rounded to hundreds"}),
    Kind("unit change", ORDER, "total_cents > 0", change={"total_cents": "total_cents * 100"},
         looks={"total_cents": "× 100"}),
    Kind("neighbouring number", ORDER, "total_cents % 10 < 9",
         change={"total_cents": "total_cents + 1"}, looks={"total_cents": "1 more"}),
    Kind("time zone shift", ORDER, change={"placed_at": "placed_at + interval '1' hour"},
         looks={"placed_at": "+1 hour"}),
    Kind("off-by-one period", ORDER, "day(placed_at) < 28",
         change={"placed_at": "placed_at + interval '1' month"}, looks={"placed_at": "+1 month"}),
    Kind("truncated text", ORDER, "length(channel) >= 4",
         change={"channel": "left(channel, length(channel) - 1)"}, looks={"channel": "cut short"}),
    Kind("trailing space", ORDER, "channel is not null", change={"channel": "channel || ' '"},
         looks={"channel": "only blanks differ"}),
    Kind("value lost", ORDER, "channel is not null", change={"channel": "null"},
         looks={"channel": "a value → null"}),
    Kind("lost child", LINE, "status = 'shipped'", LOSE),
    Kind("swapped columns", LINE, "status = 'shipped'",
         change={"sku": "order_no", "order_no": "sku"},
         looks={"sku": "swapped with order_no", "order_no": "swapped with sku"}),
    Kind("shifted boundary", LINE, "status = 'shipped'",
         change={"order_no": "order_no || left(sku, 1)", "sku": "substr(sku, 2)"},
         looks={"order_no": "something is added at its end", "sku": "its beginning is cut off"}),
    Kind("double-counted composite", LINE, "allocations = 1",
         change={"allocations": "allocations * 2"}, looks={"allocations": "× 2"}),
)  # fmt: skip
OLIST = (
    Kind("lost row", "order", "amount_due is not null", LOSE,
         decides={"money_due": "only-legacy"}),
    Kind("doubled row", "order", "amount_due is not null", DOUBLE,
         decides={"money_due": "duplicated"}),
    Kind("invented row", "order", "amount_due is not null", INVENT,
         decides={"money_due": "only-new"}),
    Kind("moved key", "order", "amount_due is not null", MOVE,
         decides={"money_due": "only-legacy"}),
    Kind("stale value", "order", "status = 'delivered'", change={"status": "'shipped'"},
         looks={"status": "delivered → shipped"}),
    Kind("wrong status mapping", "order", "status = 'canceled'",
         change={"status": "'unavailable'"}, looks={"status": "canceled → unavailable"}),
    Kind("truncated text", "order", "status = 'delivered'", change={"status": "'delivere'"},
         looks={"status": "cut short"}),
    Kind("trailing space", "order", "status = 'delivered'", change={"status": "status || ' '"},
         looks={"status": "only blanks differ"}),
    Kind("value lost", "order", "status = 'delivered'", change={"status": "null"},
         looks={"status": "a value → null"}),
    Kind("shifted boundary", "order", "customer_state is not null",
         change={"status": "status || left(customer_state, 1)"},
         looks={"status": "something is added at its end"}),
    Kind("rounding", "order", "amount_due % 1 between 0.05 and 0.45 and amount_due > 20",
         change={"amount_due": "floor(amount_due)"}, looks={"money_due": "rounded to hundreds"},
         decides={"money_due": "differ"}),
    Kind("unit change", "order", "amount_due * 100 % 100 = 0",
         change={"amount_due": "amount_due / 100"}, looks={"money_due": "÷ 100"},
         decides={"money_due": "differ"}),
    Kind("neighbouring number", "order", "amount_due % 1 between 0.05 and 0.45",
         change={"amount_due": "amount_due + 0.01"}, decides={"money_due": "within-tolerance"}),
    Kind("double-counted composite", "order", "amount_due > 1",
         change={"amount_due": "amount_due * 2"}, looks={"money_due": "× 2"},
         decides={"money_due": "differ"}),
)  # fmt: skip
