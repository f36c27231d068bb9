"""Row access is typed by the contract: a misspelt column fails when the class is defined.

The source of a rule is read (see row_paths), as there is no Spark session yet. Accesses that cannot
be followed are checked when the translator is compiled, before any row is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.names import SELF, class_name
from cutline.translator.row_paths import visit_row_paths
from cutline.translator.validation.protocol import DeclaredTranslator


def refuse_unknown_columns(translator: DeclaredTranslator) -> None:
    """ConfigurationError, with translator and method, for a column that the row does not have."""
    methods = [(fact.method, fact.on_move) for fact in translator.facts]
    methods += [(rule.method, rule.on_move) for rule in translator.row_rules]
    for method, on_move in methods:
        where = f"translator {class_name(translator)}, method {method.__name__}"
        check_path = partial(refuse_unknown_path, translator, where=where)
        tables = named_tables(translator)
        visit_row_paths(method, translator, check_path, tables, rows=2 if on_move else 1)


def named_tables(translator: DeclaredTranslator) -> set[str]:
    """The parts, lookups and views with columns of their own: `row.order.status`."""
    names = (*translator.parts, *translator.lookups, *translator.views)
    return {name for name in names if name != SELF and not _is_list(translator, name)}


def refuse_unknown_path(translator: DeclaredTranslator, names: tuple[str, ...], where: str) -> None:
    """ConfigurationError unless `row.<names…>` is a part, lookup or view, or a column of one."""
    first, *rest = names
    contracts = translator.tables()
    own_contract = contracts.pop(SELF, None)
    if own_contract is not None and first not in contracts:
        _refuse_unknown_name(
            first, tuple(own_contract.columns()), f"{where}: the row has no column", contracts
        )
    elif first not in contracts:
        _refuse_unknown_name(first, tuple(contracts), f"{where}: the row has no part or lookup")
    elif rest and first in translator.views:
        view_fields = tuple(translator.views[first].fields)
        _refuse_unknown_name(rest[0], view_fields, f"{where}: {first}, what the commit did, has no")
    elif rest and not _is_list(translator, first):
        _refuse_unknown_name(
            rest[0], tuple(contracts[first].columns()), f"{where}: {first} has no column"
        )


def _is_list(translator: DeclaredTranslator, name: str) -> bool:
    lookup = translator.lookups.get(name)
    return lookup is not None and lookup.many


def _refuse_unknown_name(
    name: str, columns: tuple[str, ...], problem: str, other_names: Mapping[str, Any] | None = None
) -> None:
    if name not in columns:
        available = (*columns, *(other_names or ()))
        raise ConfigurationError(
            f"{problem} {name!r}.{did_you_mean(name, available)}",
            next_step=f"It has: {', '.join(available)}.",
        )
