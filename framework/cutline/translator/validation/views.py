"""Views of commits in a translator: wrong ones are refused, and the facts that read them marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cutline.errors import ConfigurationError
from cutline.translator.contract import table_name
from cutline.translator.names import SELF
from cutline.translator.row_paths import visit_row_paths
from cutline.translator.rules import FactRule
from cutline.translator.validation.lookups import refuse_unknown_names
from cutline.translator.validation.protocol import DeclaredTranslator
from cutline.translator.validation.row_access import named_tables


def refuse_views(translator: DeclaredTranslator, where: str) -> None:
    """ConfigurationError for a view of another source than the parts'.

    A view whose subject has another number of columns, or that has the name of a column of the row,
    is refused as well.
    """
    primary = next(iter(translator.parts.values()))
    sources = {part.contract.source() for part in translator.parts.values()}
    for name, view in translator.views.items():
        label, contract = f"{where}, view {name}", view.contract
        refuse_unknown_names(label, "column", view.subject, contract.columns())
        if len(view.subject) != len(primary.subject):
            raise ConfigurationError(
                f"{label} makes the subject of {len(view.subject)} columns, the first part of "
                f"{len(primary.subject)}"
            )
        if contract.source() not in sources:
            raise ConfigurationError(
                f"{label} is of {table_name(contract)}, and no part is of source "
                f"{contract.source()}: no commit can change both",
                next_step=f"The parts are of: {', '.join(sorted(sources))}. Look such a table up.",
            )
        if SELF in translator.parts and name in primary.contract.columns():
            raise ConfigurationError(f"{label} hides the column of the same name")


def facts_with_views(translator: DeclaredTranslator, where: str) -> list[FactRule]:
    """The facts, each with the views that its method reads; a fact with views is transient.

    ConfigurationError for a rule that may not read a view.
    """
    for rule in translator.row_rules:
        if views := _views_read(translator, rule.method, rows=2 if rule.on_move else 1):
            raise view_in_row_rule_error(f"{where}, {rule.kind} {rule.name}", views)
    facts = []
    for fact in translator.facts:
        views = _views_read(translator, fact.method, rows=2 if fact.on_move else 1)
        if views and fact.per_row:
            raise ConfigurationError(
                f"{where}, {fact.kind} {fact.name}: a fact that is `per_row` cannot ask what its "
                f"commit did ({', '.join(views)})",
                next_step="Ask it in columns.",
            )
        facts.append(replace(fact, transient=True, of_commit=views) if views else fact)
    return facts


def view_in_row_rule_error(place: str, views: tuple[str, ...]) -> ConfigurationError:
    """The error for a row rule that reads a view of its commit."""
    return ConfigurationError(
        f"{place}: it asks what its commit did ({', '.join(views)}), which only facts may",
        next_step="What a row is must not depend on whether a snapshot or a change shows it.",
    )


def _views_read(
    translator: DeclaredTranslator, method: Callable[..., Any], *, rows: int
) -> tuple[str, ...]:
    """The views that a rule's method reads, in the order of declaration."""
    paths: set[tuple[str, ...]] = set()
    visit_row_paths(method, translator, paths.add, named_tables(translator), rows)
    return tuple(name for name in translator.views if any(path[0] == name for path in paths))
