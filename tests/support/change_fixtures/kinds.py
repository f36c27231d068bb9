"""What a fixture is: a file, one table of it, and the rows that stand there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.paths import SHARED

REAL = SHARED / "data" / "cdc"

Image = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One change as the file tells it: an image holds the columns that stand there, and no others.

    `key` is the canonical text, for a row whose images do not tell it. `defects` are those that
    do not follow from columns that are missing; `unknown` the columns that an update leaves open.
    """

    op: str
    before: Image | None
    after: Image | None
    key: str | None = None
    defects: tuple[str, ...] = ()
    unknown: tuple[str, ...] | None = None
    when: str | None = None
    transaction: str | None = None


def created(row: Image | None = None, /, **more: Any) -> Row:
    """A row that was inserted."""
    return Row("c", None, {**(row or {}), **more})


def read(row: Image | None = None, /, **more: Any) -> Row:
    """A row of the connector's own snapshot."""
    return Row("r", None, {**(row or {}), **more})


def deleted(row: Image | None = None, /, **more: Any) -> Row:
    """A row that was deleted, with what it held."""
    return Row("d", {**(row or {}), **more}, None)


def updated(before: Image | None, after: Image) -> Row:
    """A row that was changed."""
    return Row("u", before, after)


@dataclass(frozen=True)
class Fixture:
    """The rows of one table of a file, in the file's order.

    `columns` are the contract's, by name with their type; several fixtures of a table may share
    them, though one of them lacks some. `schema` is the database or schema that the records name.
    `when` and `transaction` are those of every row that does not tell its own, and `defects` what
    each row has. `copy` makes what is read of the file's text, where the file itself must be
    refused. `options` are those of the section in cutline.yaml.
    """

    path: str
    table: str
    schema: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    rows: tuple[Row, ...]
    when: str | None = None
    transaction: str | None = None
    defects: tuple[str, ...] = ()
    copy: Callable[[str], str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Refusal:
    """A file at which a run must stop: at which line, if at one, and which words its message has."""

    path: str
    table: str
    line: int | None
    words: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


def without(*marks: str) -> Callable[[str], str]:
    """A copy of a file without the lines that hold one of the marks."""

    def drop_lines(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(line for line in lines if not any(mark in line for mark in marks))

    return drop_lines
