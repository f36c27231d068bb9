"""One rule per status value, each a to-do: what the value means is for the team to say."""

from __future__ import annotations

import keyword
from dataclasses import dataclass

from cutline.profile import Statuses, StatusValue, TableProfile
from cutline.scaffold.names import attribute, kebab, unique
from cutline.scaffold.source_text import docstring, sentence, text
from cutline.translator.translator import Translator


@dataclass(frozen=True)
class StatusRule:
    """A to-do: its name, its method, the predicate's source, and a literal of its value."""

    rule: str
    method: str
    predicate: str
    docstring: str
    literal: str

    @property
    def unmapped(self) -> str:
        """The rule that quarantines the rows, as reports show it."""
        return f"unmapped:{self.rule}"


def status_rules(profile: TableProfile, status: Statuses) -> list[StatusRule]:
    """A rule per value of the status column, the most frequent value first."""
    column = profile.column(status.column)
    assert column is not None
    rules: dict[str, StatusRule] = {}
    names: set[str] = set()
    methods = {n for n in dir(Translator) if not n.startswith("__")} | set(
        Translator.__annotations__
    )
    for number, value in enumerate(_merged(status, column.type), 1):
        slug = _slug(value.value, number)
        rule = unique(f"{kebab(status.column) or 'status'}-{slug}", names, "-")
        method = attribute(rule, "status", methods)
        names.add(rule)
        methods.add(method)
        literal = _literal(value.value, column.type)
        rules[rule] = StatusRule(
            rule,
            method,
            _predicate(status.column, literal),
            docstring(_told(status, value), 8),
            literal,
        )
    return list(rules.values())


def row_column(name: str) -> str:
    """How a rule sees a column, whatever it is called."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and name.isascii()
    return f"row.{name}" if plain else f"getattr(row, {text(name)})"


def _merged(status: Statuses, kind: str) -> list[StatusValue]:
    """The values; of texts that spell one boolean, the most frequent stands for all."""
    seen: dict[str, StatusValue] = {}
    for value in status.values:
        seen.setdefault(_literal(value.value, kind), value)
    return list(seen.values())


def _slug(value: str | None, number: int) -> str:
    if value is None:
        return "null"
    if not value.strip():
        return "empty"
    return kebab(value)[:40].strip("-") or f"value-{number}"


def _literal(value: str | None, kind: str) -> str:
    if value is None:
        return "None"
    if kind == "string":
        return text(value)
    return value.capitalize() if kind == "boolean" else value


def _predicate(column: str, literal: str) -> str:
    seen = row_column(column)
    return {"None": f"{seen}.isNull()", "True": seen, "False": f"~{seen}"}.get(
        literal, f"{seen} == {literal}"
    )


def _told(status: Statuses, value: StatusValue) -> str:
    """What the profile saw of a value, as the reason that people read."""
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
    seen = f"Seen in {value.rows:,} rows" + (f"; {'; '.join(times)}" if times else "")
    return sentence(f"Nobody has decided what {status.column} {shown} means. {seen}.")
