"""The names of columns in what a fact declares as the subject of its event, from its source.

Spark knows which columns an expression reads, but only in a session, and not of a fact per row.
Names are enough to ask whether a subject may be made of personal data, and too many do no harm.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from cutline.translator.function_source import called_object, function_tree

_PLACE_OF_SUBJECT = 3
"""The place of `subject` among the parameters of an Occurrence."""


def subject_names(method: Callable[..., Any], owner: object) -> frozenset[str] | None:
    """Every attribute and text in the expressions that a fact's method gives as a `subject`.

    Local names are followed to what they stand for, and functions and methods of `owner` that are
    called there into their bodies. Empty where no subject is declared; null where no source is to
    be read. A method is read once per process.
    """
    return _read_names(method, owner)


@functools.cache
def _read_names(method: Callable[..., Any], owner: object) -> frozenset[str] | None:
    plain = inspect.unwrap(method)
    tree = function_tree(plain)
    if tree is None:
        return None
    return frozenset(_SubjectReader(owner).of_function(plain, tree) or ())


class _SubjectReader:
    """Reads the functions that a fact goes through, each once."""

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self._declaring: set[Callable[..., Any]] = set()
        self._whole: set[Callable[..., Any]] = set()

    def of_function(self, function: Callable[..., Any], tree: ast.FunctionDef) -> set[str] | None:
        """The names in the subjects that a function declares, or the functions that it calls; null
        where none declares one."""
        self._declaring.add(function)
        subjects = list(_subjects(tree))
        names: set[str] | None = set() if subjects else None
        for expression in subjects:
            names = (names or set()) | self._of_expression(expression, function, tree, frozenset())
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            called = self._called(call.func, function)
            inner = None if called is None or called in self._declaring else function_tree(called)
            if called is None or inner is None:
                continue
            of_called = self.of_function(called, inner)
            if of_called is not None:
                # Its parameters may be what the subject is made of.
                of_called |= self._of_expression(call, function, tree, frozenset())
                names = (names or set()) | of_called
        return names

    def _of_expression(
        self,
        expression: ast.AST,
        function: Callable[..., Any],
        tree: ast.FunctionDef,
        followed: frozenset[str],
    ) -> set[str]:
        names: set[str] = set()
        for node in ast.walk(expression):
            match node:
                case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                    names.add(name)
                case ast.Name(id=name) if name not in followed:
                    for value in _values_of(tree, name):
                        names |= self._of_expression(value, function, tree, followed | {name})
                case ast.Call(func=called):
                    names |= self._of_whole(self._called(called, function))
        return names

    def _of_whole(self, function: Callable[..., Any] | None) -> set[str]:
        """The names anywhere in a function: what it returns may be made of all of them."""
        tree = None if function is None or function in self._whole else function_tree(function)
        if function is None or tree is None:
            return set()
        self._whole.add(function)
        return self._of_expression(tree, function, tree, frozenset())

    def _called(self, node: ast.expr, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """The Python function that is called, of the module, a closure or the owner; or null."""
        return _python_function(called_object(node, function, self._owner)[0])


def _subjects(tree: ast.AST) -> Iterator[ast.expr]:
    """What is given as `subject` in any call, or in a dictionary that an Occurrence is made of."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        makes_occurrence = isinstance(node.func, ast.Name) and node.func.id == "Occurrence"
        for keyword in node.keywords:
            if keyword.arg == "subject" or (keyword.arg is None and makes_occurrence):
                yield keyword.value
        if makes_occurrence:
            yield from node.args[_PLACE_OF_SUBJECT : _PLACE_OF_SUBJECT + 1]


def _values_of(tree: ast.AST, name: str) -> Iterator[ast.AST]:
    """What a local name may stand for: all that is bound to it anywhere in the function."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                bound = any(_binds(target, name) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                bound = _binds(target, name)
            case ast.NamedExpr(target=target, value=value):
                bound = _binds(target, name)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                bound = _binds(target, name)
            case ast.Call(args=[*arguments, ast.Lambda(args=ast.arguments(args=parameters))]):
                # The parameter of a function on elements: `each(row.needs, lambda need: …)`.
                value = ast.Tuple(elts=arguments)
                bound = any(parameter.arg == name for parameter in parameters)
            case _:
                continue
        if bound:
            yield value


def _binds(target: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _python_function(function: Any) -> Callable[..., Any] | None:
    if isinstance(function, staticmethod | classmethod):
        function = function.__func__
    unwrapped = inspect.unwrap(function) if callable(function) else function
    return unwrapped if inspect.isfunction(unwrapped) else None
