"""What is refused when a translator class is defined: declarations that do not fit together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.names import SELF

if TYPE_CHECKING:
    from cutline.translator.translator import Translator


def refuse_misfits(translator: type[Translator], where: str) -> None:
    """ConfigurationError for the first thing that names what is not there."""
    _refuse_twins(translator, where)
    _refuse_subjects(translator, where)
    for rule in translator.facts:
        told = f"{where}, {rule.kind} {rule.name}"
        translator.context.aggregate_of(rule.event)
        _known(told, "fact", rule.excludes, (f.name for f in translator.facts))
        if rule.part is not None:
            _known(told, "part", [rule.part], translator.parts)
        for column in rule.of:
            _known(told, "column", [column], _columns(translator))
        if rule.kind == "changed" and not rule.of:
            raise ConfigurationError(f"{told}: `of` names no column")


def _refuse_twins(translator: type[Translator], where: str) -> None:
    seen: set[str] = set()
    for rule in translator.row_rules:
        if rule.name in seen:
            raise ConfigurationError(f"{where}: two rules are called {rule.name!r}")
        seen.add(rule.name)


def _refuse_subjects(translator: type[Translator], where: str) -> None:
    primary = next(iter(translator.parts.values()))
    for name, part in translator.parts.items():
        label = "subject" if name == SELF else f"part {name}"
        _known(f"{where}, {label}", "column", part.subject, part.contract.columns())
        if len(part.subject) != len(primary.subject):
            raise ConfigurationError(
                f"{where}: part {name} makes the subject of {len(part.subject)} columns, "
                f"the first part of {len(primary.subject)}"
            )
    for name, lookup in translator.lookups.items():
        on = (*lookup.on, *([lookup.as_of] if lookup.as_of else []))
        _known(f"{where}, lookup {name}", "column", on, primary.contract.columns())


def _columns(translator: type[Translator]) -> list[str]:
    return [
        column if part == SELF else f"{part}.{column}"
        for part, declared in translator.parts.items()
        for column in declared.contract.columns()
    ]


def _known(where: str, what: str, names: Iterable[str], known: Iterable[str]) -> None:
    there = list(known)
    for name in names:
        if name not in there:
            raise ConfigurationError(
                f"{where}: there is no {what} {name!r}.{did_you_mean(name, there)}",
                next_step=f"There is: {', '.join(there)}.",
            )
