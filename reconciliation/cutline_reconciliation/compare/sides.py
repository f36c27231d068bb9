"""Both sides made ready: columns computed, rows chosen, names made one, keys combined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.counts.observed import counted, seen
from cutline_reconciliation.compare.rules import Rules, Way


@dataclass(frozen=True)
class Side:
    """One side, its columns called as on the left."""

    name: str
    """left | right."""
    frame: DataFrame
    left_out: Callable[[], int]
    """Rows that `where` leaves out, once the frame has been read."""


def sides(left: DataFrame, right: DataFrame, key: Sequence[str], rules: Rules) -> tuple[Side, Side]:
    """Both frames as the rules want them. ConfigurationError, naming the side and the column."""
    for source in rules.rename:
        _there(source, _after(left, rules.compute.left), "left", "rename")
    for target in rules.rename.values():
        _there(target, _after(right, rules.compute.right), "right", "rename")
    made = _side("left", left, key, rules, {}), _side("right", right, key, rules, rules.rename)
    for ignored in rules.ignore:
        both = [*_after(left, rules.compute.left), *_after(right, rules.compute.right)]
        if ignored not in both:
            raise _unknown(ignored, both, "either", "ignore")
        if ignored in key:
            raise ConfigurationError(f"key column {ignored} cannot be ignored")
    return made


def _side(
    name: str, frame: DataFrame, key: Sequence[str], rules: Rules, rename: Mapping[str, str]
) -> Side:
    computed: Mapping[str, str] = getattr(rules.compute, name)
    condition: str | None = getattr(rules.where, name)
    ways: Mapping[str, Way] = getattr(rules.combine, name)
    _refuse_doubled(name, frame)
    try:
        # Spark looks through a plan again at each step that is added: what does nothing is not.
        columns = {n: F.expr(sql) for n, sql in computed.items()}
        made = frame.withColumns(columns) if columns else frame
        left_out, made = _chosen(made, condition)
    except PySparkException as error:
        asked = [*computed.values(), *([condition] if condition else [])]
        raise ConfigurationError(
            f"the {name} side does not understand {' or '.join(map(repr, asked))}: "
            f"{str(error).splitlines()[0]}",
            next_step=f"It has the columns {', '.join(frame.columns)}.",
        ) from error
    called = {target: source for source, target in rename.items()}
    kept = {c: called.get(c, c) for c in made.columns if called.get(c, c) not in rules.ignore}
    twice = {one for one in kept.values() if list(kept.values()).count(one) > 1}
    for one in twice:
        raise ConfigurationError(
            f"after `rename` the {name} side has two columns {one}",
            next_step=f"Rename the left side's {one} as well, or ignore one of them.",
        )
    if list(kept.items()) != [(c, c) for c in made.columns]:
        made = made.select(*(named(c).alias(n) for c, n in kept.items()))
    if ways:
        try:
            made = _combined(name, made, key, ways)
        except PySparkException as error:
            raise ConfigurationError(
                f"the {name} side's rows of one key cannot be combined: "
                f"{str(error).splitlines()[0]}",
                next_step=f"Give combine.{name} another way for that column, or ignore it.",
            ) from error
    return Side(name, made, left_out)


def _chosen(frame: DataFrame, condition: str | None) -> tuple[Callable[[], int], DataFrame]:
    """How many rows are left out, once the chosen ones have been read, and these."""
    if condition is None:
        return lambda: 0, frame
    observed, chosen = Observation(), F.expr(condition)
    # A condition that is null leaves the row out.
    out = F.count_if(~F.coalesce(chosen, F.lit(False)))

    def left_out() -> int:
        return seen(observed, lambda: counted(frame, {"out": out}))["out"]

    return left_out, frame.observe(observed, out.alias("out")).where(chosen)


def _combined(
    name: str, frame: DataFrame, key: Sequence[str], ways: Mapping[str, Way]
) -> DataFrame:
    """One row per key, those with a null in it as well."""
    for column in [*ways, *key]:
        _there(column, frame.columns, name, "combine")
    for column in frame.columns:
        if column not in ways and column not in key:
            raise ConfigurationError(
                f"the {name} side's rows of one key are to be combined, but nobody says how "
                f"column {column} is",
                next_step=f"Give combine.{name} a way for it (sum, min, max, count, list, set), "
                "or ignore it.",
            )
    made = [_way(frame, column, way).alias(column) for column, way in ways.items()]
    return frame.groupBy(*map(named, key)).agg(*made).select(*map(named, frame.columns))


def _way(frame: DataFrame, column: str, way: Way) -> Column:
    value, kind = named(column), frame.schema[column].dataType
    if way == "sum":
        if not isinstance(kind, T.NumericType):
            raise ConfigurationError(
                f"column {column} is {kind.simpleString()}, which cannot be summed"
            )
        return F.sum(value.cast("decimal(38,0)") if isinstance(kind, T.IntegralType) else value)
    if way == "count":
        return F.count(value)
    if way in ("list", "set"):
        gathered = F.collect_list(value) if way == "list" else F.collect_set(value)
        return F.array_sort(gathered)
    return F.min(value) if way == "min" else F.max(value)


def _after(frame: DataFrame, computed: Mapping[str, str]) -> list[str]:
    return [*frame.columns, *(c for c in computed if c not in frame.columns)]


def _refuse_doubled(side: str, frame: DataFrame) -> None:
    seen: dict[str, str] = {}
    for column in frame.columns:
        other = seen.setdefault(column.lower(), column)
        if list(map(str.lower, frame.columns)).count(column.lower()) > 1 and other is not column:
            raise ConfigurationError(
                f"the {side} side has columns {other} and {column}, which Spark cannot tell apart",
                next_step="Rename one of them where the table is read.",
            )


def _there(column: str, columns: Sequence[str], side: str, where: str) -> None:
    if column not in columns:
        raise _unknown(column, columns, side, where)


def _unknown(column: str, columns: Sequence[str], side: str, where: str) -> ConfigurationError:
    return ConfigurationError(
        f"rule {where} names column {column}, which is not on the {side} side."
        + did_you_mean(column, columns),
        next_step=f"There is: {', '.join(dict.fromkeys(columns))}.",
    )
