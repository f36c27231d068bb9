"""Python source as the formatter would leave it: texts, docstrings, calls."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 100


def text(value: str) -> str:
    """A Python literal of a text, whatever is in it; nothing in it can steer a terminal."""
    quote = "'" if value.count('"') > value.count("'") else '"'
    return quote + "".join(_escaped(c, quote) for c in value) + quote


def sentence(value: str) -> str:
    """A text from data as it may stand in a docstring or comment: one line, without ends."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)
    return shown.replace("\\", "\\\\").replace('"""', "'''").replace('"', "'")


def docstring(value: str, indent: int) -> str:
    """A docstring's lines, indented, its first line a sentence; the text must be a `sentence`."""
    blank = " " * indent
    one = f'{blank}"""{value}"""'
    if len(one) <= WIDTH:
        return one
    first, _, rest = value.partition(". ")
    if not rest:
        first, rest = "To be described.", value
    else:
        first += "."
    lines = [blank + line if line else "" for line in textwrap.wrap(rest, WIDTH - indent)]
    head = textwrap.wrap(first, WIDTH - indent - 3)
    return "\n".join(
        [f'{blank}"""{head[0]}', *(blank + line for line in head[1:]), "", *lines, f'{blank}"""']
    )


def comment(value: str, indent: int) -> str:
    """A comment's lines, indented; the text must hold no line ends."""
    lines = textwrap.wrap(value, WIDTH - indent - 2, break_long_words=False)
    return "\n".join(f"{' ' * indent}# {line}" for line in lines)


def call(head: str, arguments: Sequence[str | tuple[str, Sequence[str]]], indent: int) -> str:
    """`head(arguments)`, laid out in at most 100 columns where it can be.

    An argument is its source, or `name=` and the items of a list.
    """
    blank = " " * indent
    flat = [a if isinstance(a, str) else f"{a[0]}[{', '.join(a[1])}]" for a in arguments]
    one = f"{blank}{head}({', '.join(flat)})"
    if len(one) <= WIDTH:
        return one
    inner = f"{blank}    {', '.join(flat)}"
    if len(inner) <= WIDTH:
        return f"{blank}{head}(\n{inner}\n{blank})"
    lines = [
        line
        for told, argument in zip(flat, arguments, strict=True)
        for line in _lines(told, argument, indent + 4)
    ]
    return "\n".join([f"{blank}{head}(", *lines, f"{blank})"])


def imported(module: str, names: Iterable[str]) -> str:
    """`from module import names`: constants first, then classes, then functions."""
    ordered = in_order(names)
    one = f"from {module} import {', '.join(ordered)}"
    if len(one) <= WIDTH:
        return one
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in ordered), ")"])


def in_order(names: Iterable[str]) -> list[str]:
    """Names as import sorters order them."""
    return sorted(set(names), key=lambda n: (not (n.isupper() and len(n) > 1), n[:1].islower(), n))


def several(head: str, items: Sequence[str], indent: int, brackets: str = "()") -> str:
    """`head(items),` with a comma that makes one item a tuple; an item per line if too long."""
    blank, first, last = " " * indent, brackets[0], brackets[1]
    comma = "," if len(items) == 1 and brackets == "()" else ""
    one = f"{blank}{head}{first}{', '.join(items)}{comma}{last},"
    if len(one) <= WIDTH:
        return one
    return "\n".join(
        [f"{blank}{head}{first}", *(f"{blank}    {i}," for i in items), f"{blank}{last},"]
    )


def _lines(told: str, argument: str | tuple[str, Sequence[str]], indent: int) -> list[str]:
    blank = " " * indent
    if isinstance(argument, str) or len(blank + told) < WIDTH:
        return [f"{blank}{told},"]
    name, items = argument
    return [f"{blank}{name}[", *(f"{blank}    {item}," for item in items), f"{blank}],"]


def _escaped(c: str, quote: str) -> str:
    if c in ("\\", quote):
        return "\\" + c
    if c.isprintable():
        return c
    return c.encode("unicode_escape", "surrogatepass").decode()
