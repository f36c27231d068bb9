"""Row access is typed by the contract: a misspelt column fails when the class is defined.

Rules are read, not run (see row_reading): no Spark is there yet. What cannot be followed is checked
when the translator is compiled, before any row is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.names import SELF, class_name
from cutline.translator.row_reading import read_rows
from cutline.translator.validation.protocol import DeclaredTranslator


def refuse_unknown_columns(translator: DeclaredTranslator) -> None:
    """ConfigurationError for a column that the row does not have, naming translator and method."""
    methods = [(fact.method, fact.on_move) for fact in translator.facts]
    methods += [(rule.method, rule.on_move) for rule in translator.row_rules]
    for method, on_move in methods:
        where = f"translator {class_name(translator)}, method {method.__name__}"
        known = partial(column_of_row, translator, where=where)
        tables = named_tables(translator)
        read_rows(method, translator, known, tables, rows=2 if on_move else 1)


def named_tables(translator: DeclaredTranslator) -> set[str]:
    """The parts, lookups and views whose columns a rule names behind theirs: `row.order.status`."""
    names = (*translator.parts, *translator.lookups, *translator.views)
    return {name for name in names if name != SELF and not _is_list(translator, name)}


def column_of_row(translator: DeclaredTranslator, names: tuple[str, ...], where: str) -> None:
    """ConfigurationError unless `row.<names…>` is there: a part, lookup, view, or column of one."""
    first, *rest = names
    contracts = translator.tables()
    own = contracts.pop(SELF, None)
    if own is not None and first not in contracts:
        _known(first, tuple(own.columns()), f"{where}: the row has no column", contracts)
    elif first not in contracts:
        _known(first, tuple(contracts), f"{where}: the row has no part or lookup")
    elif rest and first in translator.views:
        there = tuple(translator.views[first].fields)
        _known(rest[0], there, f"{where}: {first}, what the commit did, has no")
    elif rest and not _is_list(translator, first):
        _known(rest[0], tuple(contracts[first].columns()), f"{where}: {first} has no column")


def _is_list(translator: DeclaredTranslator, name: str) -> bool:
    lookup = translator.lookups.get(name)
    return lookup is not None and lookup.many


def _known(
    name: str, columns: tuple[str, ...], told: str, beside: Mapping[str, Any] | None = None
) -> None:
    if name not in columns:
        known = (*columns, *(beside or ()))
        raise ConfigurationError(
            f"{told} {name!r}.{did_you_mean(name, known)}",
            next_step=f"It has: {', '.join(known)}.",
        )
