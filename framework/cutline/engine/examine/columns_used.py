"""The columns that an expression reads, by table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from cutline.engine.examine.trees import Tree
from cutline.engine.rules import AFTER, BEFORE, WAS

WHOLE = "*"
"""In place of a column: the whole row, or all rows of a list."""

UsedColumn = tuple[str, str]


_OVER_LISTS = ("ArrayTransform", "ArrayFilter", "ArrayExists", "ArrayForAll", "ArrayAggregate")
_Bound = Mapping[str, str]
"""The table of each lambda variable that is a row of a list, by the variable's id."""


def columns_used(tree: Tree) -> frozenset[UsedColumn]:
    """The (part or lookup, column) pairs of an expression; WHOLE where it reads the row as one."""
    return frozenset(_used(tree, {}))


def _used(tree: Tree, bound: _Bound) -> Iterator[UsedColumn]:
    if tree.kind == "GetStructField":
        table = _table(tree.inputs[0], bound)
        if table is not None:
            yield table, str(tree.fields["name"])
            return
    if tree.kind in ("AttributeReference", "NamedLambdaVariable"):
        table = _table(tree, bound)
        if table is not None:
            yield table, WHOLE
    inputs = tree.inputs
    if tree.kind in _OVER_LISTS and (table := _table(inputs[0], bound)) is not None:
        bound = {**bound, **_variables(tree, table)}
        # The list itself is not read as a whole; a filter below it is read.
        inputs = (*inputs[0].inputs, *inputs[1:])
    for child in _bodies(inputs):
        yield from _used(child, bound)


def _bodies(inputs: tuple[Tree, ...]) -> Iterator[Tree]:
    """Inputs, with a lambda function's body in place of its parameters and body."""
    for child in inputs:
        yield child.inputs[0] if child.kind == "LambdaFunction" else child


def _variables(tree: Tree, table: str) -> dict[str, str]:
    """The variables of the function that are rows of the list, with the list's table."""
    return {
        _mark(variable): table
        for function in tree.inputs
        if function.kind == "LambdaFunction"
        for variable in function.inputs[1:]
        if isinstance(kind := variable.fields.get("dataType"), dict) and kind["type"] == "struct"
    }


def _mark(variable: Tree) -> str:
    return json.dumps(variable.fields.get("exprId"), sort_keys=True)


def _table(tree: Tree, bound: _Bound) -> str | None:
    """The part or lookup if the expression is its row, or one row of its list; else None."""
    if tree.kind == "NamedLambdaVariable":
        return bound.get(_mark(tree))
    if tree.kind == "AttributeReference":
        side, _, table = str(tree.fields["name"]).partition("_")
        return table if side in (AFTER, BEFORE, WAS) else None
    if tree.kind in ("Get", "GetArrayItem", "ElementAt", "ArrayFilter", "ArraySort"):
        return _table(tree.inputs[0], bound)
    if tree.kind == "Coalesce":
        # The side `last` is the row after the commit, or else the one before it.
        tables = {_table(child, bound) for child in tree.inputs}
        return tables.pop() if len(tables) == 1 else None
    return None
