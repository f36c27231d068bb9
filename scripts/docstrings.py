"""What a package exports, with signatures and docstrings as a page shows them."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_WIDTH = 88
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


@dataclass(frozen=True)
class Exported:
    """One exported name: how it is written, its signature, its docstring, its public members."""

    name: str
    title: str
    signature: str
    doc: str
    members: tuple[tuple[str, str], ...] = ()


def exported(package: str) -> Iterator[Exported]:
    """Everything in a package's `__all__`; ValueError for what has no docstring of its own."""
    module = importlib.import_module(package)
    homes = _homes(package)
    for name in module.__all__:
        value = getattr(module, name)
        made = _described(name, value, homes[name])
        if not made.doc:
            raise ValueError(f"{package}.{name} has no docstring")
        yield made


def _described(name: str, value: Any, home: str) -> Exported:
    if inspect.isclass(value):
        return Exported(name, name, _class(value), _own_doc(value), tuple(_members(value)))
    if inspect.isfunction(value):
        mark = "@" if _is_decorator(value) else ""
        signature = inspect.signature(value)
        if mark:
            signature = signature.replace(return_annotation=inspect.Signature.empty)
        return Exported(name, mark + name, _written(mark + name, signature), _own_doc(value))
    doc = _after_assignment(home).get(name, "")
    return Exported(name, name, f"{name} = {_repr(value)}", doc)


def _is_decorator(function: Any) -> bool:
    """Whether it gives back the method it is put on, or a function that does."""
    signature = inspect.signature(function)
    takes_method = next(iter(signature.parameters), "") == "method"
    return takes_method or str(signature.return_annotation).startswith("Callable[[Method]")


def _class(cls: type) -> str:
    if dataclasses.is_dataclass(cls):
        made = {f.name: f.default_factory for f in dataclasses.fields(cls)}
        signature = inspect.signature(cls)
        parameters = [
            p if made[name] is dataclasses.MISSING else p.replace(default=_made(made[name]))
            for name, p in signature.parameters.items()
        ]
        signature = signature.replace(
            parameters=parameters, return_annotation=inspect.Signature.empty
        )
        return _written(cls.__name__, signature)
    lines = [f"class {cls.__name__}:"]
    for name, kind in inspect.get_annotations(cls).items():
        if not name.startswith("_"):
            told = re.sub(r"^ClassVar\[(.*)\]$", r"\1", str(kind))
            given = f" = {_repr(getattr(cls, name))}" if hasattr(cls, name) else ""
            lines.append(f"    {name}: {told}{given}")
    return "\n".join(lines) if len(lines) > 1 else f"class {cls.__name__}: ..."


def _made(factory: Any) -> Any:
    return factory()


def _written(name: str, signature: inspect.Signature) -> str:
    """A signature on one line, or with a line for each parameter."""
    parts: list[str] = []
    star = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            star = True
            if not any(p.startswith("*") for p in parts):
                parts.append("*")
        parts.append(_parameter(parameter))
    back = signature.return_annotation
    arrow = "" if back is inspect.Signature.empty else f" -> {back}"
    line = f"{name}({', '.join(parts)}){arrow}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){arrow}"])


def _parameter(parameter: inspect.Parameter) -> str:
    stars = _STARS.get(parameter.kind, "")
    kind = parameter.annotation
    told = "" if kind is inspect.Parameter.empty else f": {kind}"
    default = parameter.default
    given = "" if default is inspect.Parameter.empty else f" = {_repr(default)}"
    return f"{stars}{parameter.name}{told}{given}"


def _repr(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"{type(value).__name__}()" if dataclasses.is_dataclass(value) else repr(value)


def _own_doc(value: Any) -> str:
    """The docstring, unless it is inherited or made by `dataclass`."""
    doc = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
    if not doc or doc.startswith(f"{value.__name__}("):
        return ""
    return inspect.cleandoc(doc)


def _members(cls: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties of the class itself: how they are called, and what they are."""
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        called = name if isinstance(member, property) else f"{name}{_arguments(function)}"
        yield called, " ".join(function.__doc__.split("\n\n")[0].split())


def _arguments(function: Any) -> str:
    names = list(inspect.signature(function).parameters)[1:]
    return f"({', '.join(names)})"


def _homes(package: str) -> dict[str, str]:
    """The module that each name of a package's `__init__` comes from."""
    module = importlib.import_module(package)
    tree = ast.parse(inspect.getsource(module))
    return {
        alias.asname or alias.name: str(node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _after_assignment(module: str) -> dict[str, str]:
    """The text below each assignment of a module: what documents a constant."""
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    found: dict[str, str] = {}
    for statement, following in pairwise(body):
        if isinstance(statement, ast.Assign) and _is_text(following):
            doc = inspect.cleandoc(following.value.value)  # type: ignore[attr-defined]
            for node in ast.walk(statement.targets[0]):
                if isinstance(node, ast.Name):
                    found[node.id] = doc
    return found


def _is_text(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(getattr(value, "value", None), str)
