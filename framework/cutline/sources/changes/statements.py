"""Statements of SQL in records of structure: which tables they change, as far as can be told.

Formats name the tables of a statement in fields of the record, but not all of them: of a statement
that renames or drops several only the first, of one that exchanges rows between two only the
partitioned one, and of some statements none. Then the words of the statement stand for its tables:
a run that stops for nothing is better than one that passes over.
"""

from __future__ import annotations

EVERY_TABLE = "*"
"""Among the tables that a record of structure changes: all tables of its schema."""

_COMMENTS = r"^(?:\s++|/\*(?!!).*?\*/|(?:--|#)[^\n]*(?:\n|$))*+"
_REPLACES = r"(?i)\bCREATE\s+OR\s+REPLACE\s+TABLE\b"
_DROPS_SCHEMA = rf"(?is){_COMMENTS}DROP\s+(?:DATABASE|SCHEMA)\b"
_GAP = r"(?:\s|/\*.*?\*/)+"
# All rows of a table become a partition's, or a partition's a table's, without a change of a row.
_MOVES_ROWS = rf"EXCHANGE{_GAP}PARTITION|CONVERT{_GAP}(?:TABLE|PARTITION)"
_SEVERAL = (
    rf"(?is)\b(?:RENAME(?!\s+(?:COLUMN|INDEX|KEY)\b)|DROP{_GAP}TABLE|TRUNCATE|{_MOVES_ROWS})\b"
)
# Without rows of their own, or without a change of any row.
_NO_TABLES = r"(?:VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT|USER|ROLE|INDEX)"
_HARMLESS = (
    rf"(?is){_COMMENTS}(?:CREATE(?!\s+OR\s+REPLACE\s+TABLE\b)|(?:ALTER|DROP)\s+{_NO_TABLES}"
    r"|GRANT|REVOKE|ANALYZE|CHECK|FLUSH|OPTIMIZE|REPAIR)\b"
)


def replaces_table(statement: str) -> str:
    """SQL for whether a statement creates a table in place of another; false for null."""
    return f"coalesce({statement} RLIKE r'{_REPLACES}', false)"


def is_harmless(statement: str) -> str:
    """SQL for whether a statement changes no row of a table that is there; false for null."""
    return f"coalesce({statement} RLIKE r'{_HARMLESS}', false)"


def changed_tables(statement: str, names: str) -> str:
    """SQL for the tables that a record of structure changes, by the names that its fields have.

    `names` is SQL for an array, empty where the record names none. Null where no table changes.
    """
    drops_schema = f"coalesce({statement} RLIKE r'{_DROPS_SCHEMA}', false)"
    several = f"coalesce({statement} RLIKE r'{_SEVERAL}', false)"
    return f"""CASE WHEN {drops_schema} THEN array('{EVERY_TABLE}')
        WHEN size({names}) = 0 AND {is_harmless(statement)} THEN NULL
        WHEN size({names}) = 0 OR {several} THEN array_union({names}, {_words(statement)})
        ELSE {names} END"""


def _words(statement: str) -> str:
    """SQL for the words and the quoted names of a statement, as written and in one case: names in
    records may be in another than that in which somebody typed them. Empty for null.
    """
    words = rf"split({statement}, r'(?U)[^\w$]+')"
    quoted = rf"""regexp_extract_all({statement}, r'[`"]([^`"]+)[`"]', 1)"""
    spelt = f"concat({words}, {quoted})"
    cases = (spelt, *(f"transform({spelt}, w -> {case}(w))" for case in ("lower", "upper")))
    return f"coalesce(concat({', '.join(cases)}), CAST(array() AS array<string>))"
