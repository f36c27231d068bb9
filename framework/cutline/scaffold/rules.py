"""To-do rules: one per status value, whose meaning the team must decide."""

from __future__ import annotations

import keyword
from dataclasses import dataclass

from cutline.profile import Statuses, StatusValue, TableProfile
from cutline.scaffold.names import attribute_name, kebab_case, unique_name
from cutline.scaffold.source_text import docstring, printable_text, text_literal
from cutline.translator.translator import Translator


@dataclass(frozen=True)
class StatusRule:
    """A to-do rule: name, method, sources of predicate and docstring, and literal of the value."""

    rule: str
    method: str
    predicate: str
    docstring: str
    literal: str

    @property
    def unmapped(self) -> str:
        """The name of the rule in dispositions and reports, where it quarantines the rows."""
        return f"unmapped:{self.rule}"


def status_rules(profile: TableProfile, status: Statuses) -> list[StatusRule]:
    """One rule per value of the status column, the most frequent value first; null is a value."""
    column = profile.column(status.column)
    assert column is not None
    rules: dict[str, StatusRule] = {}
    names: set[str] = set()
    methods = {n for n in dir(Translator) if not n.startswith("__")} | set(
        Translator.__annotations__
    )
    for number, value in enumerate(_distinct_values(status, column.type), 1):
        slug = _slug(value.value, number)
        rule = unique_name(f"{kebab_case(status.column) or 'status'}-{slug}", names, "-")
        method = attribute_name(rule, "status", methods)
        names.add(rule)
        methods.add(method)
        literal = _literal(value.value, column.type)
        rules[rule] = StatusRule(
            rule,
            method,
            _predicate(status.column, literal),
            docstring(_profiled_text(status, value), 8),
            literal,
        )
    return list(rules.values())


def column_access(name: str) -> str:
    """The source by which a rule reads a column of `row`, whatever its name.

    >>> column_access("status"), column_access("Order No.")
    ('row.status', 'getattr(row, "Order No.")')
    """
    plain = name.isidentifier() and not keyword.iskeyword(name) and name.isascii()
    return f"row.{name}" if plain else f"getattr(row, {text_literal(name)})"


def _distinct_values(status: Statuses, kind: str) -> list[StatusValue]:
    """One value per literal: of several spellings of a boolean, the most frequent."""
    by_literal: dict[str, StatusValue] = {}
    for value in status.values:
        by_literal.setdefault(_literal(value.value, kind), value)
    return list(by_literal.values())


def _slug(value: str | None, number: int) -> str:
    if value is None:
        return "null"
    if not value.strip():
        return "empty"
    return kebab_case(value)[:40].strip("-") or f"value-{number}"


def _literal(value: str | None, kind: str) -> str:
    if value is None:
        return "None"
    if kind == "string":
        return text_literal(value)
    return value.capitalize() if kind == "boolean" else value


def _predicate(column: str, literal: str) -> str:
    access = column_access(column)
    return {"None": f"{access}.isNull()", "True": access, "False": f"~{access}"}.get(
        literal, f"{access} == {literal}"
    )


def _profiled_text(status: Statuses, value: StatusValue) -> str:
    """The docstring of a rule: rows of the value, and time columns always, sometimes, never set."""
    shown = "no value" if value.value is None else f"'{value.value}'"
    never = [t.column for t in value.times if not t.rows]
    sometimes = [f"{t.column} ({t.rows:,})" for t in value.times if 0 < t.rows < value.rows]
    times = [
        f"{word} {', '.join(columns)}"
        for word, columns in (
            ("always set:", value.always),
            ("sometimes:", sometimes),
            ("never:", never),
        )
        if columns
    ]
    rows = f"Seen in {value.rows:,} rows" + (f"; {'; '.join(times)}" if times else "")
    return printable_text(f"Nobody has decided what {status.column} {shown} means. {rows}.")
