"""What an event looks at that may have moved since the fact: a snapshot shows it as it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutline.engine.examine.columns_used import WHOLE, UsedColumn, columns_used
from cutline.engine.examine.trees import Tree
from cutline.translator.part import Lookup, Part
from cutline.translator.translator import Translator


def unstable_columns(
    translator: type[Translator], trees: Mapping[str, Tree], use: str
) -> frozenset[UsedColumn]:
    """The (part or lookup, column) pairs of a rule's payload or time (`use`) that are not stable.

    A stable column of an optional part moves all the same: its row may have come after the fact.
    So does one of a lookup whose key columns in the row move. `said` are the rule's expressions.
    """
    used = {
        one for name, tree in trees.items() if name.startswith(use) for one in columns_used(tree)
    }
    return frozenset(one for table, column in used for one in _moving(translator, table, column))


def is_unstable(translator: type[Translator], table: str, column: str) -> bool:
    """Whether a column of a part or lookup may have moved since a fact."""
    return any(True for _ in _moving(translator, table, column))


def _moving(translator: type[Translator], table: str, column: str) -> Iterator[UsedColumn]:
    if table in translator.views:
        # What a commit did stays done, and no snapshot tells it.
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
