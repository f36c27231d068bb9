"""The source of a rule's method, and the objects that are called there."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any


def function_tree(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """The syntax tree of the function; null if it has no source."""
    try:
        source = textwrap.dedent(inspect.getsource(function))
        (statement,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return statement if isinstance(statement, ast.FunctionDef) else None


def called_object(node: ast.expr, function: Callable[..., Any], owner: object) -> tuple[Any, int]:
    """What is called in a function, and the number of its bound parameters; or null and 0.

    It is a name of the module or closure, an attribute of a module, or by `self` or `cls` an
    attribute of the owner, as it stands in the class.
    """
    match node:
        case ast.Name(id=name):
            return _resolve(name, function), 0
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            return inspect.getattr_static(owner, name, None), 1
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            resolved = _resolve(module, function)
            if inspect.ismodule(resolved):
                return getattr(resolved, name, None), 0
    return None, 0


def _resolve(name: str, function: Callable[..., Any]) -> Any:
    try:
        closure = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return None
    return {**closure.globals, **closure.nonlocals}.get(name)
