"""Which paths a rule's method asks of its row: the method is read, not run.

`row.status`, `row.<part>.status` and `row.<lookup>.name` are followed through local names and into
what gets the row handed on: functions of this or another module, and methods (`self.helper(row)`).
A name that stands for something else in a lambda, a comprehension, a loop or on one of two branches
is let go, and so is what cannot be followed: an element of a list, a row kept in an object.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

_ROW = ""
"""What a name stands for: the row itself, or else the part or lookup of that name."""


def read_rows(
    method: Callable[..., Any],
    owner: object,
    known: Callable[[tuple[str, ...]], None],
    tables: Collection[str] = (),
    rows: int = 1,
) -> None:
    """Tell `known` of each path that a method asks of its second parameter, the row.

    A path is ('status',), or ('order', 'status') where `order` is among `tables`. `owner` is the
    class whose methods it calls by `self` or `cls`. So many parameters from the second on are rows.
    """
    _Reader(owner, known, tables).function(method, dict.fromkeys(range(1, 1 + rows), _ROW))


class _Reader:
    """Reads functions and the functions they hand the row to, each once per meaning."""

    def __init__(
        self, owner: object, known: Callable[[tuple[str, ...]], None], tables: Collection[str]
    ) -> None:
        self._owner, self.attribute, self.tables = owner, known, tables
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

    def method(self, name: str) -> Any:
        return inspect.getattr_static(self._owner, name, None)


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
            self._bind(target, meaning)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._bind(node.target, self._meaning(node.value))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target, self._meaning(node.value))

    def visit_Name(self, node: ast.Name) -> None:
        """What else gives a name a value (`for`, `with`, …) gives it one that is not followed."""
        if not isinstance(node.ctx, ast.Load):
            self._names.pop(node.id, None)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._names.pop(node.name or "", None)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """After two branches a name stands for what it does on both."""
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
        self._within(node.args, [node.body])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._names.pop(node.name, None)
        self._within(node.args, node.body)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, [node.key, node.value])

    def _comprehension(self, loops: list[ast.comprehension], made: list[ast.expr]) -> None:
        outer = dict(self._names)
        for loop in loops:
            for one in (loop.iter, loop.target, *loop.ifs):
                self.visit(one)
        for one in made:
            self.visit(one)
        self._names = outer

    def _within(self, given: ast.arguments, body: Sequence[ast.AST]) -> None:
        """A function in the function: its parameters hide the names outside."""
        for default in (*given.defaults, *(d for d in given.kw_defaults if d is not None)):
            self.visit(default)
        outer = dict(self._names)
        for parameter in (n for n in ast.walk(given) if isinstance(n, ast.arg)):
            self._names.pop(parameter.arg, None)
        for one in body:
            self.visit(one)
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
        given: dict[int | str, str] = {}
        for i, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                break
            if (meaning := self._meaning(argument)) is not None:
                given[i + bound] = meaning
        for keyword in node.keywords:
            if keyword.arg and (meaning := self._meaning(keyword.value)) is not None:
                given[keyword.arg] = meaning
        if given:
            self._reader.function(function, given)

    def _meaning(self, node: ast.expr) -> str | None:
        """What an expression stands for: the row, a part or lookup of it, or nothing we follow."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute) and self._meaning(node.value) == _ROW:
            return node.attr if node.attr in self._reader.tables else None
        return None

    def _path(self, node: ast.Attribute) -> tuple[str, ...]:
        """The names behind the row, such as ('order', 'status'); empty if it is not of the row."""
        meaning = self._meaning(node.value)
        if meaning is None:
            return ()
        return (node.attr,) if meaning == _ROW else (meaning, node.attr)

    def _called(self, node: ast.expr) -> tuple[Callable[..., Any], int] | None:
        """The plain Python function that is called, and how many parameters the call leaves out.

        It is a name of the module or of a closure, a module's, or a method of the owner.
        """
        if isinstance(node, ast.Name) and node.id not in self._names:
            return _plain(self._known(node.id))
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        if node.value.id in ("self", "cls"):
            return _plain(self._reader.method(node.attr), 1)
        module = self._known(node.value.id)
        return _plain(getattr(module, node.attr, None)) if inspect.ismodule(module) else None

    def _known(self, name: str) -> Any:
        try:
            closure = inspect.getclosurevars(self._function)
        except (TypeError, ValueError):
            return None
        return {**closure.globals, **closure.nonlocals}.get(name)


def _plain(found: Any, bound: int = 0) -> tuple[Callable[..., Any], int] | None:
    if isinstance(found, staticmethod):
        return _plain(found.__func__)
    if isinstance(found, classmethod):
        return _plain(found.__func__, 1)
    return (found, bound) if inspect.isfunction(found) else None


def _tree(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """The function as it is written; null where no source is to be had."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        (statement,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return statement if isinstance(statement, ast.FunctionDef) else None
