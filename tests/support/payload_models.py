"""Payload classes out of Hypothesis, and values for them: right ones, edges and wrong ones."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from hypothesis import strategies as st
from pydantic import Field, create_model

from cutline.context import Event, ValueObject

HOSTILE = ("", " ", "a", "A1", "AB12", "\n", "a\n", "\x00\x1f", '"\\', "😀", "😀😀", "é", "e\u0301",
           "\u2028", "\ufeff", "\ufffe", "٣", "null", "x" * 2000, "'; drop", "a" * 5, "12345")  # fmt: skip
EDGES = (0, 1, -1, 2, 9, 10, 11, 99, 100, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
MOMENTS = tuple(
    dt.datetime(*given, tzinfo=dt.UTC)
    for given in (
        (1, 1, 1), (1582, 10, 10), (1883, 11, 18, 12), (1970, 1, 1), (1969, 12, 31, 23, 59, 59, 999999),
        (2020, 1, 1), (2020, 1, 1, 0, 0, 0, 1), (2026, 3, 29, 1, 30), (9999, 12, 31, 23, 59, 59, 999999),
    )
)  # fmt: skip
DAYS = (*(m.date() for m in MOMENTS), dt.date(2020, 2, 29))
PATTERNS = ("^[A-Z]{1,2}[0-9]*$", "a", "^a$", "^(?:a|b|😀){1,3}$", "[^a\\n]", "^$",
            "[A-Z][0-9]?$", "\\.|\\\\", "[\\]\\-a]", "^[^\\n]{0,3}$")  # fmt: skip


class Colour(enum.Enum):
    """Text values."""

    RED = "red"
    ODD = "😀\n"


class Level(enum.IntEnum):
    """Whole numbers."""

    LOW = 1
    HIGH = 2**53 + 1


@dataclass(frozen=True)
class Kind:
    """A type of a field, and values for a column of it; None comes besides."""

    annotation: Any
    values: st.SearchStrategy[Any]


def _strings(draw: Any) -> Kind:
    constraints: dict[str, Any] = {}
    if draw(st.booleans()):
        constraints["min_length"] = draw(st.integers(0, 3))
    if draw(st.booleans()):
        constraints["max_length"] = draw(st.integers(1, 5))
    if draw(st.booleans()):
        constraints["pattern"] = draw(st.sampled_from(PATTERNS))
    return Kind(_with(str, constraints), st.sampled_from(HOSTILE) | st.text(max_size=6))


def _whole(draw: Any) -> Kind:
    constraints = draw(st.fixed_dictionaries({}, optional={
        "ge": st.sampled_from(EDGES), "gt": st.sampled_from(EDGES), "le": st.sampled_from(EDGES),
        "lt": st.sampled_from(EDGES), "multiple_of": st.sampled_from((1, 2, 10, 100)),
    }))  # fmt: skip
    return Kind(_with(int, constraints), st.sampled_from(EDGES) | st.integers(-(2**63), 2**63 - 1))


def _decimals(draw: Any) -> Kind:
    digits = draw(st.sampled_from((1, 2, 5, 12, 18, 19, 38)))
    places = draw(st.integers(0, min(digits, 6)) | st.just(digits))
    top = Decimal(10) ** (digits - places)
    constraints: dict[str, Any] = {"max_digits": digits, "decimal_places": places}
    lows = (Decimal(0), Decimal("-0.005"), -top / 2, 0)
    highs = (Decimal("0.995"), top, top / 3, Decimal("0.0000001"))
    if draw(st.booleans()):
        constraints[draw(st.sampled_from(("ge", "gt")))] = draw(st.sampled_from(lows))
    if draw(st.booleans()):
        constraints[draw(st.sampled_from(("le", "lt")))] = draw(st.sampled_from(highs))
    if draw(st.booleans()) and digits <= 18:
        constraints["multiple_of"] = draw(
            st.sampled_from((Decimal("0.05"), Decimal(2), Decimal("0.25")))
        )
    most = 10**digits - 1
    edges = [n for n in (0, 1, -1, 5, 50, most, -most, most // 2) if abs(n) <= most]
    numbers = st.sampled_from(edges) | st.integers(-most, most)
    return Kind(_with(Decimal, constraints), numbers.map(lambda n: _exact(n, places)))


def _exact(number: int, places: int) -> Decimal:
    sign, digits = (1 if number < 0 else 0), tuple(int(d) for d in str(abs(number)))
    return Decimal((sign, digits, -places))


def _moments(draw: Any) -> Kind:
    constraints = draw(st.fixed_dictionaries({}, optional={
        "ge": st.sampled_from(MOMENTS), "lt": st.sampled_from(MOMENTS)}))  # fmt: skip
    any_moment = st.datetimes(timezones=st.just(dt.UTC))
    return Kind(_with(dt.datetime, constraints), st.sampled_from(MOMENTS) | any_moment)


def _days(draw: Any) -> Kind:
    constraints = draw(st.fixed_dictionaries({}, optional={
        "gt": st.sampled_from(DAYS), "le": st.sampled_from(DAYS)}))  # fmt: skip
    return Kind(_with(dt.date, constraints), st.sampled_from(DAYS) | st.dates())


def _chosen(draw: Any) -> Kind:
    return draw(
        st.sampled_from(
            (
                Kind(Literal["a", "😀", "\x01"], st.sampled_from(("a", "😀", "\x01", "A", "a "))),
                Kind(Literal[1, 2**53 + 1], st.sampled_from((0, 1, 2**53, 2**53 + 1))),
                Kind(Literal[True], st.booleans()),
                Kind(Literal["x", None], st.sampled_from(("x", "y", ""))),
                Kind(Colour, st.sampled_from(("red", "😀\n", "RED", ""))),
                Kind(Level, st.sampled_from((1, 2, 2**53, 2**53 + 1))),
                Kind(bool, st.booleans()),
            )
        )
    )


_SIMPLE: tuple[Callable[[Any], Kind], ...] = (
    _strings, _whole, _decimals, _moments, _days, _chosen)  # fmt: skip


def _lists(draw: Any, depth: int) -> Kind:
    constraints = draw(st.fixed_dictionaries({}, optional={
        "min_length": st.integers(0, 2), "max_length": st.integers(0, 3)}))  # fmt: skip
    element = _any(draw, depth - 1)
    annotation, values = _maybe(draw, element)
    listed: Any = list[annotation] if draw(st.booleans()) else tuple[annotation, ...]
    return Kind(_with(listed, constraints), st.lists(values, max_size=3))


def _nested(draw: Any, depth: int) -> Kind:
    fields, values = _fields(draw, depth - 1)
    model = create_model("Part", __base__=ValueObject, __doc__="A part.", **fields)
    return Kind(model, st.fixed_dictionaries(values))


def _any(draw: Any, depth: int) -> Kind:
    nests = draw(st.integers(0, 3)) if depth > 0 else 9
    if nests == 0:
        return _lists(draw, depth)
    if nests == 1:
        return _nested(draw, depth)
    return draw(st.sampled_from(_SIMPLE))(draw)


def _maybe(draw: Any, kind: Kind) -> tuple[Any, st.SearchStrategy[Any]]:
    """The type, optional or not, and its values; null comes in either case."""
    optional = draw(st.booleans())
    often = st.none() | kind.values | kind.values | kind.values
    return (kind.annotation | None if optional else kind.annotation), often


def _fields(draw: Any, depth: int) -> tuple[dict[str, Any], dict[str, st.SearchStrategy[Any]]]:
    fields: dict[str, Any] = {}
    values: dict[str, st.SearchStrategy[Any]] = {}
    for name in draw(st.lists(st.sampled_from(("order", "b", "Aa", "c_1", "date")), min_size=1, max_size=3,
                              unique=True)):  # fmt: skip
        annotation, values[name] = _maybe(draw, _any(draw, depth))
        fields[name] = (annotation, ...)
    return fields, values


@st.composite
def cases(draw: Any, rows: int) -> tuple[type[Event], list[dict[str, Any]]]:
    """A payload class and values for it, many of them wrong."""
    fields, values = _fields(draw, 2)
    event = create_model("Told", __base__=Event, __doc__="It was told.", **fields)
    row = st.fixed_dictionaries(values)
    return event, draw(st.lists(row, min_size=rows, max_size=rows))


def _with(annotation: Any, constraints: dict[str, Any]) -> Any:
    return Annotated[annotation, Field(**constraints)] if constraints else annotation
