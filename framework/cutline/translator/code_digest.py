"""A digest of a Python function's meaning: its code, and that of the functions it calls."""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any


def code_digest(function: FunctionType) -> str:
    """32 hexadecimal digits of the function's code, without its own name and its comments.

    Functions of the same top-level package, or script, that the code names are part of the digest,
    and so are plain values. Objects of other packages count by name, as their versions are pinned.
    """
    text = "\n".join(_code_lines(function, set()))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _code_lines(function: FunctionType, visited: set[Any]) -> Iterator[str]:
    if function in visited:
        return
    visited.add(function)
    yield _source_text(function)
    yield repr((function.__defaults__, function.__kwdefaults__))
    closure = inspect.getclosurevars(function)
    for name, value in sorted({**closure.globals, **closure.nonlocals}.items()):
        if inspect.isfunction(value) and _package(value) == _package(function):
            yield f"{name}:"
            yield from _code_lines(value, visited)
        else:
            yield f"{name}={_value(value)}"


def _source_text(function: FunctionType) -> str:
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
    return ast.unparse(_without_its_name(tree))


def _bytecode(code: CodeType) -> str:
    """The digest's text for code without a source file; the same within one version of Python."""
    consts = [_bytecode(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {consts}"


def _without_its_name(tree: ast.Module) -> ast.AST:
    """A function without its own name; a lambda without the statement around it."""
    (first, *more) = tree.body
    if isinstance(first, ast.FunctionDef) and not more:
        first.name = "_"
        return first
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return lambdas[0] if len(lambdas) == 1 else tree


def _value(value: Any) -> str:
    """The text of a plain value; for other objects their qualified name, never an address."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if name is not None:
        return f"{getattr(value, '__module__', '')}.{name}"
    if isinstance(value, set | frozenset):
        return repr(sorted(value, key=repr))
    text = repr(value)
    return type(value).__qualname__ if " at 0x" in text else text


def _package(function: FunctionType) -> str:
    return str(getattr(function, "__module__", "")).partition(".")[0]
