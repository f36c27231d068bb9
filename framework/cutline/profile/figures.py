"""The first look: per column, the counts from which its type follows, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.profile.cells import VALUE, unpivot
from cutline.sources.exact_cast import cast_text

_INTEGER = r"^-?(?:0|[1-9][0-9]*)$"
_DECIMAL = r"^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$"
_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]"
_ZONED = r":[0-9.]+ ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"
_COMPACT_DAY = r"^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])$"
_SHOWN = 80
"""Characters of a value that a profile keeps."""


@dataclass(frozen=True)
class Figures:
    """Counts over one column's values. All but `nulls` and `unreadable` leave nulls out."""

    nulls: int
    unreadable: int
    values: int
    empty: int
    padded: int
    distinct: int
    """An estimate, to about 2 %."""
    shortest: int | None
    longest: int | None
    booleans: int
    integers: int
    decimals: int
    numbers: int
    """Numbers that a double holds."""
    digits: int | None
    """The most digits before the point of a decimal."""
    scale: int | None
    """The most digits behind it."""
    days: int
    moments: int
    zoned: int
    compact_days: int
    text_low: str | None
    text_high: str | None
    exact_low: str | None
    exact_high: str | None
    number_low: str | None
    number_high: str | None
    time_low: str | None
    time_high: str | None


def figures(frame: DataFrame, columns: tuple[str, ...]) -> dict[str, Figures]:
    """The figures of every column, by name. `frame` must have at least one row."""
    flags = unpivot(frame, columns).selectExpr(
        "*", *(f"{sql} AS {n}" for n, sql in _aggregates().items())
    )
    rows = flags.groupBy("cell").agg(*(F.expr(sql).alias(n) for n, sql in _COUNTED.items()))
    by_cell: dict[int, dict[str, Any]] = {r["cell"]: r.asDict() for r in rows.collect()}
    names = Figures.__dataclass_fields__
    return {
        column: Figures(**{name: by_cell[i][name] for name in names})
        for i, column in enumerate(columns)
    }


def _where(condition: str, value: str = VALUE) -> str:
    return f"CASE WHEN {condition} THEN {value} END"


_NEAREST, _INFINITY = f"try_cast({VALUE} AS double)", "double('Infinity')"


def _aggregates() -> dict[str, str]:
    """What is told of each value, by name; types are read as an extract would read them."""
    return {
        "is_integer": f"{VALUE} RLIKE '{_INTEGER}'",
        "is_decimal": f"{VALUE} RLIKE '{_DECIMAL}' AND length({VALUE}) <= 38",
        "number": _where(f"{VALUE} RLIKE '{_NUMBER}' AND abs({_NEAREST}) < {_INFINITY}", _NEAREST),
        "is_double": f"{VALUE} RLIKE '{_NUMBER}' AND {cast_text(VALUE, 'double')} IS NOT NULL",
        "day": _where(f"{VALUE} RLIKE '{_DAY}'", cast_text(VALUE, "date")),
        "moment": _where(f"{VALUE} RLIKE '{_MOMENT}'", cast_text(VALUE, "timestamp")),
    }


_EXACT = _where("is_decimal", f"try_cast({VALUE} AS decimal(38,12))")
_TIME = "coalesce(CAST(day AS timestamp), moment)"
_SHORT = f"substr({VALUE}, 1, {_SHOWN})"


def _end(function: str, order: str) -> str:
    """The value at one end of an order; of values that are equal there, by their text."""
    return f"{function}({_SHORT}, CASE WHEN {order} IS NOT NULL THEN struct({order}, {VALUE}) END)"


_COUNTED = {
    "nulls": f"count_if({VALUE} IS NULL AND NOT broken)",
    "unreadable": "count_if(broken)",
    "values": f"count({VALUE})",
    "empty": f"count_if({VALUE} = '')",
    "padded": f"count_if({VALUE} <> trim({VALUE}))",
    "distinct": f"approx_count_distinct({VALUE}, 0.02)",
    "shortest": f"min(length({VALUE}))",
    "longest": f"max(length({VALUE}))",
    "booleans": f"count_if(lower({VALUE}) IN ('true', 'false'))",
    "integers": "count_if(is_integer)",
    "decimals": "count_if(is_decimal)",
    "numbers": "count_if(is_double)",
    "digits": "max("
    + _where("is_decimal", f"length(regexp_replace({VALUE}, '^-|[.].*$', ''))")
    + ")",
    "scale": "max("
    + _where("is_decimal", f"length(regexp_replace({VALUE}, '^[^.]*[.]?', ''))")
    + ")",
    "days": "count(day)",
    "moments": "count(moment)",
    "zoned": f"count_if(moment IS NOT NULL AND {VALUE} RLIKE '{_ZONED}')",
    "compact_days": f"count_if({VALUE} RLIKE '{_COMPACT_DAY}')",
    "text_low": f"min({_SHORT})",
    "text_high": f"max({_SHORT})",
    "exact_low": _end("min_by", _EXACT),
    "exact_high": _end("max_by", _EXACT),
    "number_low": _end("min_by", "number"),
    "number_high": _end("max_by", "number"),
    "time_low": _end("min_by", _TIME),
    "time_high": _end("max_by", _TIME),
}
