"""Rules of one column as steps that make two values alike, in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.columns.forms import Make
from cutline_reconciliation.compare.columns.numbers import SPELT_NUMBER
from cutline_reconciliation.compare.rules import ColumnRules

_WITHIN_A_DAY = "millisecond", "second", "minute", "hour"
_SPACE = r"[\s\p{Z}\x{FEFF}]+"


@dataclass(frozen=True)
class Step:
    """One rule: what it makes of a value of each side."""

    rule: str
    """Its name in the rules file."""
    left: Make
    right: Make


def steps(name: str, kind: T.DataType, rules: ColumnRules) -> list[Step]:
    """The steps of a column whose values are compared as `kind`.

    ConfigurationError, naming the column, for a rule that its type cannot have.
    """
    return list(_steps(name, kind, rules))


def _steps(name: str, kind: T.DataType, rules: ColumnRules) -> Iterator[Step]:
    if rules.unicode:
        _asked(name, "unicode", kind, T.StringType)
        yield _both("unicode", _unicode(rules.unicode))
    if rules.trim:
        _asked(name, "trim", kind, T.StringType)
        yield _both("trim", _trim(rules.trim))
    if rules.case:
        _asked(name, "case", kind, T.StringType)
        yield _both("case", F.lower)
    if rules.map:
        yield Step("map", _mapped(name, rules), lambda value: value)
    if rules.null_equals is not None:
        yield _both("null_equals", _default(name, kind, rules.null_equals))
    if rules.as_ == "set":
        _asked(name, "as: set", kind, T.ArrayType)
        yield _both("set", lambda value: F.array_sort(F.array_distinct(value)))
    if rules.truncate:
        _asked(name, "truncate", kind, T.TimestampType, T.TimestampNTZType, T.DateType)
        yield _both("truncate", _truncated(kind, rules.truncate, rules.in_zone))
    if rules.round is not None:
        _asked(name, "round", kind, T.NumericType)
        places = rules.round
        yield _both("round", lambda value: F.round(value, places))


def _both(rule: str, make: Make) -> Step:
    return Step(rule, make, make)


def _asked(name: str, rule: str, kind: T.DataType, *fit: type[T.DataType]) -> None:
    if not isinstance(kind, fit):
        raise ConfigurationError(
            f"column {name} has rule {rule}, but it is {kind.simpleString()}",
            next_step="Take the rule away, or compute a column of another type.",
        )


def _unicode(form: str) -> Make:
    """By ICU, which Spark brings. It cannot take null."""
    way = "compose" if form.endswith("C") else "decompose"
    method = F.lit("com.ibm.icu.text.Normalizer"), F.lit(way)

    def normalised(text: Column) -> Column:
        known = F.coalesce(text, F.lit(""))
        return F.when(text.isNotNull(), F.reflect(*method, known, F.lit("K" in form)))

    return normalised


def _trim(which: bool | str) -> Make:
    ends = {"left": f"^{_SPACE}", "right": f"{_SPACE}$"}.get(str(which), f"^{_SPACE}|{_SPACE}$")
    return lambda text: F.regexp_replace(text, ends, "")


def _mapped(name: str, rules: ColumnRules) -> Make:
    """The left side's values by their names on the right; a value without one stays as it is."""
    if not rules.case:
        pairs = [F.lit(part) for pair in rules.map.items() for part in pair]
    else:
        alike: dict[str, tuple[str, str]] = {}
        for value, called in rules.map.items():
            first = alike.setdefault(value.lower(), (value, called))
            if first[1].lower() != called.lower():
                raise ConfigurationError(
                    f"column {name}: map has two names for {first[0]!r} and {value!r}, which "
                    "case: ignore takes for one value",
                    next_step="Leave one of them out, or case: ignore.",
                )
        pairs = [F.lower(F.lit(part)) for pair in alike.values() for part in pair]
    return lambda text: F.coalesce(F.try_element_at(F.create_map(*pairs), text), text)


def _default(name: str, kind: T.DataType, written: str) -> Make:
    spark = SparkSession.active()
    type_ = kind.simpleString()
    read = spark.sql(f"SELECT try_cast(:written AS {type_})", {"written": written}).first()
    # A decimal is cast by rounding it.
    rounded = read is not None and isinstance(read[0], Decimal) and read[0] != Decimal(written)
    spelt = not isinstance(kind, T.NumericType) or re.fullmatch(SPELT_NUMBER, written)
    if read is None or read[0] is None or rounded or not spelt:
        raise ConfigurationError(f"column {name}: null_equals is {written!r}, which is no {type_}")
    default = F.lit(written).cast(kind)
    return lambda value: F.coalesce(value, default)


def _truncated(kind: T.DataType, unit: str, zone: str) -> Make:
    if isinstance(kind, T.TimestampType) and zone != "UTC":
        return lambda value: _in_local(value, F.from_utc_timestamp(value, zone), unit)
    # What comes out is a timestamp in the zone of the session, which is UTC.
    return lambda value: F.date_trunc(unit, value).cast(kind)


def _in_local(value: Column, local: Column, unit: str) -> Column:
    """A time truncated as its local clock shows it. What is shorter than a day goes back to the
    instant, by as much as the clock does: a clock may show an hour twice, which are two."""
    shown = F.date_trunc(unit, local)
    if unit not in _WITHIN_A_DAY:
        return shown
    return F.timestamp_micros(F.unix_micros(value) - (F.unix_micros(local) - F.unix_micros(shown)))
