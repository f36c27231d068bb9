"""PostgreSQL's SQL taken apart: parameters and schemas outside of texts, names and comments."""

from __future__ import annotations

import pytest

from cutline.sql.postgres import DIALECT


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("site = :region", "site = 'n''w'"),
        ("site = :region::text", "site = 'n''w'::text"),
        ("a::region = :region", "a::region = 'n''w'"),
        ("a = ':region' AND b = :region", "a = ':region' AND b = 'n''w'"),
        ('":region" = :region', "\":region\" = 'n''w'"),
        ("a = 'it''s :region' OR :region = b", "a = 'it''s :region' OR 'n''w' = b"),
        (r"a = E'\':region' OR :region = b", r"a = E'\':region' OR 'n''w' = b"),
        ("a = $q$ :region $q$ OR :region = b", "a = $q$ :region $q$ OR 'n''w' = b"),
        ("1=1 -- :region\nAND :region = b", "1=1 -- :region\nAND 'n''w' = b"),
        ("1=1 /* :region ' */ AND :region = b", "1=1 /* :region ' */ AND 'n''w' = b"),
        (":regional = 1", ":regional = 1"),
    ],
)
def test_the_region_is_a_literal_outside_of_quotes(sql: str, expected: str) -> None:
    assert DIALECT.with_region(sql, "n'w") == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM erp.orders o", 'SELECT * FROM "app".orders o'),
        ("SELECT erp.orders.id FROM erp . orders", 'SELECT "app".orders.id FROM "app". orders'),
        ('SELECT * FROM "erp"."Orders"', 'SELECT * FROM "app"."Orders"'),
        ("SELECT 'erp.orders' FROM erp.orders", "SELECT 'erp.orders' FROM \"app\".orders"),
        ("SELECT * FROM x.erp.orders, myerp.orders", "SELECT * FROM x.erp.orders, myerp.orders"),
        ("-- erp.orders\nSELECT 1", "-- erp.orders\nSELECT 1"),
    ],
)
def test_a_source_is_its_schema(sql: str, expected: str) -> None:
    assert DIALECT.with_schema(sql, "erp", '"app"') == expected


def test_words_are_those_outside_of_quotes() -> None:
    sql = "Status = 'now' AND \"random\" < NOW() -- clock_timestamp()\n"
    assert DIALECT.words(sql) == {"status", "and", "now"}


@pytest.mark.parametrize(
    ("sql", "balanced"),
    [
        ("(a = 1) OR (b = ')')", True),
        ("a = 1) OR (b = 1", False),
        ("(a = 1", False),
        ("a = $$)$$ -- )\n", True),
        ('a = ")"', True),
    ],
)
def test_brackets_belong_together_outside_of_quotes(sql: str, balanced: bool) -> None:
    assert DIALECT.is_balanced(sql) is balanced
