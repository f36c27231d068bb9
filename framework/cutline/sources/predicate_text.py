"""A slice's predicate in the SQL of a database, before that is asked."""

from __future__ import annotations

from collections.abc import Callable

from cutline.sources.predicate import predicate_error
from cutline.sources.used_tables import UsedTable
from cutline.sql.dialect import Dialect


def refuse_predicate_text(
    table: UsedTable, dialect: Dialect, is_refused: Callable[[str], bool]
) -> None:
    """ConfigurationError for a predicate with a word that a condition on rows may not ask, or whose
    brackets do not belong together; null, which stands for all rows, has neither.
    """
    if table.predicate is None:
        return
    refused = sorted(filter(is_refused, dialect.words(table.predicate)))
    if refused:
        raise predicate_error(table, f"{refused[0]} is none that a condition on rows may ask")
    if not dialect.is_balanced(table.predicate):
        raise predicate_error(table, "its brackets do not belong together")
