"""Names and texts in SQL are read as what they are, whatever is in them; and one module writes them."""

from __future__ import annotations

import re
import sqlite3

import pytest
from pyspark.sql import SparkSession

from cutline.sql import spark as spark_sql
from cutline.sql import standard
from support.paths import ROOT

HOSTILE = [
    "a b",
    "a.b",
    "a`b",
    'a"b',
    "a'b",
    "'",
    "''",
    "a\\",
    "\\'",
    "\\n",
    "\n",
    "ä🚚",
    "--x",
    ":x",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_sqlite_reads_names_and_texts_as_they_are(text: str) -> None:
    statement = f"SELECT {standard.literal(text)} AS {standard.quoted(text)};  -- all"
    cursor = sqlite3.connect(":memory:").execute(
        f"SELECT * FROM ({standard.without_semicolon(statement)})"
    )
    assert cursor.description[0][0] == text
    assert cursor.fetchall() == [(text,)]


def test_spark_reads_names_and_texts_as_they_are(spark: SparkSession) -> None:
    names = [f"{i}{text}" for i, text in enumerate(HOSTILE)]
    pairs = [f"{spark_sql.literal(n)} AS {spark_sql.quoted(n)}" for n in names]
    row = spark.sql(f"SELECT {', '.join(pairs)}").first()
    assert row is not None
    assert row.asDict() == {name: name for name in names}


def test_nothing_else_quotes_for_sql() -> None:
    doubled = re.compile(r"""replace\(\s*(['"])(["'`])\1,\s*(['"])\2\2\3""")
    homes = ("framework", "domains", "translators", "reconciliation", "reports")
    quoting = {
        file.relative_to(ROOT).as_posix()
        for home in homes
        for file in (ROOT / home).rglob("*.py")
        if doubled.search(file.read_text(encoding="utf-8"))
    }
    dialects = ("mysql", "spark", "standard")
    assert quoting == {f"framework/cutline/sql/{dialect}.py" for dialect in dialects}
