"""Calling a translator's methods with the columns of an image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.rules.row import AFTER, WAS, ImageRow, view_of
from cutline.errors import ConfigurationError
from cutline.translator.occurrence import Each, Occurrence
from cutline.translator.rules import HOLDS, FactRule, RowRule
from cutline.translator.translator import Translator


@dataclass(frozen=True)
class ImageMove:
    """A move: two structs, each with the image of every part and lookup."""

    was: Column
    now: Column


def evaluate_fact(
    translator: type[Translator], rule: FactRule, side: str, move: ImageMove | None = None
) -> Occurrence | Each:
    """What the fact's method returns for one side of the image.

    A rule on a move gets `move`; without one, the image after and the last sound image.
    ConfigurationError with the rule's name if the method raises, or returns something else.
    """
    result = _call_method(translator, rule, side, move)
    if not isinstance(result, Occurrence | Each):
        raise ConfigurationError(
            f"{rule_label(translator, rule)} returned {type(result).__name__}; "
            "it must return Occurrence(…) or each(…)"
        )
    if isinstance(result, Each) and rule.kind != HOLDS:
        raise ConfigurationError(f"{rule_label(translator, rule)} returned each(…); only facts may")
    if isinstance(result, Each) and rule.of_commit:
        raise ConfigurationError(
            f"{rule_label(translator, rule)} returned each(…), and asks what its commit did "
            f"({', '.join(rule.of_commit)})",
            next_step="Announce an event of each in a fact of its own.",
        )
    if isinstance(result, Each) and rule.on_move:
        raise ConfigurationError(
            f"{rule_label(translator, rule)} returned each(…), which a rule on a move cannot"
        )
    return _of_commit(result, rule, side, move) if isinstance(result, Occurrence) else result


def _of_commit(
    occurrence: Occurrence, rule: FactRule, side: str, move: ImageMove | None
) -> Occurrence:
    """The occurrence; it holds only where each view that the rule reads has a commit."""
    for view in rule.of_commit:
        has_commit = view_of(side, view, move.now if move else None).isNotNull()
        occurrence = replace(occurrence, when=as_column(occurrence.when) & has_commit)
    return occurrence


def holds(translator: type[Translator], rule: RowRule, side: str = AFTER) -> Column:
    """Whether a row rule's predicate holds for one side of the image; never null."""
    return is_true(evaluate_row_rule(translator, rule, side))


def evaluate_row_rule(
    translator: type[Translator], rule: RowRule, side: str = AFTER, move: ImageMove | None = None
) -> Column:
    """A row rule's predicate as it is written: perhaps null."""
    result = _call_method(translator, rule, side, move)
    if not isinstance(result, Column | bool):
        raise ConfigurationError(
            f"{rule_label(translator, rule)} returned {type(result).__name__}; it must return a "
            "predicate on the row's columns"
        )
    return as_column(result)


def is_true(predicate: Any) -> Column:
    """A predicate that is never null: a null does not hold."""
    return F.coalesce(as_column(predicate), F.lit(False))


def as_column(value: Any) -> Column:
    """A column or a plain value, as a column."""
    return value if isinstance(value, Column) else F.lit(value)


def rule_label(translator: type[Translator], rule: FactRule | RowRule) -> str:
    """The translator and the rule, for people: `translator Orders, fact placed`."""
    return f"translator {translator.__name__}, {rule.kind} {rule.name}"


def _call_method(
    translator: type[Translator], rule: FactRule | RowRule, side: str, move: ImageMove | None = None
) -> Any:
    rows = [ImageRow(translator, side, rule.name, move.now if move else None)]
    if rule.on_move:
        rows.append(ImageRow(translator, WAS, rule.name, move.was if move else None))
    try:
        return rule.method(translator(), *rows)
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(
            f"{rule_label(translator, rule)} raised {type(error).__name__}: {error}",
            next_step="Rules see columns, not values: `row.x == 'A'` makes a column, and `if` "
            "cannot ask one. Use F.when, &, | and ~.",
        ) from error
