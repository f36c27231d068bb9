"""The paths of its row that a rule's method reads, from the method's source.

`row.status`, `row.<part>.status` and `row.<lookup>.name` are followed through local names and into
the functions and methods (`self.helper(row)`) that get the row as an argument. A name that is bound
to another object in a lambda, a comprehension, a loop or one of two branches is no longer followed,
and neither is a row in a list or an attribute.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from cutline.translator.function_source import called_object, function_tree

_ROW = ""
"""The meaning of a name that stands for the row; other meanings are a part's or lookup's name."""


def visit_row_paths(
    method: Callable[..., Any],
    owner: object,
    on_path: Callable[[tuple[str, ...]], None],
    tables: Collection[str] = (),
    rows: int = 1,
) -> None:
    """Call `on_path` with each path that a method reads of its rows.

    A path is ('status',), or ('order', 'status') where `order` is among `tables`. `owner` is the
    class whose methods it calls by `self` or `cls`. `rows` parameters from the second on are rows.
    """
    _FunctionReader(owner, on_path, tables).read_function(
        method, dict.fromkeys(range(1, 1 + rows), _ROW)
    )


class _FunctionReader:
    """Reads functions and the functions that they pass the row to, each once per meaning."""

    def __init__(
        self, owner: object, on_path: Callable[[tuple[str, ...]], None], tables: Collection[str]
    ) -> None:
        self.owner, self.on_path, self.tables = owner, on_path, tables
        self._read: set[tuple[Any, ...]] = set()

    def read_function(
        self, function: Callable[..., Any], meanings: Mapping[int | str, str]
    ) -> None:
        """Read a function; `meanings` are those of its parameters, by index or name."""
        plain = inspect.unwrap(function)
        mark = (plain, tuple(sorted(meanings.items(), key=str)))
        tree = None if mark in self._read else function_tree(plain)
        self._read.add(mark)
        if tree is None:
            return
        parameters = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
        names = {
            parameters[key] if isinstance(key, int) else key: meaning
            for key, meaning in meanings.items()
            if isinstance(key, str) or key < len(parameters)
        }
        _BodyVisitor(self, plain, names).visit_all(
            tree.body if isinstance(tree, ast.FunctionDef) else []
        )


class _BodyVisitor(ast.NodeVisitor):
    """Visits the body of one function and keeps the meanings of its names."""

    def __init__(self, reader: _FunctionReader, function: Any, names: dict[str, str]) -> None:
        self._reader, self._function, self._names = reader, function, names

    def visit_all(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.visit(statement)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path:
            self._reader.on_path(path)
        else:
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        meaning = self._meaning(node.value)
        for target in node.targets:
            self._bind(target, meaning)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._bind(node.target, self._meaning(node.value))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target, self._meaning(node.value))

    def visit_Name(self, node: ast.Name) -> None:
        """A name that is bound otherwise (`for`, `with`, …) is no longer followed."""
        if not isinstance(node.ctx, ast.Load):
            self._names.pop(node.id, None)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._names.pop(node.name or "", None)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """After two branches a name keeps its meaning if both agree on it."""
        self.visit(node.test)
        before = dict(self._names)
        self.visit_all(node.body)
        first, self._names = self._names, before
        self.visit_all(node.orelse)
        self._names = {n: m for n, m in self._names.items() if first.get(n) == m}

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        self.visit_all([*node.body, *node.orelse])

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner_function(node.args, [node.body])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._names.pop(node.name, None)
        self._inner_function(node.args, node.body)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, [node.key, node.value])

    def _comprehension(self, loops: list[ast.comprehension], results: list[ast.expr]) -> None:
        outer = dict(self._names)
        for loop in loops:
            for node in (loop.iter, loop.target, *loop.ifs):
                self.visit(node)
        for node in results:
            self.visit(node)
        self._names = outer

    def _inner_function(self, signature: ast.arguments, body: Sequence[ast.AST]) -> None:
        """Visit an inner function, whose parameters hide the names outside."""
        for default in (*signature.defaults, *(d for d in signature.kw_defaults if d is not None)):
            self.visit(default)
        outer = dict(self._names)
        for parameter in (n for n in ast.walk(signature) if isinstance(n, ast.arg)):
            self._names.pop(parameter.arg, None)
        for node in body:
            self.visit(node)
        self._names = outer

    def _bind(self, target: ast.expr, meaning: str | None) -> None:
        self.visit(target)
        if isinstance(target, ast.Name) and meaning is not None:
            self._names[target.id] = meaning

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        called = self._called(node.func)
        if called is None:
            return
        function, bound = called
        meanings: dict[int | str, str] = {}
        for i, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                break
            if (meaning := self._meaning(argument)) is not None:
                meanings[i + bound] = meaning
        for keyword in node.keywords:
            if keyword.arg and (meaning := self._meaning(keyword.value)) is not None:
                meanings[keyword.arg] = meaning
        if meanings:
            self._reader.read_function(function, meanings)

    def _meaning(self, node: ast.expr) -> str | None:
        """The meaning of an expression: the row, or a part or lookup of it; null for others."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute) and self._meaning(node.value) == _ROW:
            return node.attr if node.attr in self._reader.tables else None
        return None

    def _path(self, node: ast.Attribute) -> tuple[str, ...]:
        """The path of an attribute of the row, such as ('order', 'status'); empty for others."""
        meaning = self._meaning(node.value)
        if meaning is None:
            return ()
        return (node.attr,) if meaning == _ROW else (meaning, node.attr)

    def _called(self, node: ast.expr) -> tuple[Callable[..., Any], int] | None:
        """The Python function that is called, and the number of its bound parameters; or null.

        It is a name of the module or closure, an attribute of a module, or a method of the owner.
        """
        if isinstance(node, ast.Name) and node.id in self._names:
            return None
        return _plain_function(*called_object(node, self._function, self._reader.owner))


def _plain_function(function: Any, bound: int = 0) -> tuple[Callable[..., Any], int] | None:
    if isinstance(function, staticmethod):
        return _plain_function(function.__func__)
    if isinstance(function, classmethod):
        return _plain_function(function.__func__, 1)
    return (function, bound) if inspect.isfunction(function) else None
