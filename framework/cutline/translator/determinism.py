"""Python that says something else tomorrow: the clock and chance, asked by a rule itself.

What Spark would compute is looked at in its plan. `dt.datetime.now()` leaves no trace there: its
value stands in the plan as if somebody had written it down. So the code is read, with the functions
of its own package that it names.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from cutline.errors import ConfigurationError

_CHANCE = ("random", "secrets", "uuid", "numpy.random")
"""Modules of which every function but those of `_SAME` gives another value each time."""
_SAME = ("uuid3", "uuid5", "UUID")
_CLOCK = ("now", "utcnow", "today")
"""What the classes of `datetime`, and those made of them, are asked for the time by."""
_TIME = ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime", "monotonic", "perf_counter")


def refuse_chance(method: Callable[..., Any], where: str, owner: type | None = None) -> None:
    """ConfigurationError for a function that asks the clock or chance, naming it and the call.

    `owner` is the class whose methods it calls by `self`. Without a source nothing is refused.
    """
    for call in _asked(inspect.unwrap(method), owner, set()):
        raise ConfigurationError(
            f"{where} calls {call}(), which gives another value each time",
            next_step="The same row must mean the same again tomorrow: take the value from a "
            "column of the row, or write it down as a constant.",
        )


def _asked(function: Any, owner: type | None, seen: set[Any]) -> Iterator[str]:
    """The calls of the function, and of those that it names, that are never twice the same."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        outside = inspect.getclosurevars(function).nonlocals
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    own = function.__code__.co_varnames
    known = {n: v for n, v in {**function.__globals__, **outside}.items() if n not in own}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found = _meant(node.func, known, owner)
            if _is_chance(found):
                yield ast.unparse(node.func)
            elif _package(found) == _package(function):
                yield from _asked(inspect.unwrap(found), owner, seen)


def _meant(node: ast.expr, known: Mapping[str, Any], owner: type | None) -> Any:
    """What a dotted name stands for where the function was written; None where that is unknown."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        found = inspect.getattr_static(owner, node.attr, None)
        return getattr(found, "__func__", found)
    holder = _meant(node.value, known, owner)
    if inspect.ismodule(holder) or inspect.isclass(holder):
        return getattr(holder, node.attr, None)
    return None


def _is_chance(found: Any) -> bool:
    name, owner = getattr(found, "__name__", ""), getattr(found, "__self__", None)
    module = getattr(found, "__module__", None) or type(owner).__module__
    if inspect.isclass(owner):
        return name in _CLOCK and owner.__module__ == "datetime"
    if module == "time":
        return name in _TIME
    if name == "urandom":
        return True
    return module in _CHANCE and name not in _SAME


def _package(found: Any) -> str | None:
    if not callable(found):
        return None
    return str(getattr(found, "__module__", None)).partition(".")[0]
