"""The contract and the to-dos that follow from a literal profile."""

from __future__ import annotations

import pytest

from cutline.scaffold.contract import contract_columns, undeclared_columns
from cutline.scaffold.rules import status_rules
from cutline.sources.changes.modes import Modes
from support.profiles import column, few, status, table

ORDERS = table(
    column("no", "bigint"),
    few("status", N=60, S=40),
    few("channel", web=99, shop=1),
    column("amount", "decimal(18,2)", nulls=3),
    column("placedAt", "timestamp_ntz"),
    column("key", "date", nulls=100, distinct=0),
    column("lines", "array<string>"),
    column("email", distinct=90, hidden=True),
    statuses=(
        status("status", ("N", 60, {"placedAt": 60}), ("S", 38, {"placedAt": 0}), (None, 2, {})),
    ),
)


DECLARED = """\
    no: T.LongType = column(doc="to be described; 100 distinct", nullable=False)
    status: T.StringType = column(
        doc="to be described; 2 distinct", nullable=False, classifies=True
    )
    channel: T.StringType = column(
        doc="to be described; 2 distinct", nullable=False, isin=["shop", "web"]
    )
    amount: Annotated[T.DecimalType, 18, 2] = column(doc="to be described; 100 distinct, 3 null")
    placed_at: T.TimestampType = column(
        doc="to be described; 100 distinct; no zone: read as UTC", alias="placedAt", nullable=False
    )
    key_2: T.DateType = column(doc="to be described; 0 distinct, 100 null", alias="key")
    email: T.StringType = column(doc="to be described; 90 distinct", nullable=False, personal=True)"""


def test_each_column_is_declared_as_it_was_seen() -> None:
    declared = contract_columns(ORDERS, ["no"], "status", ["email"])
    assert "\n".join(field.source for field in declared) == DECLARED


def test_what_a_contract_cannot_declare_is_left_out_by_name() -> None:
    assert [c.name for c in undeclared_columns(ORDERS)] == ["lines"]


def test_a_sample_is_there_only_where_null_will_not_do() -> None:
    declared = contract_columns(ORDERS, ["no"], "status", [])
    assert {f.name: f.sample for f in declared} == {
        "no": "1",
        "status": '"a"',
        "channel": '"shop"',
        "amount": None,
        "placedAt": '"2026-01-01T00:00:00Z"',
        "key": None,
        "email": '"a"',
    }


def test_each_status_is_a_to_do_with_what_was_seen() -> None:
    rules = status_rules(ORDERS, ORDERS.statuses[0])
    assert [(r.rule, r.method, r.predicate) for r in rules] == [
        ("status-n", "status_n", 'row.status == "N"'),
        ("status-s", "status_s", 'row.status == "S"'),
        ("status-null", "status_null", "row.status.isNull()"),
    ]
    assert rules[0].docstring == (
        '        """Nobody has decided what status \'N\' means. '
        'Seen in 60 rows; always set: placedAt."""'
    )
    assert "never: placedAt" in rules[1].docstring


def test_values_that_look_alike_are_told_apart() -> None:
    codes = ("A", "a", " ", "日本", "日", "1st")
    profile = table(
        column("no"), few("name", A=1), statuses=(status("name", *((c, 2, {}) for c in codes)),)
    )
    rules = status_rules(profile, profile.statuses[0])
    assert [r.rule for r in rules] == [
        "name-a",
        "name-a-2",
        "name-empty",
        "name-value-4",
        "name-value-5",
        "name-1st",
    ]
    assert len({r.method for r in rules}) == 6


def test_booleans_and_numbers_are_asked_as_such() -> None:
    profile = table(
        column("class", "boolean"),
        column("code", "bigint"),
        statuses=(
            status("class", ("true", 2, {}), ("TRUE", 1, {}), ("false", 1, {})),
            status("code", ("1", 2, {})),
        ),
    )
    flags, codes = (status_rules(profile, s) for s in profile.statuses)
    assert [r.predicate for r in flags] == ['getattr(row, "class")', '~getattr(row, "class")']
    assert [r.predicate for r in codes] == ["row.code == 1"]


@pytest.mark.parametrize(
    ("low", "high", "kind", "annotation"),
    [
        ("0.50", "9999.99", "decimal(18,2)", "Annotated[T.DecimalType, 15, 2]"),
        ("-1234567890123.5", "1", "decimal(18,2)", "Annotated[T.DecimalType, 15, 2]"),
        ("-12345678901234.5", "1", "decimal(18,2)", "T.DoubleType"),
        ("1", "2", "decimal(12,2)", "Annotated[T.DecimalType, 12, 2]"),
        (None, None, "decimal(18,2)", "T.DoubleType"),
    ],
)
def test_a_type_is_one_that_the_connector_writes(
    low: str | None, high: str | None, kind: str, annotation: str
) -> None:
    profile = table(column("no", "bigint"), column("amount", kind, low=low, high=high))
    plain, doubles = Modes(decimals="precise"), Modes(decimals="double")
    (_, amount) = contract_columns(profile, ["no"], None, [], doubles)
    assert amount.annotation == annotation
    size = kind.removeprefix("decimal(").removesuffix(")").replace(",", ", ")
    for modes in (None, plain):
        (_, amount) = contract_columns(profile, ["no"], None, [], modes)
        assert amount.annotation == f"Annotated[T.DecimalType, {size}]"
