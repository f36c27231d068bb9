"""Contracts and rows as Hypothesis makes them: types, checks, literals, values at their edges."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import pyspark.sql.types as T
from hypothesis import strategies as st

from cutline.translator import SourceContract, column, row_check, table

HOSTILE = ["", "\x00", "\n", "a\nb", "\r\n", "\u2028", "\u202e", "😀", "é", "e\u0301", "ab" * 3000, "%", "\\", "'", "A ", "a", "A", "SO-1"]  # fmt: skip
PATTERNS = ["", "^", "a", "^a", r"[A-Z]{2}-\d+", r"SO-\d+$", r"\w+", ".", r".{3}", "^$", r"(?i)so", r"(?s).b", r"(?:ab)*+$", r"(?:a|é)b?", r"\s", r"[^\x00-\x1f]*$", r"^\Z", r"\D"]  # fmt: skip
TEXT = st.sampled_from(HOSTILE) | st.text(max_size=8)

# Spark's own literals, which pandera uses, know no date before 1000 and shift times before 1582.
DAYS = st.dates(min_value=dt.date(1583, 1, 1))
MOMENTS = st.datetimes(min_value=dt.datetime(1583, 1, 1), timezones=st.just(dt.UTC))


def _whole(bits: int) -> st.SearchStrategy[int]:
    edge = 2 ** (bits - 1)
    return st.sampled_from([-edge, edge - 1, 0, -1, 1]) | st.integers(-edge, edge - 1)


def _decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    whole = st.sampled_from([-most, most, 0, 1]) | st.integers(-most, most)
    return whole.map(lambda n: Decimal(f"{n}E-{scale}"))


@dataclass(frozen=True)
class Kind:
    """A column type, the literals that checks of it may have, and the values of rows."""

    type: Any
    literals: st.SearchStrategy[Any]
    values: st.SearchStrategy[Any]
    checks: Sequence[str]


_EQUAL, _ORDER = ("eq", "ne"), ("gt", "ge", "lt", "le", "in_range")
_ALL = (*_EQUAL, *_ORDER, "isin", "notin")
_TEXT = (*_EQUAL, "isin", "notin", "str_matches", "str_contains", "str_startswith", "str_endswith", "str_length")  # fmt: skip
_FLOATS, _SINGLES = (st.floats(allow_nan=False, width=w) for w in (64, 32))
_NAN = st.just(float("nan"))

KINDS = [
    Kind(T.StringType, TEXT, TEXT, _TEXT),
    Kind(T.ByteType, _whole(8), _whole(8), _ALL),
    Kind(T.ShortType, _whole(16), _whole(16), _ALL),
    Kind(T.IntegerType, _whole(32), _whole(32), _ALL),
    Kind(T.LongType, _whole(64), _whole(64), _ALL),
    Kind(Annotated[T.DecimalType, 5, 2], _decimals(6, 3) | st.integers(-9, 9), _decimals(5, 2), _ALL),
    Kind(Annotated[T.DecimalType, 38, 0], _decimals(38, 0), _decimals(38, 0), _ALL),
    Kind(Annotated[T.DecimalType, 38, 10], _decimals(38, 10), _decimals(38, 10), _ALL),
    Kind(T.DoubleType, _FLOATS, _FLOATS | _NAN, _ALL),
    Kind(T.FloatType, _SINGLES, _SINGLES | _NAN, _ALL),
    Kind(T.BooleanType, st.booleans(), st.booleans(), _EQUAL),
    Kind(T.DateType, DAYS, st.dates() | st.sampled_from([dt.date.min, dt.date.max]), _ALL),
    Kind(T.TimestampType, MOMENTS, st.datetimes(timezones=st.just(dt.UTC)), _ALL),
    Kind(T.BinaryType, st.binary(max_size=3), st.binary(max_size=3), (*_EQUAL, "isin", "notin")),
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A contract and rows for it, with what made them, for a person to read."""

    contract: type[SourceContract]
    checks: tuple[tuple[str, dict[str, Any]], ...]
    rows: tuple[tuple[Any, ...], ...]


@st.composite
def cases(draw: st.DrawFn, number: int) -> Case:
    """A contract of one to three columns, named after `number`, and some rows."""
    # Texts have the most checks of their own, and come as often as all the rest.
    kind = st.sampled_from(KINDS[:1]) | st.sampled_from(KINDS[1:])
    kinds = draw(st.lists(kind, min_size=1, max_size=3))
    names = [f"c{number}_{i}" for i in range(len(kinds))]
    checks, pools = [], []
    for kind in kinds:
        column_checks, pool = _checks(draw, kind)
        checks.append(column_checks)
        pools.append(pool)
    row = st.tuples(*(st.none() | pool for pool in pools))
    rows = draw(st.lists(row, min_size=4, max_size=4))
    body: dict[str, Any] = {
        "__annotations__": {n: k.type for n, k in zip(names, kinds, strict=True)},
        **{n: column(doc=n, **c) for n, c in zip(names, checks, strict=True)},
        "Config": type("Config", (), {"metadata": table("old", "rows", key=names[:1])}),
    }
    if draw(st.booleans()):
        body["between"] = _between(names[0], names[-1], kinds[0] is kinds[-1])
    checks_by_type = tuple((str(k.type), c) for k, c in zip(kinds, checks, strict=True))
    return Case(type(f"Case{number}", (SourceContract,), body), checks_by_type, tuple(rows))


def _between(first: str, last: str, alike: bool) -> Any:
    def between(cls, row):
        """the two do not agree"""
        left, right = getattr(row, first), getattr(row, last)
        return left >= right if alike else left.cast("string") == right.cast("string")

    return row_check(between)


def _checks(draw: st.DrawFn, kind: Kind) -> tuple[dict[str, Any], st.SearchStrategy[Any]]:
    """Checks for a column, and values for its rows: among them the checks' own literals."""
    checks: dict[str, Any] = {"nullable": draw(st.booleans())}
    used_literals: list[Any] = []
    for name in draw(st.lists(st.sampled_from(kind.checks), min_size=1, max_size=3, unique=True)):
        checks[name] = _parameters(draw, name, kind, used_literals)
    values = kind.values
    if used_literals:
        # A literal may be finer than the column, so it is a value only where it fits.
        fitting = [v for v in used_literals if kind.checks is not _ALL or _fits(v, kind)]
        values = values | st.sampled_from(fitting) if fitting else values
    return checks, values


def _fits(value: Any, kind: Kind) -> bool:
    return not isinstance(value, Decimal | int) or not hasattr(kind.type, "__metadata__")


def _parameters(draw: st.DrawFn, name: str, kind: Kind, used_literals: list[Any]) -> Any:
    match name:
        case "str_matches" | "str_contains":
            return draw(st.sampled_from(PATTERNS))
        case "str_length":
            low, high = sorted(draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))
            return draw(
                st.sampled_from([low, (low, high), {"min_value": low}, {"max_value": high}])
            )
        case "isin" | "notin":
            literals = draw(st.lists(kind.literals, min_size=1, max_size=4))
            used_literals.extend(literals)
            return literals
        case "in_range":
            low, high = draw(
                st.lists(kind.literals, min_size=2, max_size=2, unique=True).map(sorted)
            )
            used_literals.extend((low, high))
            return (low, high, draw(st.booleans()), draw(st.booleans()))
        case _:
            literal = draw(kind.literals)
            used_literals.append(literal)
            return literal
