"""The column rules of aggregates and outcomes, as rules of the comparison."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.context import Aggregate, ColumnRule, Outcome
from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import ColumnRules, classes
from cutline_reconciliation.compare.columns.pair import column_pair


def compared_columns(aggregate: Aggregate, vouched: Sequence[str]) -> dict[str, ColumnRules | None]:
    """The columns to compare, with their rules or None. Ignored columns are left out."""
    declared = {c: aggregate.rules.get(c) for c in vouched}
    return {
        column: None if rule is None else _rules(rule)
        for column, rule in declared.items()
        if rule is None or not rule.ignore
    }


def outcome_rules(outcome: Outcome) -> ColumnRules | None:
    """The rules for an outcome's value; None without a tolerance."""
    return ColumnRules(tolerance=outcome.tolerance) if outcome.tolerance else None


def _rules(rule: ColumnRule) -> ColumnRules:
    return ColumnRules(
        unicode=rule.unicode,
        trim=rule.trim,
        case="ignore" if rule.ignore_case else None,
        null_equals=rule.null_equals,
        map=dict(rule.map),
        truncate=rule.truncate,
        round=rule.round,
        tolerance=rule.tolerance,
        relative=rule.relative,
    )


def forgiven_counts(
    aggregate: Aggregate, columns: Sequence[str], types: T.StructType
) -> dict[tuple[str, str], Column]:
    """Aggregates over `entities`, by column and rule: subjects with a forgiven difference.

    ConfigurationError, naming aggregate and column, for a rule that the column's type cannot have.
    """
    counts = {}
    for column, rules in compared_columns(aggregate, columns).items():
        if rules is None:
            continue
        kind = types[column].dataType
        try:
            names = column_pair(column, kind, kind, rules).rules
        except ConfigurationError as error:
            raise ConfigurationError(
                f"aggregate {aggregate.name}: {error.what}", next_step=error.next_step
            ) from error
        for name in names:
            counts[column, name] = F.count_if(_needed(column, name))
    return counts


def _needed(column: str, rule: str) -> Column:
    """Whether the rule forgave a difference of the column in this subject."""
    return F.exists(
        "differences",
        lambda d: (
            (d["column"] == column)
            & (d["class"] == classes.WITHIN_TOLERANCE)
            & F.array_contains(d["rules"], rule)
        ),
    )
