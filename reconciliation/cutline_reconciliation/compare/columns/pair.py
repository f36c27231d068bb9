"""One column of both sides: the form in which it is compared, and what its rules forgive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sources.local_times import Doubled, instant
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.forms import Form, Make, form
from cutline_reconciliation.compare.columns.steps import Step, steps
from cutline_reconciliation.compare.columns.tolerance import Near, nearness
from cutline_reconciliation.compare.rules import ColumnRules, Zones

_FIELDS = {
    "column": "string",
    "class": "string",
    "left": "string",
    "right": "string",
    "amount": values.AMOUNT,
    "rules": "array<string>",
}
DIFFERENCE = f"struct<{','.join(f'{name}:{kind}' for name, kind in _FIELDS.items())}>"


@dataclass(frozen=True)
class Pair:
    """A column that both sides have."""

    name: str
    left_type: T.DataType
    right_type: T.DataType
    form: Form
    steps: tuple[Step, ...]
    near: tuple[Near, ...]
    local: frozenset[str] = frozenset()
    """The sides whose times have no zone of their own, because a rule declares one: left, right.
    Those that are no instant, or two, are null in the common form."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of its rules, in the order in which they are tried."""
        return (*(s.rule for s in self.steps), *(n.rule for n in self.near))

    def plain(self, value: Column, side: str) -> Column:
        """A side's value in the common form, before any rule."""
        make = self.form.left if side == "left" else self.form.right
        return make(value)

    def alike(self, value: Column, side: str) -> Column:
        """A side's value in the common form after every rule but the tolerances."""
        makes = [getattr(step, side) for step in self.steps]
        return reduce(lambda made, make: make(made), makes, self.plain(value, side))

    def verdict(self, left: Column, right: Column) -> Column:
        """A struct of `class` (`changed` or `within_tolerance`) and the `rules` that forgive, for
        two values that are not the same; else null."""
        return self._differing(left, right, {})

    def difference(self, left: Column, right: Column) -> Column:
        """A struct `DIFFERENCE` for two values that are not the same; else null."""
        told = {
            "column": F.lit(self.name),
            "left": values.text(left, self.left_type),
            "right": values.text(right, self.right_type),
            "amount": values.amount(left, self.left_type, right, self.right_type),
        }
        return self._differing(left, right, told)

    def _differing(self, left: Column, right: Column, told: dict[str, Column]) -> Column:
        sides = ("left", left), ("right", right)
        one, other = (self.plain(value, side) for side, value in sides)
        same = one.eqNullSafe(other)
        kind, rules = F.lit(classes.CHANGED), F.array().cast("array<string>")
        # A local time that is no instant is null in the common form, and yet not null.
        lost = [v.isNotNull() & self.plain(v, s).isNull() for s, v in sides if s in self.local]
        for no_instant in lost:
            same = same & ~no_instant
        if self.rules:
            needed = self._needed(one, other)
            for no_instant in lost:
                needed = F.when(~no_instant, needed)
            kind = F.when(needed.isNotNull(), classes.WITHIN_TOLERANCE).otherwise(kind)
            rules = F.coalesce(needed, rules)
        told = {**told, "class": kind, "rules": rules}
        found = F.struct(*(told[name].alias(name) for name in _FIELDS if name in told))
        return F.when(~same, found)

    def _needed(self, left: Column, right: Column) -> Column:
        """The rules that it takes to forgive the difference; null if they do not.

        One alone where one is enough, the first that is; else all that change a value.
        """
        alone = [
            F.when(s.left(left).eqNullSafe(s.right(right)), F.array(F.lit(s.rule)))
            for s in self.steps
        ]
        alone += [F.when(n.holds(left, right), F.array(F.lit(n.rule))) for n in self.near]
        taken: list[Column] = []
        for step in self.steps:
            made = step.left(left), step.right(right)
            changes = ~(made[0].eqNullSafe(left) & made[1].eqNullSafe(right))
            taken.append(F.when(changes, step.rule))
            left, right = made
        several = [F.when(left.eqNullSafe(right), _there(taken))]
        several += [
            F.when(n.holds(left, right), _there([*taken, F.lit(n.rule)])) for n in self.near
        ]
        return F.coalesce(*alone, *several)


def told(found: Sequence[Column]) -> Column:
    """Of structs `DIFFERENCE` those that are not null, as an array."""
    kind = f"array<{DIFFERENCE}>"
    if not found:
        return F.array().cast(kind)
    return F.filter(F.array(*found), lambda one: one.isNotNull()).cast(kind)


def pair(
    name: str, left_type: T.DataType, right_type: T.DataType, rules: ColumnRules | None
) -> Pair:
    """The column, ready to be compared. ConfigurationError, naming it, if it cannot be."""
    rules = rules or ColumnRules()
    if rules.map:
        common = Form(
            lambda value: values.text(value, left_type),
            lambda value: values.text(value, right_type),
            T.StringType(),
        )
    elif rules.zone is not None:
        common = _instants(name, left_type, right_type, rules)
    else:
        common = form(name, left_type, right_type)
    return Pair(
        name,
        left_type,
        right_type,
        common,
        tuple(steps(name, common.type, rules)),
        tuple(nearness(name, common.type, rules)),
        frozenset() if rules.map or rules.zone is None else _local(left_type, right_type),
    )


def _local(left: T.DataType, right: T.DataType) -> frozenset[str]:
    kinds = {"left": left, "right": right}
    return frozenset(s for s, kind in kinds.items() if isinstance(kind, T.TimestampNTZType))


def _instants(name: str, left: T.DataType, right: T.DataType, rules: ColumnRules) -> Form:
    zone = rules.zone
    zones = zone if isinstance(zone, Zones) else Zones(left=zone, right=zone)
    sides = []
    for side, kind, declared in (("left", left, zones.left), ("right", right, zones.right)):
        if isinstance(kind, T.TimestampNTZType) and declared is not None:
            sides.append(_in_zone(declared, rules.doubled))
        elif isinstance(kind, T.TimestampType):
            sides.append(lambda value: value)
        else:
            raise ConfigurationError(
                f"column {name} has rule zone, but on the {side} it is {kind.simpleString()}"
                + ("" if declared else " and no zone is declared"),
                next_step="A zone is for timestamps without one.",
            )
    return Form(sides[0], sides[1], T.TimestampType())


def _in_zone(zone: str, doubled: Doubled | None) -> Make:
    # The session is in UTC, so that the cast changes nothing but the type.
    return lambda value: instant(value.cast("timestamp"), zone, doubled)


def _there(rules: list[Column]) -> Column:
    return F.filter(F.array(*rules), lambda rule: rule.isNotNull())
