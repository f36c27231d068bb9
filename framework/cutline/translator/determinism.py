"""Rules that read the clock or chance in Python are refused: their value differs from run to run.

Non-deterministic Spark expressions are found in the plan. `dt.datetime.now()` is not: the plan has
its value as a literal. So the source of a rule is read, with the functions of its own package that
it calls.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from cutline.errors import ConfigurationError

_RANDOM_MODULES = ("random", "secrets", "uuid", "numpy.random")
"""Modules whose functions, but for `_DETERMINISTIC_FUNCTIONS`, return a new value per call."""
_DETERMINISTIC_FUNCTIONS = ("uuid3", "uuid5", "UUID")
_CLOCK_METHODS = ("now", "utcnow", "today")
"""Class methods of `datetime` and its subclasses that return the current time."""
_TIME_FUNCTIONS = (
    "time",
    "time_ns",
    "localtime",
    "gmtime",
    "ctime",
    "strftime",
    "monotonic",
    "perf_counter",
)


def refuse_nondeterminism(
    method: Callable[..., Any], where: str, owner: type | None = None
) -> None:
    """ConfigurationError, with the call's name, for a function that reads the clock or chance.

    `owner` is the class whose methods it calls by `self`. A function without source is accepted.
    """
    for call in _nondeterministic_calls(inspect.unwrap(method), owner, set()):
        raise ConfigurationError(
            f"{where} calls {call}(), which gives another value each time",
            next_step="The same row must mean the same again tomorrow: take the value from a "
            "column of the row, or write it down as a constant.",
        )


def _nondeterministic_calls(function: Any, owner: type | None, visited: set[Any]) -> Iterator[str]:
    """The non-deterministic calls in the function and in the functions that it calls."""
    if not isinstance(function, FunctionType) or function in visited:
        return
    visited.add(function)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        outside = inspect.getclosurevars(function).nonlocals
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    local_names = function.__code__.co_varnames
    namespace = {
        n: v for n, v in {**function.__globals__, **outside}.items() if n not in local_names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            callee = _resolve(node.func, namespace, owner)
            if _is_nondeterministic(callee):
                yield ast.unparse(node.func)
            elif _package(callee) == _package(function):
                yield from _nondeterministic_calls(inspect.unwrap(callee), owner, visited)


def _resolve(node: ast.expr, namespace: Mapping[str, Any], owner: type | None) -> Any:
    """The object that a dotted name refers to in the function's namespace; null if unknown."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        attribute = inspect.getattr_static(owner, node.attr, None)
        return getattr(attribute, "__func__", attribute)
    holder = _resolve(node.value, namespace, owner)
    if inspect.ismodule(holder) or inspect.isclass(holder):
        return getattr(holder, node.attr, None)
    return None


def _is_nondeterministic(callee: Any) -> bool:
    name, owner = getattr(callee, "__name__", ""), getattr(callee, "__self__", None)
    module = getattr(callee, "__module__", None) or type(owner).__module__
    if inspect.isclass(owner):
        return name in _CLOCK_METHODS and owner.__module__ == "datetime"
    if module == "time":
        return name in _TIME_FUNCTIONS
    if name == "urandom":
        return True
    return module in _RANDOM_MODULES and name not in _DETERMINISTIC_FUNCTIONS


def _package(callee: Any) -> str | None:
    if not callable(callee):
        return None
    return str(getattr(callee, "__module__", None)).partition(".")[0]
