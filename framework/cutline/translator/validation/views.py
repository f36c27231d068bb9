"""Views of commits in a translator: what is refused, and which facts ask what a commit did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cutline.errors import ConfigurationError
from cutline.translator.contract import table_name
from cutline.translator.names import SELF
from cutline.translator.row_reading import read_rows
from cutline.translator.rules import FactRule
from cutline.translator.validation.lookups import known
from cutline.translator.validation.protocol import DeclaredTranslator
from cutline.translator.validation.row_access import named_tables


def refuse_views(translator: DeclaredTranslator, where: str) -> None:
    """ConfigurationError for a view that no commit of a part's source can have changed.

    So for one whose subject is none of the translator's, or that hides a column of the row.
    """
    primary = next(iter(translator.parts.values()))
    sources = {part.contract.source() for part in translator.parts.values()}
    for name, view in translator.views.items():
        label, contract = f"{where}, view {name}", view.contract
        known(label, "column", view.subject, contract.columns())
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


def with_views_asked(translator: DeclaredTranslator, where: str) -> list[FactRule]:
    """The facts, each with the views that its method asks: such a fact is transient.

    ConfigurationError for a rule that may not ask what its commit did.
    """
    for rule in translator.row_rules:
        if asked := _views_asked(translator, rule.method, rows=2 if rule.on_move else 1):
            raise not_for_rows(f"{where}, {rule.kind} {rule.name}", asked)
    facts = []
    for fact in translator.facts:
        asked = _views_asked(translator, fact.method, rows=2 if fact.on_move else 1)
        if asked and fact.per_row:
            raise ConfigurationError(
                f"{where}, {fact.kind} {fact.name}: a fact that is `per_row` cannot ask what its "
                f"commit did ({', '.join(asked)})",
                next_step="Ask it in columns.",
            )
        facts.append(replace(fact, transient=True, of_commit=asked) if asked else fact)
    return facts


def not_for_rows(place: str, asked: tuple[str, ...]) -> ConfigurationError:
    """The error of a row rule that asks what a commit did."""
    return ConfigurationError(
        f"{place}: it asks what its commit did ({', '.join(asked)}), which only facts may",
        next_step="What a row is must not depend on whether a snapshot or a change shows it.",
    )


def _views_asked(
    translator: DeclaredTranslator, method: Callable[..., Any], *, rows: int
) -> tuple[str, ...]:
    """The views that a rule's method asks, as declared, as far as it can be read."""
    paths: set[tuple[str, ...]] = set()
    read_rows(method, translator, paths.add, named_tables(translator), rows)
    return tuple(name for name in translator.views if any(path[0] == name for path in paths))
