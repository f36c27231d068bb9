"""The values that a column may take in generated histories."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import types as T

from cutline.conformance.generate.checks import bounds, passes, text_of
from cutline.conformance.generate.pattern import matching
from cutline.errors import ConfigurationError
from cutline.testing.literals import literal
from cutline.translator import SourceContract

_FAR_PAST = dt.datetime(1900, 1, 1, tzinfo=dt.UTC)
_MANY = 12


@dataclass(frozen=True)
class Values:
    """What one column may hold: `pool`, or for a time whatever `draw` makes of the moment.

    `matters` says that rules compare it with constants.
    """

    name: str
    kind: T.DataType
    nullable: bool
    pool: tuple[Any, ...]
    checks: tuple[Any, ...]
    matters: bool = False

    @property
    def is_time(self) -> bool:
        """Whether the column holds moments or days."""
        return isinstance(self.kind, T.TimestampType | T.TimestampNTZType | T.DateType)

    def draw(self, rng: random.Random, now: dt.datetime) -> Any:
        """A value that the contract allows, never null unless there is no other.

        A time lies mostly shortly before `now`; sometimes it is `now`, and rarely in a far past.
        """
        if self.is_time:
            return self._time(rng, now)
        return rng.choice(self.pool) if self.pool else None

    def numbered(self, number: int) -> Any:
        """A value of its own for a number; null where the checks or the type allow none."""
        made: Any = None
        match self.kind:
            case T.StringType():
                made = f"{self.name}-{number}"
            case T.ByteType() | T.BooleanType():
                made = None
            case T.IntegralType():
                made = number + 1
            case T.DecimalType():
                made = _fitted(number + 1, self.kind)
        if made is None or not passes(made, self.checks):
            made = self.pool[number % len(self.pool)] if self.pool else None
        return made

    def _time(self, rng: random.Random, now: dt.datetime) -> Any:
        back = rng.choice((0, 1, 60, 3_600, 86_400, 40 * 86_400))
        drawn = _FAR_PAST if rng.random() < 0.03 else now - dt.timedelta(seconds=back)
        for moment in (drawn, now, *self.pool):
            made = _as_kind(moment, self.kind)
            if passes(made, self.checks):
                return made
        return None


def values_of(
    contract: type[SourceContract], name: str, constants: Sequence[Any], rng: random.Random
) -> Values:
    """What the column may hold: what its checks allow, and the `constants` that rules compare with.

    ConfigurationError where it must not be null and no value could be made that keeps its checks.
    """
    column = contract.columns()[name]
    kind = column.dtype.type
    checks = tuple(column.checks)
    named = [_fitted(value, kind) for value in (*bounds(checks), *constants)]
    made = [*named, *_of_kind(kind, name, checks, rng)]
    if isinstance(kind, T.StringType) and any(named):
        made = [*named, *(f"{name}-{letter}" for letter in "abc"[: max(1, 3 - len(named))])]
    pool = tuple(dict.fromkeys(v for v in made if _hashable(v) is not None and passes(v, checks)))
    found = Values(name, kind, bool(column.nullable), pool, checks, bool(constants))
    if not pool and not column.nullable and not found.is_time:
        raise ConfigurationError(
            f"contract {contract.__name__}, column {name}: no value could be made that keeps its "
            f"checks ({', '.join(str(c.name) for c in checks)})",
            next_step="Name its values with isin=[…], or a simpler pattern.",
        )
    return found


def _of_kind(kind: T.DataType, name: str, checks: Sequence[Any], rng: random.Random) -> list[Any]:
    match kind:
        case T.StringType():
            return _texts(name, checks, rng)
        case T.BooleanType():
            return [True, False]
        case T.ByteType():
            return [0, 1, 7, -1]
        case T.IntegralType():
            near = [b + d for b in bounds(checks) if isinstance(b, int) for d in (-1, 1)]
            return [*near, 0, 1, 2, 7, 1_000, -1]
        case T.DecimalType():
            return _decimals(kind, checks)
        case T.FractionalType():
            return [0.0, 1.0, 2.5, -1.0]
        case T.BinaryType():
            return [b"", b"\x00\xff"]
        case T.ArrayType():
            inner = _of_kind(kind.elementType, name, (), rng)
            return [(), tuple(inner[:1]), tuple(inner[:2])]
        case _:
            return []


def _texts(name: str, checks: Sequence[Any], rng: random.Random) -> list[str]:
    made = [f"{name}-a", f"{name}-b", f"{name}-c", "x", "xy", "xyz", "", "ABCDEFGH"]
    for check in checks:
        told = dict(check.statistics)
        if "pattern" in told:
            drawn = (matching(text_of(told["pattern"]), rng) for _ in range(_MANY))
            made += [text for text in drawn if text is not None]
        if "string" in told:
            made += [told["string"], *(f"{told['string']}{t}" for t in "ab")]
            made += [f"{t}{told['string']}" for t in "ab"]
        if check.name == "str_length":
            limits = [n for n in (told.get("min_value"), told.get("max_value")) if n is not None]
            made += [letter * n for n in limits for letter in "ab"]
    return made


def _decimals(kind: T.DecimalType, checks: Sequence[Any]) -> list[Decimal]:
    unit = Decimal(1).scaleb(-kind.scale)
    near = [Decimal(str(b)) + d for b in bounds(checks) for d in (-unit, unit)]
    made = [*near, Decimal(0), unit, -unit, Decimal(1), Decimal("12"), Decimal(1234)]
    top = Decimal(10) ** (kind.precision - kind.scale)
    return [value.quantize(unit) for value in made if abs(value) < top]


def _fitted(value: Any, kind: T.DataType) -> Any:
    """A value that a check or a rule names, as the column holds it; null where it cannot."""
    try:
        return literal(value, kind, "")
    except ConfigurationError:
        return None


def _hashable(value: Any) -> Any:
    return value if value is None or value.__hash__ is not None else None


def _as_kind(moment: Any, kind: T.DataType) -> Any:
    if isinstance(kind, T.DateType):
        return moment.date() if isinstance(moment, dt.datetime) else moment
    return moment.replace(tzinfo=None) if isinstance(kind, T.TimestampNTZType) else moment
