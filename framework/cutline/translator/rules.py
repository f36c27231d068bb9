"""The decorators with which a translator says what a row means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from cutline.context import Event

Method = TypeVar("Method", bound=Callable[..., Any])
_MARK = "__cutline_rule__"


@dataclass(frozen=True)
class FactRule:
    """A fact: announced when its predicate holds in `after` and did not in `before`."""

    name: str
    event: type[Event]
    method: Callable[..., Any]


@dataclass(frozen=True)
class RowRule:
    """A named classification of a row (`reject`, `ambiguous` or `ignore`) and its reason."""

    name: str
    kind: str
    method: Callable[..., Any]
    reason: str


REJECT, AMBIGUOUS, IGNORE = "reject", "ambiguous", "ignore"


def fact(event: type[Event]) -> Callable[[Method], Method]:
    """The method returns an Occurrence (or `each(…)`) of `event` on one image of the row."""

    def mark(method: Method) -> Method:
        setattr(method, _MARK, FactRule(method.__name__, event, method))
        return method

    return mark


def reject(rule: str) -> Callable[[Method], Method]:
    """The method returns a predicate; rows where it holds are quarantined under `rule`.

    The method's docstring is the reason that people read.
    """
    return _row_rule(REJECT, rule)


def ambiguous(rule: str) -> Callable[[Method], Method]:
    """As `reject`, for rows that could mean two things: a person must decide."""
    return _row_rule(AMBIGUOUS, rule)


def ignore(rule: str) -> Callable[[Method], Method]:
    """The method returns a predicate; rows where it holds mean nothing to this context."""
    return _row_rule(IGNORE, rule)


def rules_of(translator: type) -> tuple[list[FactRule], list[RowRule]]:
    """The facts and the row rules of a translator class, inherited ones first, as declared."""
    found: dict[str, FactRule | RowRule] = {}
    for cls in reversed(translator.__mro__):
        for name, member in vars(cls).items():
            rule = getattr(member, _MARK, None)
            if rule is not None:
                found[name] = rule
            elif name in found:
                del found[name]
    facts = [r for r in found.values() if isinstance(r, FactRule)]
    rows = [r for r in found.values() if isinstance(r, RowRule)]
    return facts, rows


def _row_rule(kind: str, rule: str) -> Callable[[Method], Method]:
    def mark(method: Method) -> Method:
        reason = " ".join((method.__doc__ or rule).split())
        setattr(method, _MARK, RowRule(rule, kind, method, reason))
        return method

    return mark
