"""MySQL's SQL taken apart: parameters and schemas outside of texts, names and comments."""

from __future__ import annotations

import pytest

from cutline.sql.mysql import DIALECT


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("site = :region", r"site = 'n''w\\'"),
        ("a = ':region' AND b = :region", r"a = ':region' AND b = 'n''w\\'"),
        (r"a = 'it\' :region' OR :region = b", r"a = 'it\' :region' OR 'n''w\\' = b"),
        ('a = ":region" OR :region = b', 'a = ":region" OR ' + r"'n''w\\' = b"),
        ("`:region` = :region", r"`:region` = 'n''w\\'"),
        ("1=1 # :region\nAND :region = b", "1=1 # :region\nAND " + r"'n''w\\' = b"),
        ("1--:region", r"1--'n''w\\'"),
        (":regional = 1", ":regional = 1"),
    ],
)
def test_the_region_is_a_text_outside_of_quotes(sql: str, expected: str) -> None:
    assert DIALECT.with_region(sql, "n'w\\") == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM erp.orders o", "SELECT * FROM `app`.orders o"),
        ("SELECT * FROM `erp`.`Orders`", "SELECT * FROM `app`.`Orders`"),
        ('SELECT "erp.orders" FROM erp.orders', 'SELECT "erp.orders" FROM `app`.orders'),
        ("SELECT * FROM x.erp.orders, myerp.orders", "SELECT * FROM x.erp.orders, myerp.orders"),
    ],
)
def test_a_source_is_its_schema(sql: str, expected: str) -> None:
    assert DIALECT.with_schema(sql, "erp", DIALECT.quoted("app")) == expected


def test_words_are_those_outside_of_quotes() -> None:
    sql = "Status = 'now' AND `rand` < @Limit -- sysdate()\n"
    assert DIALECT.words(sql) == {"status", "and", "@limit"}


@pytest.mark.parametrize(
    ("sql", "balanced"),
    [("(a = 1) OR (b = ')')", True), ("a = 1) OR (b = 1", False), ("a = `)`", True)],
)
def test_brackets_belong_together_outside_of_quotes(sql: str, balanced: bool) -> None:
    assert DIALECT.is_balanced(sql) is balanced


def test_a_quote_in_a_name_is_doubled() -> None:
    assert DIALECT.quoted("a`b") == "`a``b`"
