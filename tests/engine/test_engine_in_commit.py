"""What else a commit did: from any cut, of each step, and what is refused or put aside."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession, functions

from cutline.engine.compose import views as engine
from cutline.engine.examine import analyse_translator
from cutline.engine.translate import Inputs, translate_changes
from cutline.errors import ConfigurationError
from cutline.results.extract import SourceLog, TableLog
from cutline.stages.commit_views import refuse_missing_transactions
from cutline.tables.change import SNAPSHOT
from cutline.testing import Row, Step, created, deleted, given, row, together, updated
from cutline.testing.worlds import RowEnd, translate_worlds
from cutline.testing.worlds.translate import LATE
from cutline.translator import (
    EACH,
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    column,
    each,
    fact,
    in_commit,
    lookup,
    part,
    reject,
    table,
)
from support.changes import change, position, snapshot
from support.changes import changes_table as table_of
from support.deliveries import (
    DELIVERIES,
    Delivered,
    LineRow,
    NewOrderRow,
    OrderRow,
    Orders,
    Placed,
)


class EachOrders(Orders):
    """The same, of each step."""

    within_transaction = EACH


class OwnRows(Translator):
    """Looks at a table in commits that is its part as well."""

    context, aggregate, version = DELIVERIES, "order", "1.0.0"
    order = part(OrderRow, subject="no")
    orders = in_commit(OrderRow, subject="no")
    entry = part(NewOrderRow, subject="order_no", required=False)
    lines = in_commit(LineRow, subject="order_no", sums="amount")

    @fact(Delivered, many=True)
    def delivered(self, row):
        return Occurrence(
            when=row.entry.order_no.isNull() & (row.orders.updated == 1),
            time_basis="commit",
            data={
                "carrier": row.order.carrier,
                "lines": row.lines.inserted + row.lines.updated,
                "amount": row.lines.amount,
            },
        )


def inputs_of(
    spark: SparkSession, at: Sequence[int] = (10, 10, 10), **overrides: dict[str, Any]
) -> Inputs:
    """An order that is delivered: its change, its entry's and its line's, at these commits."""
    order, line = {"no": 1, "carrier": None}, {"order_no": 1, "line": 1, "amount": 30}
    changes = {
        OrderRow: (order, change("u", at[0], before=order, after={**order, "carrier": "DHL"})),
        NewOrderRow: ({"order_no": 1}, change("d", at[1], before={"order_no": 1})),
        LineRow: (line, change("u", at[2], before=line, after=line)),
    }
    return {
        contract: table_of(
            spark,
            contract,
            [snapshot(shown), changed | overrides.get(contract.__name__, {})],
            consistent_point=position(5),
        )
        for contract, (shown, changed) in changes.items()
    }


def ends(translator: type[Translator], inputs: Inputs) -> dict[str, tuple[str, str]]:
    """By table the end of its change."""
    rows = translate_changes(translator, inputs).where(f"op <> '{SNAPSHOT}'").collect()
    return {r["table"]: (r["disposition"], r["rule"]) for r in rows}


def test_what_is_looked_at_travels_in_the_one_exchange(spark: SparkSession) -> None:
    rows = translate_changes(Orders, inputs_of(spark))
    plan = rows._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange hashpartitioning") == 1
    assert {(r["table"], r["op"]) for r in rows.collect()} == {("orders", "r"), ("orders", "u")}


def test_what_does_not_tell_its_commit_is_put_aside(spark: SparkSession) -> None:
    no_commit = {"commit": None, "transaction": None}
    with_commits = inputs_of(spark)
    order, line = (inputs_of(spark, **{name: no_commit}) for name in ("OrderRow", "LineRow"))
    assert ends(Orders, with_commits)["orders"] == ("translated", "Delivered")
    for inputs in (order, line):
        assert ends(Orders, inputs)["orders"] == (
            "quarantined",
            _commit_untold_rule(inputs is order),
        )


def _commit_untold_rule(everything: bool) -> str:
    return f"commit-untold:{'entries' if everything else 'lines'}"


def test_a_row_that_the_snapshot_shows_counts_all_the_same(spark: SparkSession) -> None:
    inputs = dict(inputs_of(spark))
    for contract in (LineRow, NewOrderRow):
        later = table_of(spark, contract, [], consistent_point=position(50))
        inputs[contract] = replace(inputs[contract], lines=later.lines)
    assert ends(Orders, inputs)["orders"] == ("translated", "Delivered")


def test_a_table_that_is_a_part_too_counts_what_its_snapshot_shows(spark: SparkSession) -> None:
    inputs = dict(inputs_of(spark))
    now = {"no": 1, "carrier": "DHL"}
    delivery = change("u", 10, before={"no": 1, "carrier": None}, after=now)
    inputs[OrderRow] = table_of(
        spark, OrderRow, [snapshot(now), delivery], consistent_point=position(50)
    )
    rows = translate_changes(OwnRows, inputs).where("op <> 'r'").collect()
    assert {(r["table"], r["rule"]) for r in rows} == {
        ("orders", "committed-before-the-snapshot"),
        ("new_orders", "Delivered"),
    }


ORDER, ENTRY = row(OrderRow, no=1), row(NewOrderRow, order_no=1)
WITH_CARRIER = ORDER.but(carrier="DHL")


@pytest.mark.usefixtures("spark")
def test_of_each_step_the_first_that_makes_it_true_announces_it() -> None:
    steps = given(
        created(ORDER),
        created(ENTRY),
        together(
            updated(ORDER, carrier="DHL"), deleted(ENTRY), updated(WITH_CARRIER, carrier="UPS")
        ),
    ).steps
    (row_ends,) = translate_worlds(EachOrders, [steps])
    payloads = [event.data for end in row_ends for event in end.events if event.type == "Delivered"]
    assert payloads == ['{"amount":0,"carrier":"DHL","lines":0}']


# From any cut the same -----------------------------------------------------------------------


def random_history(rng: random.Random) -> list[list[Step]]:
    """Commits on the rows of one order and another, as a database would make them."""
    existing: dict[str, Row] = {}
    possible = {
        "order": ORDER,
        "entry": ENTRY,
        **{f"line {n}": row(LineRow, order_no=1, line=n, amount=n) for n in (1, 2)},
    }
    commits = []
    for _ in range(rng.randint(3, 6)):
        names = rng.choices(list(possible), k=rng.randint(1, 4))
        if rng.random() < 0.6:
            # As an application opens or delivers an order.
            names += ["order", "entry", "line 1"]
        rng.shuffle(names)
        commits.append([random_step(rng, existing, name, possible[name]) for name in names])
    return commits


def random_step(rng: random.Random, existing: dict[str, Row], name: str, first: Row) -> Step:
    was = existing.get(name)
    if was is None:
        existing[name] = first
        return created(first)
    if rng.random() < (0.05 if name == "order" else 0.4):
        return deleted(existing.pop(name))
    moved = {"carrier": rng.choice(["DHL", "UPS", "GLS", None])} if name == "order" else {}
    if name.startswith("line"):
        moved = {"amount": rng.choice([5, 7, 11])}
    existing[name] = was.but(**moved)
    return updated(was, **moved)


def expected_of(commits: list[list[Step]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The deliveries by commit, judged in plain Python: no window, no join, no Spark."""
    existing: dict[Any, Row] = {}
    for number, steps in enumerate(commits):
        before = dict(existing)
        for step in steps:
            mark = (step.contract, tuple(step.row.key))
            if step.after is None:
                existing.pop(mark)
            else:
                existing[mark] = step.after
        touched = {(s.contract, tuple(s.row.key)) for s in steps}
        order = existing.get((OrderRow, tuple(ORDER.key)))
        deleted_entries = [
            m for m in touched if m[0] is NewOrderRow and m in before and m not in existing
        ]
        lines = [m for m in touched if m[0] is LineRow and m in existing]
        if order is None or order.values["carrier"] is None or len(deleted_entries) != 1:
            continue
        if not any(contract is OrderRow for contract, _ in touched):
            continue
        yield (
            number,
            {
                "carrier": order.values["carrier"],
                "lines": sum(m in before for m in lines),
                "amount": sum(existing[m].values["amount"] for m in lines),
            },
        )


def seen_from(commits: list[list[Step]], cut: int) -> list[Step]:
    """The world in which a snapshot shows what the commits before the cut left."""
    shown: dict[Any, Row] = {}
    for step in (s for steps in commits[:cut] for s in steps):
        mark = (step.contract, tuple(step.row.key))
        shown.pop(mark, None)
        if step.after is not None:
            shown[mark] = step.after
    steps = [Step(SNAPSHOT, None, row) for row in shown.values()]
    place = sum(map(len, commits[:cut]))
    for commit in commits[cut:]:
        begun = place + 1
        for step in commit:
            place += 1
            steps.append(replace(step, place=place, begun=begun))
    return steps


def deliveries(ends_of: Sequence[RowEnd]) -> list[tuple[Any, ...]]:
    return [
        (t.subject, t.occurrence, t.time, t.data)
        for end in ends_of
        for t in end.events
        if t.type == "Delivered"
    ]


def tried(histories: list[list[list[Step]]]) -> list[list[list[tuple[Any, ...]]]]:
    """By history and cut the deliveries, judged in one job."""
    worlds = [seen_from(h, cut) for h in histories for cut in range(len(h))]
    ends_of_worlds = iter(translate_worlds(Orders, worlds, LATE, logged=True))
    return [[deliveries(next(ends_of_worlds)) for _ in h] for h in histories]


HISTORIES = [random_history(random.Random(seed)) for seed in range(60)]


def wrong(histories: list[list[list[Step]]]) -> list[str]:
    """What differs from the plain judge, or from one cut to another."""
    disagreements = []
    for history, by_cut in zip(histories, tried(histories), strict=True):
        wanted = list(expected_of(history))
        for cut, announced in enumerate(by_cut):
            data = [json.loads(t[-1]) for t in announced]
            if data != [d for n, d in wanted if n >= cut]:
                disagreements.append(f"cut {cut}: {data}, wanted {wanted}")
            if announced and announced != by_cut[0][-len(announced) :]:
                disagreements.append(f"cut {cut}: {announced} is not how {by_cut[0]} ends")
    return disagreements


@pytest.mark.usefixtures("spark")
def test_from_any_cut_a_commit_says_the_same() -> None:
    assert sum(len(list(expected_of(h))) for h in HISTORIES) > 10, "the histories say too little"
    assert wrong(HISTORIES) == []


class _ByLastChange:
    """A mutant of Spark's functions: a row counts by the last change of its commit alone."""

    def __getattr__(self, name: str) -> Any:
        return getattr(functions, name)

    def first(self, expression: Any) -> Any:
        return _OverNoFrame(expression)


class _OverNoFrame:
    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def over(self, window: Any) -> Any:
        del window
        return self._expression


@pytest.mark.usefixtures("spark")
def test_a_row_that_counts_by_its_last_change_alone_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "F", _ByLastChange())
    assert wrong(HISTORIES)


# Refused by name -----------------------------------------------------------------------------


class ElsewhereRow(SourceContract):
    """Of another source."""

    order_no: T.IntegerType = column(doc="the order", nullable=False)
    weight: T.DoubleType = column(doc="kilograms", nullable=True)
    tags: T.ArrayType(T.StringType()) = column(doc="words", nullable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("depot", "rows", key=["order_no"])


def define(**members: Any) -> type[Translator]:
    header = {"context": DELIVERIES, "aggregate": "order", "version": "1.0.0"}
    first = {"order": part(OrderRow, subject="no")}
    lines = {"lines": in_commit(LineRow, subject="order_no", sums="amount")}
    return type("Made", (Translator,), {**header, **first, **lines, **members})


def misspelt(self, row):
    return Occurrence(when=row.lines.amuont > 1, time_basis="commit")


def asks(self, row):
    return row.lines.deleted > 0


def placed(self, row):
    return Occurrence(when=row.lines.deleted > 0, time_basis="commit")


def of_each(self, row):
    return each(row.labels, lambda label: Occurrence(subject=label.x, when=row.lines.deleted > 0))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"placed": fact(Placed)(misspelt)}, r"lines, what the commit did, has no 'amuont'"),
        ({"asked": reject("asks")(asks)}, "reject asks: it asks what its commit did"),
        ({"placed": fact(Placed, per_row=True)(placed)}, "is `per_row` cannot ask"),
        (
            {"elsewhere": in_commit(ElsewhereRow, subject="order_no")},
            "view elsewhere is of depot.rows, and no part is of source depot",
        ),
        ({"more": in_commit(LineRow, subject=("order_no", "line"))}, "of 2 columns"),
        ({"more": in_commit(LineRow, subject="ordr_no")}, "no column 'ordr_no'"),
    ],
)
def test_what_is_refused_when_it_is_defined(members: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        define(**members)


@pytest.mark.parametrize("summed", ["weight", "tags", "wieght"])
def test_what_has_no_sum_is_refused(summed: str) -> None:
    with pytest.raises(ConfigurationError, match=summed):
        in_commit(ElsewhereRow, subject="order_no", sums=summed)


def test_each_is_refused_where_the_fact_is_examined(spark: SparkSession) -> None:
    labels = lookup(LineRow, on="no", by="order_no", many=True)
    translator = define(labels=labels, placed=fact(Placed, many=True)(of_each))
    with pytest.raises(ConfigurationError, match=r"returned each\(…\), and asks what its commit"):
        analyse_translator(spark, translator)


def test_a_fact_that_asks_is_transient() -> None:
    rules = {rule.name: rule for rule in Orders.facts}
    assert rules["delivered"].transient
    assert rules["delivered"].of_commit == ("entries", "lines")
    assert not rules["placed"].transient


def test_a_log_that_tells_no_transaction_is_refused() -> None:
    translation = Translation("deliveries", "1.0.0", DELIVERIES, (Orders,))
    log = SourceLog(tables={"orders": TableLog(alone=2), "lines": TableLog(alone=1)}, changes=3)
    refuse_missing_transactions({"shop": log.model_copy(update={"changes": 4})}, translation)
    with pytest.raises(ConfigurationError, match="none of the 3 changes of source shop tells"):
        refuse_missing_transactions({"shop": log}, translation)
