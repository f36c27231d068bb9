"""Declarations of a translator class that do not fit together are refused."""

from __future__ import annotations

from cutline.errors import ConfigurationError
from cutline.translator.names import SELF
from cutline.translator.rules import CHANGES
from cutline.translator.validation.lookups import refuse_lookups, refuse_unknown_names
from cutline.translator.validation.moves import refuse_moves
from cutline.translator.validation.protocol import DeclaredTranslator
from cutline.translator.validation.views import refuse_views


def refuse_misfits(translator: DeclaredTranslator, where: str) -> None:
    """ConfigurationError for the first declaration that names an unknown part, column or fact."""
    _refuse_duplicate_names(translator, where)
    _refuse_subjects(translator, where)
    refuse_lookups(translator, where)
    refuse_views(translator, where)
    refuse_moves(translator, where)
    for rule in translator.facts:
        label = f"{where}, {rule.kind} {rule.name}"
        translator.context.aggregate_of(rule.event)
        others = [f.name for f in translator.facts if f.name != rule.name]
        refuse_unknown_names(label, "other fact", rule.excludes, others)
        if rule.part is not None:
            refuse_unknown_names(label, "part", [rule.part], translator.parts)
        for column in rule.of:
            refuse_unknown_names(label, "column", [column], _columns(translator))
        if rule.kind == CHANGES and not rule.of:
            raise ConfigurationError(f"{label}: `of` names no column")


def _refuse_duplicate_names(translator: DeclaredTranslator, where: str) -> None:
    names: set[str] = set()
    for rule in translator.row_rules:
        if rule.name in names:
            raise ConfigurationError(f"{where}: two rules are called {rule.name!r}")
        names.add(rule.name)


def _refuse_subjects(translator: DeclaredTranslator, where: str) -> None:
    primary = next(iter(translator.parts.values()))
    for name, part in translator.parts.items():
        label = "subject" if name == SELF else f"part {name}"
        refuse_unknown_names(f"{where}, {label}", "column", part.subject, part.contract.columns())
        if len(part.subject) != len(primary.subject):
            raise ConfigurationError(
                f"{where}: part {name} makes the subject of {len(part.subject)} columns, "
                f"the first part of {len(primary.subject)}"
            )
    owners: dict[tuple[str, str], str] = {}
    for name, part in translator.parts.items():
        table = (part.contract.source(), part.contract.table())
        if owners.setdefault(table, name) != name:
            raise ConfigurationError(
                f"{where}: {'.'.join(table)} is part {owners[table]} and part {name}, but each "
                "source row has one disposition",
                next_step="Let one of them be a lookup.",
            )


def _columns(translator: DeclaredTranslator) -> list[str]:
    return [
        column if part == SELF else f"{part}.{column}"
        for part, declared in translator.parts.items()
        for column in declared.contract.columns()
    ]
