"""Python source in the formatter's layout: literals, docstrings, comments, calls, imports."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 100


def text_literal(value: str) -> str:
    """A Python literal of any text, with control characters and other unprintable ones escaped.

    >>> print(text_literal('a "b" c'))
    'a "b" c'
    """
    quote = "'" if value.count('"') > value.count("'") else '"'
    return quote + "".join(_escape(c, quote) for c in value) + quote


def printable_text(value: str) -> str:
    """A text from data for docstrings and comments: one printable line that closes no docstring."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)
    return shown.replace("\\", "\\\\").replace('"""', "'''").replace('"', "'")


def docstring(value: str, indent: int) -> str:
    """The lines of a docstring: a first sentence and, where it is long, wrapped paragraphs.

    `value` must be a `printable_text`; `indent` is a number of spaces.
    """
    blank = " " * indent
    one_line = f'{blank}"""{value}"""'
    if len(one_line) <= WIDTH:
        return one_line
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
    """The lines of a comment; the text must be one line, `indent` is a number of spaces."""
    lines = textwrap.wrap(value, WIDTH - indent - 2, break_long_words=False)
    return "\n".join(f"{' ' * indent}# {line}" for line in lines)


def call(head: str, arguments: Sequence[str | tuple[str, Sequence[str]]], indent: int) -> str:
    """A call `head(arguments)`, in lines of at most 100 columns where that is possible.

    An argument is its source, or a pair of `name=` and the sources of a list's items.
    """
    blank = " " * indent
    flat = [a if isinstance(a, str) else f"{a[0]}[{', '.join(a[1])}]" for a in arguments]
    one_line = f"{blank}{head}({', '.join(flat)})"
    if len(one_line) <= WIDTH:
        return one_line
    inner = f"{blank}    {', '.join(flat)}"
    if len(inner) <= WIDTH:
        return f"{blank}{head}(\n{inner}\n{blank})"
    lines = [
        line
        for source, argument in zip(flat, arguments, strict=True)
        for line in _argument_lines(source, argument, indent + 4)
    ]
    return "\n".join([f"{blank}{head}(", *lines, f"{blank})"])


def import_statement(module: str, names: Iterable[str]) -> str:
    """`from module import names`, sorted as by `sorted_names`, with a line per name if too long."""
    ordered = sorted_names(names)
    one_line = f"from {module} import {', '.join(ordered)}"
    if len(one_line) <= WIDTH:
        return one_line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in ordered), ")"])


def sorted_names(names: Iterable[str]) -> list[str]:
    """Names in the order of import sorters: constants, then classes, then functions.

    >>> sorted_names(["table", "Order", "MAJOR", "Order"])
    ['MAJOR', 'Order', 'table']
    """
    return sorted(set(names), key=lambda n: (not (n.isupper() and len(n) > 1), n[:1].islower(), n))


def collection(head: str, items: Sequence[str], indent: int, brackets: str = "()") -> str:
    """An argument `head(items),` that is a collection, with an item per line if it is too long.

    >>> collection("events=", ["Placed"], 4)
    '    events=(Placed,),'
    """
    blank, first, last = " " * indent, brackets[0], brackets[1]
    comma = "," if len(items) == 1 and brackets == "()" else ""
    one_line = f"{blank}{head}{first}{', '.join(items)}{comma}{last},"
    if len(one_line) <= WIDTH:
        return one_line
    return "\n".join(
        [f"{blank}{head}{first}", *(f"{blank}    {i}," for i in items), f"{blank}{last},"]
    )


def _argument_lines(
    source: str, argument: str | tuple[str, Sequence[str]], indent: int
) -> list[str]:
    """The lines of one argument, whose source on one line is `source`."""
    blank = " " * indent
    if isinstance(argument, str) or len(blank + source) < WIDTH:
        return [f"{blank}{source},"]
    name, items = argument
    return [f"{blank}{name}[", *(f"{blank}    {item}," for item in items), f"{blank}],"]


def _escape(c: str, quote: str) -> str:
    if c in ("\\", quote):
        return "\\" + c
    if c.isprintable():
        return c
    return c.encode("unicode_escape", "surrogatepass").decode()
