"""Rules on moves that ask for what they may not are refused when a translator is defined."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.errors import ConfigurationError
from cutline.translator.rules import (
    AMBIGUOUS,
    HOLDS,
    REJECT,
    UNDERSTOOD,
    FactRule,
    RowRule,
    is_on_move,
)
from cutline.translator.validation.protocol import DeclaredTranslator

_ALLOWED = "only @fact, @reject, @ambiguous and @understood may ask where a row came from"


def refuse_moves(translator: DeclaredTranslator, where: str) -> None:
    """ConfigurationError for the first rule that is on a move and may not be, or the reverse."""
    for fact in translator.facts:
        _refuse_fact(fact, translator.facts, f"{where}, {fact.kind} {fact.name}")
    for rule in translator.row_rules:
        _refuse_row_rule(rule, f"{where}, {rule.kind} {rule.name}")


def _refuse_fact(rule: FactRule, facts: Sequence[FactRule], place: str) -> None:
    if rule.kind != HOLDS and is_on_move(rule.method):
        raise ConfigurationError(f"{place}: its method has a third parameter, but {_ALLOWED}")
    if rule.on_move and (rule.per_row or rule.excludes):
        option = "per_row" if rule.per_row else "excludes"
        raise ConfigurationError(f"{place}: a rule on a move cannot say `{option}`")
    for excluded in (fact for fact in facts if fact.on_move and fact.name in rule.excludes):
        raise ConfigurationError(f"{place}: it excludes {excluded.name}, which is a rule on a move")
    if rule.opening and rule.kind == HOLDS and not rule.on_move:
        raise ConfigurationError(
            f"{place}: `opening` is for rules on moves, and its method asks of none",
            next_step="Leave it out: a fact that holds of a row is announced from a snapshot "
            "anyway. A rule on a move has a third parameter: def method(self, row, was).",
        )


def _refuse_row_rule(rule: RowRule, place: str) -> None:
    if rule.on_move and rule.kind not in (REJECT, AMBIGUOUS, UNDERSTOOD):
        raise ConfigurationError(f"{place}: its method has a third parameter, but {_ALLOWED}")
    if rule.opening and not rule.on_move:
        raise ConfigurationError(
            f"{place}: `opening` is for rules on moves, and its method asks of none",
            next_step="A rule on a move has a third parameter: def method(self, row, was).",
        )
