"""Patterns: the change of a legacy value, as a text that many breaks share."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.masking import Masking
from cutline.masking.frames import hidden_values
from cutline.tables.breaks import DIFFERENT, DUPLICATED, MISSING, OUTCOME, UNEXPECTED

PATTERN, TOGETHER = "pattern", "columns"
LEAST_SHARE = 20
"""What at least one in so many breaks shows is frequent."""
_SHOWN = 60
_RATIOS = {"100": "× 100", "1000": "× 1000", "10": "× 10", "60": "× 60", "12": "× 12", "2": "× 2"}
_ROUND = {"1": "units", "100": "hundreds", "1000": "thousands"}
"""The units to which a number may have been rounded; trailing zeros are too common by chance."""
_NUMBER = "decimal(38,6)"
_LEVEL = ("level", "name")
_KEY = (*_LEVEL, "kind", "column")


def with_shapes(breaks: DataFrame) -> DataFrame:
    """The breaks with `_shape` and `_set`, in one exchange by subject.

    `_shape` is the named change of the value, null without a name; `_set` the columns in which the
    subject differs.
    """
    subject = Window.partitionBy("level", "name", "subject")
    every = F.array_sort(F.collect_set("column").over(subject))
    return breaks.withColumns(
        {
            "_shape": F.coalesce(_one_sided(), _emptied(), _swapped(), _shape()),
            "_set": F.concat_ws(", ", every),
        }
    )


def with_patterns(shapes: DataFrame, masking: Masking) -> DataFrame:
    """The rows of `with_shapes` with `pattern`, which is never null, and `columns`.

    The pattern is the first of these that applies: a null or an empty value on one side; two
    columns' values swapped; a shape such as `× 100`, `+1 hour` or `cut short`; the pair of values,
    if frequent in the column's breaks; else that values differ, and in which direction. Personal
    values never are a pattern. `columns` are all columns in which the subject differs, if that set
    is frequent; else null.
    """
    shown = shapes.withColumns({"_legacy": _shown("legacy"), "_new": _shown("new")})
    # A subject has at most one break per column.
    subjects = F.count_distinct("subject")
    pairs = _frequent(shown, _KEY, ("_legacy", "_new"), F.count("*"), F.col("_shape").isNull())
    sets = _frequent(shown, _LEVEL, ("_set",), subjects, F.col("_set") != "")
    shown = _joined(shown, pairs, (*_KEY, "_legacy", "_new"), "_often")
    shown = _joined(shown, sets, (*_LEVEL, "_set"), "_usual")
    named = F.when(F.col("_often") & ~hidden_values(masking), _pair())
    return shown.withColumns(
        {
            PATTERN: F.coalesce("_shape", named, _general()),
            TOGETHER: F.when(F.col("_usual"), F.col("_set")),
        }
    ).drop("_shape", "_set", "_legacy", "_new", "_often", "_usual")


def _frequent(
    breaks: DataFrame,
    group_columns: tuple[str, ...],
    values: tuple[str, ...],
    number: Column,
    condition: Column,
) -> DataFrame:
    """The frequent values of a group's subjects; at most LEAST_SHARE per group."""
    group = [F.col(f"`{c}`") for c in group_columns]
    whole = breaks.groupBy(*group).agg(number.alias("_whole"))
    by_value = breaks.where(condition).groupBy(*group, *values).agg(number.alias("_same"))
    shares = by_value.alias("l").join(F.broadcast(whole.alias("r")), _same_values(group_columns))
    often = (F.col("_same") * LEAST_SHARE >= F.col("_whole")) & (
        (F.col("_same") > 1) | (F.col("_whole") == 1)
    )
    return shares.where(often).select(
        *(F.col(f"l.`{c}`").alias(c) for c in (*group_columns, *values))
    )


def _joined(breaks: DataFrame, frequent: DataFrame, by: tuple[str, ...], mark: str) -> DataFrame:
    """The rows with `mark`: whether they are among the frequent; nulls equal nulls."""
    marked = frequent.withColumn(mark, F.lit(True)).alias("r")
    marked_breaks = breaks.alias("l").join(F.broadcast(marked), _same_values(by), "left")
    return marked_breaks.select("l.*", F.coalesce(F.col(f"r.{mark}"), F.lit(False)).alias(mark))


def _same_values(names: tuple[str, ...]) -> Column:
    return reduce(Column.__and__, (F.col(f"l.`{c}`").eqNullSafe(F.col(f"r.`{c}`")) for c in names))


def _one_sided() -> Column:
    kind = F.col("kind")
    of_outcome = F.col("level") == OUTCOME
    return (
        F.when((kind == MISSING) & ~of_outcome, "only the legacy has it")
        .when((kind == UNEXPECTED) & ~of_outcome, "only the new side has it")
        .when(kind == DUPLICATED, "the new side has it more than once")
    )


def _emptied() -> Column:
    legacy, new = F.col("legacy"), F.col("new")
    differs = F.col("kind") == DIFFERENT
    return (
        F.when(differs & legacy.isNull() & (new == ""), "null → empty text")
        .when(differs & new.isNull() & (legacy == ""), "empty text → null")
        .when(differs & legacy.isNull(), "null → a value")
        .when(differs & new.isNull(), "a value → null")
        .when(differs & (legacy == ""), "empty text → a value")
        .when(differs & (new == ""), "a value → empty text")
    )


def _swapped() -> Column:
    """The column of the subject with which this one's value was swapped."""
    subject = Window.partitionBy("level", "name", "subject")
    mine = F.struct("column", "legacy", "new")
    others = F.filter(
        F.collect_list(mine).over(subject),
        lambda o: (
            (o["column"] != F.col("column"))
            & (o["legacy"] == F.col("new"))
            & (o["new"] == F.col("legacy"))
        ),
    )
    other_column = F.get(F.array_sort(F.transform(others, lambda o: o["column"])), F.lit(0))
    return F.when(other_column.isNotNull(), F.concat(F.lit("swapped with "), other_column))


def _shape() -> Column:
    return F.when(F.col("kind") == DIFFERENT, F.coalesce(_number(), _moment(), _text()))


def _number() -> Column:
    """The change of a number by name; null where it has none."""
    legacy, new = F.col("legacy").try_cast(_NUMBER), F.col("new").try_cast(_NUMBER)
    shape = (
        F.when(legacy == 0, F.when(new > 0, "0 → more than 0").otherwise("0 → less than 0"))
        .when(new == 0, "a number → 0")
        .when(legacy == -new, "the sign turned")
    )
    for factor, words in _RATIOS.items():
        shape = shape.when(F.try_multiply(legacy, F.lit(factor).cast(_NUMBER)) == new, words)
        shape = shape.when(
            F.try_multiply(new, F.lit(factor).cast(_NUMBER)) == legacy, words.replace("×", "÷")
        )
    for step, words in (("1", "1"), ("0.01", "0.01")):
        shape = shape.when(F.col("amount") == F.lit(step).cast(_NUMBER), f"{words} more")
        shape = shape.when(F.col("amount") == F.lit(f"-{step}").cast(_NUMBER), f"{words} less")
    for size, words in _ROUND.items():
        unit = F.lit(size).cast(_NUMBER)
        near = (F.abs(F.col("amount")) < unit) & (F.abs(legacy) >= unit)
        shape = shape.when((new % unit == 0) & near, f"rounded to {words}")
    return F.when(F.col("amount").isNotNull() & legacy.isNotNull() & new.isNotNull(), shape)


def _moment() -> Column:
    """The change of a date or a time by name; null where it has none."""
    dated = F.col("legacy").rlike(_DATED) & F.col("new").rlike(_DATED)
    legacy, new = (F.col(c).try_cast("timestamp") for c in ("legacy", "new"))
    seconds = F.unix_micros(new) - F.unix_micros(legacy)
    size = F.abs(seconds)
    sign = F.when(seconds > 0, "+").otherwise("−")
    steps = []
    for micros, singular, plural_form, most in _STEPS:
        number = F.floor(size / F.lit(micros))
        whole = (size % F.lit(micros) == 0) & (number.between(1, most))
        plural = F.when(number == 1, singular).otherwise(plural_form)
        steps.append(F.when(whole, F.concat(sign, number.cast("string"), F.lit(" "), plural)))
    lost = F.when(new == F.date_trunc("day", legacy), "the time of day is lost").when(
        new == F.date_trunc("second", legacy), "the part of a second is lost"
    )
    month = F.when(F.add_months(legacy, 1) == new.cast("date"), "+1 month").when(
        F.add_months(legacy, -1) == new.cast("date"), "−1 month"
    )
    same_time = F.date_format(legacy, "HH:mm:ss.SSSSSS") == F.date_format(new, "HH:mm:ss.SSSSSS")
    return F.when(
        dated & legacy.isNotNull() & new.isNotNull(),
        F.coalesce(lost, F.when(same_time, month), *steps),
    )


def _text() -> Column:
    """The change of a text by name; null where it has none."""
    legacy, new = F.col("legacy"), F.col("new")
    bare = [F.regexp_replace(c, r"\s+", "") for c in (legacy, new)]
    signs = [F.regexp_replace(c, r"[^\p{L}\p{N}]+", "") for c in (legacy, new)]
    zeros = [F.regexp_replace(c, "^0+", "") for c in (legacy, new)]
    whole = F.length(legacy) >= 4
    shape = (
        F.when(bare[0] == bare[1], "only blanks differ")
        .when(F.lower(legacy) == F.lower(new), "only upper and lower case differ")
        .when((zeros[0] == zeros[1]) & (F.length(legacy) > F.length(new)), "leading zeros are lost")
        .when(zeros[0] == zeros[1], "leading zeros are added")
        .when((signs[0] == signs[1]) & (signs[0] != ""), "only punctuation differs")
        .when(whole & F.startswith(legacy, new), "cut short")
        .when(whole & F.startswith(new, legacy), "something is added at its end")
        .when(whole & F.endswith(new, legacy), "something is put before it")
        .when(whole & F.endswith(legacy, new), "its beginning is cut off")
    )
    plain = F.col("amount").isNull() & ~legacy.rlike(_DATED) & ~legacy.rlike(r"^[\[{]")
    return F.when(plain, shape)


def _pair() -> Column:
    absent = F.lit("not there")
    legacy = F.when(F.col("kind") == UNEXPECTED, absent).otherwise(F.col("_legacy"))
    new = F.when(F.col("kind") == MISSING, absent).otherwise(F.col("_new"))
    return F.concat(legacy, F.lit(" → "), new)


def _general() -> Column:
    """That the values differ, and in which direction where they have an order."""
    legacy, new = F.col("legacy"), F.col("new")
    kind = F.col("kind")
    dated = legacy.rlike(_DATED) & new.rlike(_DATED)
    listed = legacy.rlike(r"^[\[{]")
    return (
        F.when(kind == MISSING, "a value → not there")
        .when(kind == UNEXPECTED, "not there → a value")
        .when(F.col("amount") > 0, "more than it was")
        .when(F.col("amount") < 0, "less than it was")
        .when(dated & (new > legacy), "later than it was")
        .when(dated, "earlier than it was")
        .when(listed, "another content")
        .otherwise("another value")
    )


def _shown(name: str) -> Column:
    text = F.col(name)
    return F.when(
        F.length(text) > _SHOWN, F.concat(F.substring(text, 1, _SHOWN), F.lit("…"))
    ).otherwise(text)


_DATED = r"^\d{4}-\d\d-\d\d"
_HOUR = 3_600_000_000
_STEPS = (
    (24 * _HOUR, "day", "days", 31),
    (_HOUR, "hour", "hours", 23),
    (_HOUR // 2, "half hour", "half hours", 47),
    (_HOUR // 60, "minute", "minutes", 1),
    (1_000_000, "second", "seconds", 1),
)
