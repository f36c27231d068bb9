"""Normalizations: rules that change the values of a column, in the order of their application."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.spark.number_text import NUMBER, canonical_sql
from cutline.sql.spark import literal
from cutline_reconciliation.compare.columns.forms import Conversion
from cutline_reconciliation.compare.columns.marked import quoted_text, within_quotes
from cutline_reconciliation.compare.columns.numbers import SPELT_NUMBER
from cutline_reconciliation.compare.rules import ColumnRules

_WITHIN_A_DAY = "millisecond", "second", "minute", "hour"
_SPACE = r"[\s\p{Z}\x{85}\x{FEFF}]+"


@dataclass(frozen=True)
class Normalization:
    """One rule: its change to a value of each side."""

    rule: str
    """The rule's name in the rules file."""
    left: Conversion
    right: Conversion
    alone: Conversion | None = None
    """Its change to values of both sides that no rule before it has changed, if it is another."""


def normalizations(
    name: str, kind: T.DataType, rules: ColumnRules, marked: Collection[str] = ()
) -> list[Normalization]:
    """The normalizations of a column whose values are compared as `kind`.

    `marked` are the kinds of the values where each is compared by a marked text; empty for others.
    ConfigurationError, naming the column, for a rule that its type cannot have.
    """
    return list(_normalizations(name, kind, rules, marked))


def _normalizations(
    name: str, kind: T.DataType, rules: ColumnRules, marked: Collection[str]
) -> Iterator[Normalization]:
    texts: dict[str, Conversion] = {}
    if rules.unicode:
        _check_type(name, "unicode", kind, T.StringType)
        texts[f"unicode: {rules.unicode}"] = _unicode(rules.unicode)
        yield _on_both_sides("unicode", _unicode(rules.unicode))
    if rules.trim:
        _check_type(name, "trim", kind, T.StringType)
        trim = within_quotes(_trim(rules.trim)) if marked else _trim(rules.trim)
        texts["trim"] = trim
        yield _on_both_sides("trim", trim)
    if rules.case:
        _check_type(name, "case", kind, T.StringType)
        texts["case: ignore"] = F.lower
        yield _on_both_sides("case", F.lower)
    if rules.map:
        called = _alike_names(name, rules.map, texts) if texts else rules.map
        yield Normalization("map", _mapped(called), lambda value: value)
    if rules.null_equals is not None:
        if marked:
            default = _marked_text(name, rules.null_equals, marked)
        else:
            default = _default(name, kind, rules.null_equals)
        yield _null_equals(default, texts)
    if rules.as_ == "set":
        _check_type(name, "as: set", kind, T.ArrayType)
        yield _on_both_sides("set", lambda value: F.array_sort(F.array_distinct(value)))
    if rules.truncate:
        _check_type(name, "truncate", kind, T.TimestampType, T.TimestampNTZType, T.DateType)
        yield _on_both_sides("truncate", _truncated(kind, rules.truncate, rules.in_zone))
    if rules.round is not None:
        _check_type(name, "round", kind, T.NumericType)
        places = rules.round
        yield _on_both_sides("round", lambda value: F.round(value, places))


def _on_both_sides(rule: str, make: Conversion) -> Normalization:
    return Normalization(rule, make, make)


def _check_type(name: str, rule: str, kind: T.DataType, *fit: type[T.DataType]) -> None:
    if not isinstance(kind, fit):
        raise ConfigurationError(
            f"column {name} has rule {rule}, but it is {kind.simpleString()}",
            next_step="Take the rule away, or compute a column of another type.",
        )


def _unicode(form: str) -> Conversion:
    """A Unicode form by ICU, which Spark includes; it cannot take null."""
    mode = "compose" if form.endswith("C") else "decompose"
    method = F.lit("com.ibm.icu.text.Normalizer"), F.lit(mode)

    def normalised(text: Column) -> Column:
        not_null = F.coalesce(text, F.lit(""))
        return F.when(text.isNotNull(), F.reflect(*method, not_null, F.lit("K" in form)))

    return normalised


def _trim(end: bool | str) -> Conversion:
    ends = {"left": f"^{_SPACE}", "right": f"{_SPACE}$"}.get(str(end), f"^{_SPACE}|{_SPACE}$")
    return lambda text: F.regexp_replace(text, ends, "")


def _mapped(names: Mapping[str, str]) -> Conversion:
    """The left side's values under their names on the right; others stay as they are."""
    pairs = [F.lit(part) for pair in names.items() for part in pair]
    return lambda text: F.coalesce(F.try_element_at(F.create_map(*pairs), text), text)


def _alike_names(
    column: str, names: Mapping[str, str], texts: Mapping[str, Conversion]
) -> dict[str, str]:
    """The names of a map as the rules before it make them, for they make values so."""
    parts = sorted({part for pair in names.items() for part in pair})
    rows = SparkSession.active().createDataFrame([(part,) for part in parts], "written string")
    alike = _through(texts.values(), F.col("written")).alias("alike")
    after = {row["written"]: row["alike"] for row in rows.select("written", alike).collect()}
    first: dict[str, tuple[str, str]] = {}
    for value, called in names.items():
        earlier = first.setdefault(after[value], (value, called))
        if after[earlier[1]] != after[called]:
            rules, take = " and ".join(texts), "takes" if len(texts) == 1 else "take"
            raise ConfigurationError(
                f"column {column}: map has two names for {earlier[0]!r} and {value!r}, which "
                f"{rules} {take} for one value",
                next_step=f"Leave one of them out, or {rules}.",
            )
    return {after[value]: after[called] for value, called in names.items()}


def _null_equals(default: Column, texts: Mapping[str, Conversion]) -> Normalization:
    """Null as the value that it equals, which the rules before make as they make values."""
    alike = _through(texts.values(), default)

    def in_order(value: Column) -> Column:
        return F.coalesce(value, alike)

    def as_written(value: Column) -> Column:
        return F.coalesce(value, default)

    return Normalization("null_equals", in_order, in_order, as_written)


def _through(texts: Collection[Conversion], value: Column) -> Column:
    return reduce(lambda text, make: make(text), texts, value)


def _default(name: str, kind: T.DataType, written: str) -> Column:
    spark = SparkSession.active()
    type_ = kind.simpleString()
    read = spark.sql(f"SELECT try_cast(:written AS {type_})", {"written": written}).first()
    # A cast of a decimal rounds it.
    rounded = read is not None and isinstance(read[0], Decimal) and read[0] != Decimal(written)
    spelt = not isinstance(kind, T.NumericType) or re.fullmatch(SPELT_NUMBER, written)
    if read is None or read[0] is None or rounded or not spelt:
        raise ConfigurationError(f"column {name}: null_equals is {written!r}, which is no {type_}")
    return F.lit(written).cast(kind)


def _marked_text(name: str, written: str, kinds: Collection[str]) -> Column:
    """The marked text of a value that a rule writes: of another kind than text where the column has
    such values, and it is written as one."""
    if "number" in kinds and re.fullmatch(NUMBER, written):
        return F.expr(canonical_sql(literal(written)))
    if set(kinds) == {"number"}:
        raise ConfigurationError(f"column {name}: null_equals is {written!r}, which is no number")
    spelt = {"boolean": r"true|false", "bytes": r"x'[0-9A-F]*'", "nested": r"[\[{].*"}
    if any(k in kinds and re.fullmatch(form, written) for k, form in spelt.items()):
        return F.lit(written)
    return quoted_text(F.lit(written))


def _truncated(kind: T.DataType, unit: str, zone: str) -> Conversion:
    if isinstance(kind, T.TimestampType) and zone != "UTC":
        return lambda value: _in_local(value, F.from_utc_timestamp(value, zone), unit)
    # The result is a timestamp in the session's zone, which is UTC.
    return lambda value: F.date_trunc(unit, value).cast(kind)


def _in_local(value: Column, local: Column, unit: str) -> Column:
    """A time truncated on its local clock.

    For units below a day it is moved back from the instant by what the clock loses, for the clock
    may show one hour twice, which is two instants.
    """
    shown = F.date_trunc(unit, local)
    if unit not in _WITHIN_A_DAY:
        return shown
    return F.timestamp_micros(F.unix_micros(value) - (F.unix_micros(local) - F.unix_micros(shown)))
