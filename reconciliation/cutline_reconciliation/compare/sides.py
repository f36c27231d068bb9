"""Preparation of both sides: columns computed, rows filtered, columns renamed, keys combined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline.spark.observed import collect_counts, observed_counts
from cutline.wording import first_line
from cutline_reconciliation.compare.columns.marked import (
    in_marked_texts,
    marked_columns,
    own_columns,
)
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.rules import Combination, Rules


@dataclass(frozen=True)
class PreparedSide:
    """One side, with the left side's names of columns."""

    name: str
    """`left` or `right`."""
    frame: DataFrame
    marked: Mapping[str, frozenset[str]]
    """By column of marked texts, the kinds of its values."""
    left_out: Callable[[], int]
    """Returns the number of rows that `where` leaves out, once the frame has been read."""


def prepare_sides(
    left: DataFrame, right: DataFrame, key: Sequence[str], rules: Rules
) -> tuple[PreparedSide, PreparedSide]:
    """Both frames after the rules `compute`, `where`, `rename`, `ignore` and `combine`.

    ConfigurationError, naming the side and the column.
    """
    for source in rules.rename:
        _check_column(source, _columns_after(left, rules.compute.left), "left", "rename")
    for target in rules.rename.values():
        _check_column(target, _columns_after(right, rules.compute.right), "right", "rename")
    prepared = _side("left", left, key, rules, {}), _side("right", right, key, rules, rules.rename)
    for ignored in rules.ignore:
        columns = [
            *_columns_after(left, rules.compute.left),
            *_columns_after(right, rules.compute.right),
        ]
        if ignored not in columns:
            raise _unknown_column(ignored, columns, "either", "ignore")
        if ignored in key:
            raise ConfigurationError(f"key column {ignored} cannot be ignored")
    return prepared


def ignored_columns(left: DataFrame, rules: Rules) -> tuple[str, ...]:
    """The columns that rules ignore, and the left side's names of those that the right side calls
    so by rule `rename`.
    """
    left_columns = _columns_after(left, rules.compute.left)
    by_pair = (
        name
        for name, called in rules.rename.items()
        if called in rules.ignore and called not in left_columns and name not in rules.ignore
    )
    return (*rules.ignore, *by_pair)


def marked_kinds(left: PreparedSide, right: PreparedSide) -> dict[str, frozenset[str]]:
    """By column of marked texts on both sides, the kinds of its values.

    ConfigurationError for a column that is computed on one side, and marked on the other.
    """
    shared = [c for c in left.frame.columns if c in right.frame.columns]
    for name in shared:
        for side, opposite in ((left, right), (right, left)):
            if name in side.marked and name not in opposite.marked:
                raise ConfigurationError(
                    f"column {name} holds values of several kinds on the {side.name} side "
                    f"({', '.join(sorted(side.marked[name]))}), and is computed on the "
                    f"{opposite.name} side, where its values do not say of which kind they are",
                    next_step="Compute it on both sides, or compare how its values are written: "
                    f"--as-text {name}.",
                )
    return {n: left.marked[n] | right.marked[n] for n in shared if n in left.marked}


def _side(
    name: str, frame: DataFrame, key: Sequence[str], rules: Rules, rename: Mapping[str, str]
) -> PreparedSide:
    computed: Mapping[str, str] = getattr(rules.compute, name)
    condition: str | None = getattr(rules.where, name)
    combinations: Mapping[str, Combination] = getattr(rules.combine, name)
    _refuse_doubled(name, frame)
    try:
        # Spark analyses a plan again at each added step: steps that do nothing are left out.
        columns = {n: F.expr(sql) for n, sql in computed.items()}
        prepared = frame.withColumns(columns) if columns else frame
        left_out, prepared = _filtered(prepared, condition)
    except PySparkException as error:
        statements = [*computed.values(), *([condition] if condition else [])]
        raise ConfigurationError(
            f"the {name} side does not understand {' or '.join(map(repr, statements))}: "
            + first_line(error),
            next_step=f"It has the columns {', '.join(own_columns(frame))}.",
        ) from error
    marked = {n: column for n, column in marked_columns(prepared).items() if n not in computed}
    if len(own_columns(prepared)) < len(prepared.columns):
        prepared = in_marked_texts(prepared, marked)
    names = {target: source for source, target in rename.items()}
    new_names = {
        c: names.get(c, c) for c in prepared.columns if names.get(c, c) not in rules.ignore
    }
    for new_name in new_names.values():
        if list(new_names.values()).count(new_name) > 1:
            raise ConfigurationError(
                f"after `rename` the {name} side has two columns {new_name}",
                next_step=f"Rename the left side's {new_name} as well, or ignore one of them.",
            )
    if list(new_names.items()) != [(c, c) for c in prepared.columns]:
        prepared = prepared.select(*(quoted_column(c).alias(n) for c, n in new_names.items()))
    if combinations:
        try:
            prepared = _combined(name, prepared, key, combinations)
        except PySparkException as error:
            raise ConfigurationError(
                f"the {name} side's rows of one key cannot be combined: {first_line(error)}",
                next_step=f"Give combine.{name} another way for that column, or ignore it.",
            ) from error
    kinds = {new_names[n]: column.kinds for n, column in marked.items() if n in new_names}
    return PreparedSide(name, prepared, kinds, left_out)


def _filtered(frame: DataFrame, condition: str | None) -> tuple[Callable[[], int], DataFrame]:
    """The frame filtered, and a function that counts the rows left out, once it has been read."""
    if condition is None:
        return lambda: 0, frame
    observed, chosen = Observation(), F.expr(condition)
    # A condition that is null leaves the row out.
    out = F.count_if(~F.coalesce(chosen, F.lit(False)))

    def left_out() -> int:
        return observed_counts(observed, lambda: collect_counts(frame, {"out": out}))["out"]

    return left_out, frame.observe(observed, out.alias("out")).where(chosen)


def _combined(
    name: str, frame: DataFrame, key: Sequence[str], combinations: Mapping[str, Combination]
) -> DataFrame:
    """One row per key, rows with a null key included."""
    for column in [*combinations, *key]:
        _check_column(column, frame.columns, name, "combine")
    for column in frame.columns:
        if column not in combinations and column not in key:
            raise ConfigurationError(
                f"the {name} side's rows of one key are to be combined, but nobody says how "
                f"column {column} is",
                next_step=f"Give combine.{name} a way for it (sum, min, max, count, list, set), "
                "or ignore it.",
            )
    aggregates = [
        _combined_column(frame, column, way).alias(column) for column, way in combinations.items()
    ]
    return (
        frame.groupBy(*map(quoted_column, key))
        .agg(*aggregates)
        .select(*map(quoted_column, frame.columns))
    )


def _combined_column(frame: DataFrame, column: str, combination: Combination) -> Column:
    value, kind = quoted_column(column), frame.schema[column].dataType
    if combination == "sum":
        if not isinstance(kind, T.NumericType):
            raise ConfigurationError(
                f"column {column} is {kind.simpleString()}, which cannot be summed"
            )
        return F.sum(value.cast("decimal(38,0)") if isinstance(kind, T.IntegralType) else value)
    if combination == "count":
        return F.count(value)
    if combination in ("list", "set"):
        # Both leave nulls out, but not structs of a null.
        within = F.struct(value.alias("value"))
        gathered = F.collect_list(within) if combination == "list" else F.collect_set(within)
        return F.array_sort(gathered.getField("value"))
    return F.min(value) if combination == "min" else F.max(value)


def _columns_after(frame: DataFrame, computed: Mapping[str, str]) -> list[str]:
    return [*own_columns(frame), *(c for c in computed if c not in frame.columns)]


def _refuse_doubled(side: str, frame: DataFrame) -> None:
    first_by_name: dict[str, str] = {}
    for column in frame.columns:
        first = first_by_name.setdefault(column.lower(), column)
        if list(map(str.lower, frame.columns)).count(column.lower()) > 1 and first is not column:
            raise ConfigurationError(
                f"the {side} side has columns {first} and {column}, which Spark cannot tell apart",
                next_step="Rename one of them where the table is read.",
            )


def _check_column(column: str, columns: Sequence[str], side: str, where: str) -> None:
    if column not in columns:
        raise _unknown_column(column, columns, side, where)


def _unknown_column(
    column: str, columns: Sequence[str], side: str, where: str
) -> ConfigurationError:
    return ConfigurationError(
        f"rule {where} names column {column}, which is not on the {side} side."
        + did_you_mean(column, columns),
        next_step=f"There is: {', '.join(dict.fromkeys(columns))}.",
    )
