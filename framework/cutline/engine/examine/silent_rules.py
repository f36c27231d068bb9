"""Rules that can never announce anything, or that hold for no row."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cutline.engine.examine.trees import Tree
from cutline.engine.rules import BY_POSITION, identity_of
from cutline.errors import ConfigurationError
from cutline.translator.occurrence import Occurrence
from cutline.translator.rules import REMOVED, FactRule, RowRule

_OF_NULL = (
    "EqualTo",
    "LessThan",
    "LessThanOrEqual",
    "GreaterThan",
    "GreaterThanOrEqual",
    "Like",
    "RLike",
    "Not",
    "Cast",
)
"""Expressions that are null where one of their inputs is."""


@dataclass(frozen=True)
class SilentRule:
    """A rule that can never announce what it declares: the problem, and what to do about it."""

    problem: str
    next_step: str


def silent_opening(rule: FactRule, occurrence: Occurrence, where: str) -> SilentRule | None:
    """The silence of an opening value whose occurrence is the position of its change; else None.

    A snapshot row has no position, so such a value is announced from changes only.
    """
    if not rule.opening or identity_of(rule, occurrence) != BY_POSITION:
        return None
    return SilentRule(
        f"{where}: opening=True can announce nothing from a snapshot, for only the position of "
        "its change tells one occurrence from another",
        f"Give a `key` or `at`, or declare `identified_by` in {rule.event.__name__}; or leave "
        "`opening` out: then the first value is announced by nothing.",
    )


def refuse_unsatisfiable(rule: FactRule | RowRule, when: Tree | None, where: str) -> None:
    """ConfigurationError for a predicate that is false or null for every row.

    A removal may have one: `when=False` says that no column marks a soft delete.
    """
    if when is None or (isinstance(rule, FactRule) and rule.kind == REMOVED):
        return
    if _never(when):
        raise ConfigurationError(
            f"{where}: its predicate holds of no row: it is false or null whatever stands there",
            next_step="What is compared with null is null: ask `row.x.isNull()` for "
            "`row.x == None`. A rule that is not wanted any more is left out.",
        )


def _never(tree: Tree) -> bool:
    if tree.kind == "And":
        return any(map(_never, tree.inputs))
    if tree.kind == "Or":
        return all(map(_never, tree.inputs))
    if tree.kind == "Alias":
        return _never(tree.inputs[0])
    if tree.kind == "Not" and tree.inputs[0].kind == "Literal":
        return _value(tree.inputs[0]) == "true" or _is_null(tree.inputs[0])
    if tree.kind == "Literal":
        return _value(tree) in (None, "false")
    return _is_null(tree)


def _is_null(tree: Tree) -> bool:
    if tree.kind == "Literal":
        return _value(tree) is None
    return tree.kind in _OF_NULL and any(map(_is_null, tree.inputs))


def _value(literal: Tree) -> str | None:
    """The literal's value as Spark writes it; null for null."""
    value = literal.fields.get("value")
    return None if value is None else value if isinstance(value, str) else json.dumps(value)
