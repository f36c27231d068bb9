"""What stands for a Python function's meaning: its code, and that of the functions it calls."""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any


def code_digest(function: FunctionType) -> str:
    """32 hexadecimal digits that change when the code does; its name and comments do not count.

    Followed are the functions and plain values that the code names, within the same top-level
    package or script; of other packages only the name counts, as their versions are pinned.
    """
    told = "\n".join(_told(function, set()))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _told(function: FunctionType, seen: set[Any]) -> Iterator[str]:
    if function in seen:
        return
    seen.add(function)
    yield _code(function)
    yield repr((function.__defaults__, function.__kwdefaults__))
    closure = inspect.getclosurevars(function)
    for name, value in sorted({**closure.globals, **closure.nonlocals}.items()):
        if inspect.isfunction(value) and _package(value) == _package(function):
            yield f"{name}:"
            yield from _told(value, seen)
        else:
            yield f"{name}={_value(value)}"


def _code(function: FunctionType) -> str:
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return _bytecode(function.__code__)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(_itself(tree))


def _bytecode(code: CodeType) -> str:
    """For code that was made without a file: it holds for one version of Python."""
    consts = [_bytecode(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {consts}"


def _itself(tree: ast.Module) -> ast.AST:
    """A function without its own name; a lambda without the statement that it stands in."""
    (first, *more) = tree.body
    if isinstance(first, ast.FunctionDef) and not more:
        first.name = "_"
        return first
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return lambdas[0] if len(lambdas) == 1 else tree


def _value(value: Any) -> str:
    """A plain value as it is; of anything else its name, which no address is in."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if name is not None:
        return f"{getattr(value, '__module__', '')}.{name}"
    if isinstance(value, set | frozenset):
        return repr(sorted(value, key=repr))
    text = repr(value)
    return type(value).__qualname__ if " at 0x" in text else text


def _package(function: FunctionType) -> str:
    return str(getattr(function, "__module__", "")).partition(".")[0]
