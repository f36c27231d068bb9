"""Results in notebooks: HTML in which every value is escaped, and lists as tables."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from cutline.secrets import document_as_written
from cutline.wording import printable, printable_lines


class Listable(Protocol):
    """A result that is a row of a list."""

    def as_json(self) -> dict[str, Any]:
        """Its values by name, in the order of columns."""


Entry = TypeVar("Entry", bound=Listable)


class ResultList(tuple[Entry, ...]):
    """Results of one kind in order; a table in notebooks, one row per result."""

    __slots__ = ()

    @document_as_written
    def as_json(self) -> list[dict[str, Any]]:
        """What the command line prints with `--json`."""
        return [entry.as_json() for entry in self]

    def __repr__(self) -> str:
        return "[" + ",\n ".join(map(repr, self)) + "]"

    def _repr_html_(self) -> str:
        rows = self.as_json()
        if not rows:
            return paragraph("none")
        return table(list(rows[0]), [list(row.values()) for row in rows])


def section(title: str, *parts: str) -> str:
    """A title with its parts below; `parts` are HTML, and empty ones are left out."""
    return f"<div><p><b>{text(title)}</b></p>{''.join(parts)}</div>"


def paragraph(words: str) -> str:
    """Text as a paragraph."""
    return f"<p>{text(words)}</p>"


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows under their names; null is shown as `null`."""
    head = "".join(f"<th>{text(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{text(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def preformatted(words: str) -> str:
    """Text with its lines as they are."""
    return f"<pre>{html.escape(printable_lines(words))}</pre>"


def pairs(values: Mapping[str, Any]) -> str:
    """A table with a name and a value in each row."""
    return table(("name", "value"), list(values.items()))


def link(address: str) -> str:
    """A link to a file of this machine or of a lake elsewhere, shown as it is written.

    In both `#`, `?` and `%` are letters of a name.
    """
    shown = printable(address)
    scheme, path = shown.split("://", 1) if _has_scheme(shown) else ("file", shown)
    target = f"{scheme}://{quote(path, safe='/:@')}"
    return f'<p><a href="{html.escape(target)}">{text(address)}</a></p>'


def _has_scheme(address: str) -> bool:
    return "://" in address and not address.startswith("/")


def text(value: Any) -> str:
    """A value as text in HTML: escaped, on one line, secrets as cutline.yaml writes them."""
    if isinstance(value, float):
        value = f"{value:,.3f}"
    elif isinstance(value, int) and not isinstance(value, bool):
        value = f"{value:,}"
    elif isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    elif isinstance(value, Mapping):
        value = ", ".join(f"{name}: {inner}" for name, inner in value.items())
    return html.escape(printable(value))
