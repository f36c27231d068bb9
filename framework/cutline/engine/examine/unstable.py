"""The columns of an event that may have changed since its fact: a snapshot shows them as now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutline.engine.examine.columns_used import WHOLE, UsedColumn, columns_used
from cutline.engine.examine.trees import Tree
from cutline.translator.part import Lookup, Part
from cutline.translator.translator import Translator


def unstable_columns(
    translator: type[Translator], trees: Mapping[str, Tree], use: str
) -> frozenset[UsedColumn]:
    """The (part or lookup, column) pairs that are not stable, of a rule's payload or time (`use`).

    All columns of an optional part are unstable: its row may have come after the fact. A lookup
    adds the columns that it is found by, unless they are stable. `trees` are the rule's
    expressions.
    """
    used = {
        pair for name, tree in trees.items() if name.startswith(use) for pair in columns_used(tree)
    }
    return frozenset(pair for table, column in used for pair in _moving(translator, table, column))


def is_unstable(translator: type[Translator], table: str, column: str) -> bool:
    """Whether a column of a part or lookup may have changed since a fact."""
    return any(True for _ in _moving(translator, table, column))


def _moving(translator: type[Translator], table: str, column: str) -> Iterator[UsedColumn]:
    if table in translator.views:
        # A view is of one commit: it never changes, and no snapshot shows it.
        return
    tables: dict[str, Part | Lookup] = {**translator.parts, **translator.lookups}
    declared = tables[table]
    contract = declared.contract
    optional = table in translator.parts and not declared.required
    for name in contract.columns() if column == WHOLE else (column,):
        if optional or name not in contract.stable():
            yield table, name
    if table in translator.lookups:
        primary, part = next(iter(translator.parts.items()))
        lookup = translator.lookups[table]
        for name in (*lookup.on, *([lookup.as_of] if lookup.as_of else [])):
            if name not in part.contract.stable():
                yield primary, name
