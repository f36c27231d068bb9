"""Row access is typed by the contract: a misspelt column fails when the class is defined.

Rules are read, not run: no Spark is there yet. `row.status`, `row.<part>.status` and
`row.<lookup>.name` are followed through local names and into the functions of the module that get
the row handed on. What cannot be followed (an element of a list, a row kept in an object) is
checked when the translator is compiled, before any row is read.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.names import SELF

if TYPE_CHECKING:
    from cutline.translator.translator import Translator

_ROW = ""
"""What a name stands for: the row itself, or else the part or lookup of that name."""


def refuse_unknown_columns(translator: type[Translator]) -> None:
    """ConfigurationError for a column that the row does not have, naming translator and method."""
    methods = [f.method for f in translator.facts] + [r.method for r in translator.row_rules]
    for method in methods:
        where = f"translator {translator.__name__}, method {method.__name__}"
        _Reader(translator, where).function(method, {1: _ROW})


def column_of_row(translator: type[Translator], names: tuple[str, ...], where: str) -> None:
    """ConfigurationError unless `row.<names…>` is there: a part, a lookup, or a column of one."""
    first, *rest = names
    contracts = {name: part.contract for name, part in translator.parts.items()}
    contracts |= {name: lookup.contract for name, lookup in translator.lookups.items()}
    own = contracts.pop(SELF, None)
    if own is not None and first not in contracts:
        _known(first, tuple(own.columns()), f"{where}: the row has no column", contracts)
    elif first not in contracts:
        _known(first, tuple(contracts), f"{where}: the row has no part or lookup")
    elif rest and not _is_list(translator, first):
        _known(rest[0], tuple(contracts[first].columns()), f"{where}: {first} has no column")


def _is_list(translator: type[Translator], name: str) -> bool:
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


class _Reader:
    """Reads functions and the functions they hand the row to, each once per meaning."""

    def __init__(self, translator: type[Translator], where: str) -> None:
        self._translator, self._where = translator, where
        self._read: set[tuple[Any, ...]] = set()

    def function(self, function: Callable[..., Any], given: Mapping[int | str, str]) -> None:
        """Read a function whose parameters, by place or name, stand for the row or a part of it."""
        plain = inspect.unwrap(function)
        mark = (plain, tuple(sorted(given.items(), key=str)))
        tree = None if mark in self._read else _tree(plain)
        self._read.add(mark)
        if tree is None:
            return
        parameters = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
        names = {
            parameters[key] if isinstance(key, int) else key: meaning
            for key, meaning in given.items()
            if isinstance(key, str) or key < len(parameters)
        }
        _Body(self, plain, names).visit_all(tree.body if isinstance(tree, ast.FunctionDef) else [])

    def attribute(self, path: tuple[str, ...]) -> None:
        column_of_row(self._translator, path, self._where)

    def is_table(self, name: str) -> bool:
        declared = name in self._translator.parts or name in self._translator.lookups
        return declared and name != SELF and not _is_list(self._translator, name)


class _Body(ast.NodeVisitor):
    """One function's body, with what its names stand for."""

    def __init__(self, reader: _Reader, function: Any, names: dict[str, str]) -> None:
        self._reader, self._function, self._names = reader, function, names

    def visit_all(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.visit(statement)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path:
            self._reader.attribute(path)
        else:
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        meaning = self._meaning(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._names.pop(target.id, None)
                if meaning is not None:
                    self._names[target.id] = meaning

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        called = self._called(node.func)
        if called is None:
            return
        given: dict[int | str, str] = {}
        for i, argument in enumerate(node.args):
            if (meaning := self._meaning(argument)) is not None:
                given[i] = meaning
        for keyword in node.keywords:
            if keyword.arg and (meaning := self._meaning(keyword.value)) is not None:
                given[keyword.arg] = meaning
        if given:
            self._reader.function(called, given)

    def _meaning(self, node: ast.expr) -> str | None:
        """What an expression stands for: the row, a part or lookup of it, or nothing we follow."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute) and self._meaning(node.value) == _ROW:
            return node.attr if self._reader.is_table(node.attr) else None
        return None

    def _path(self, node: ast.Attribute) -> tuple[str, ...]:
        """The names behind the row, such as ('order', 'status'); empty if it is not of the row."""
        meaning = self._meaning(node.value)
        if meaning is None:
            return ()
        return (node.attr,) if meaning == _ROW else (meaning, node.attr)

    def _called(self, node: ast.expr) -> Callable[..., Any] | None:
        """The plain Python function that a name of the module or of a closure stands for."""
        if not isinstance(node, ast.Name) or node.id in self._names:
            return None
        try:
            closure = inspect.getclosurevars(self._function)
        except (TypeError, ValueError):
            return None
        found = {**closure.globals, **closure.nonlocals}.get(node.id)
        return found if inspect.isfunction(found) else None


def _tree(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """The function as it is written; null where no source is to be had."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        (statement,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return statement if isinstance(statement, ast.FunctionDef) else None
