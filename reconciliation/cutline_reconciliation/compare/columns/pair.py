"""One column of both sides: its common form, and the differences that its rules forgive."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sources import RepeatedTime, instant
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.columns.forms import CommonForm, Conversion, common_form
from cutline_reconciliation.compare.columns.marked import plain_text
from cutline_reconciliation.compare.columns.normalizations import Normalization, normalizations
from cutline_reconciliation.compare.columns.numbers import digits
from cutline_reconciliation.compare.columns.tolerance import ToleranceRule, tolerance_rules
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
class ColumnPair:
    """A column of both sides."""

    name: str
    left_type: T.DataType
    right_type: T.DataType
    form: CommonForm
    normalizations: tuple[Normalization, ...]
    tolerances: tuple[ToleranceRule, ...]
    local_sides: frozenset[str] = frozenset()
    """The sides whose times have no zone, for which a rule declares one: left, right.

    Times that the zone's clocks skip or show twice are null in the common form.
    """

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of its rules, in the order in which they are tried."""
        return (*(s.rule for s in self.normalizations), *(n.rule for n in self.tolerances))

    def in_common_form(self, value: Column, side: str) -> Column:
        """A side's value in the common form, before any rule."""
        make = self.form.left if side == "left" else self.form.right
        return make(value)

    def normalized(self, value: Column, side: str) -> Column:
        """A side's value in the common form after every rule but the tolerances."""
        makes = [getattr(step, side) for step in self.normalizations]
        return reduce(
            lambda before, convert: convert(before), makes, self.in_common_form(value, side)
        )

    def verdict(self, left: Column, right: Column) -> Column:
        """The verdict on two values; null where they are the same.

        It is a struct of `class`, `changed` or `within_tolerance`, and of the `rules` that forgive.
        """
        return self._where_different(left, right, {})

    def difference(self, left: Column, right: Column) -> Column:
        """The struct `DIFFERENCE` of two values; null where they are the same."""
        fields = {
            "column": F.lit(self.name),
            "left": values.value_text(left, self.left_type),
            "right": values.value_text(right, self.right_type),
            "amount": values.numeric_difference(left, self.left_type, right, self.right_type),
        }
        return self._where_different(left, right, fields)

    def _where_different(self, left: Column, right: Column, fields: dict[str, Column]) -> Column:
        sides = ("left", left), ("right", right)
        left_value, right_value = (self.in_common_form(value, side) for side, value in sides)
        equal = left_value.eqNullSafe(right_value)
        kind, rules = F.lit(classes.CHANGED), F.array().cast("array<string>")
        # A skipped local time is null in the common form, though its value is not null.
        lost = [
            v.isNotNull() & self.in_common_form(v, s).isNull()
            for s, v in sides
            if s in self.local_sides
        ]
        for no_instant in lost:
            equal = equal & ~no_instant
        if self.rules:
            needed = self._rules_needed(left_value, right_value)
            for no_instant in lost:
                needed = F.when(~no_instant, needed)
            kind = F.when(needed.isNotNull(), classes.WITHIN_TOLERANCE).otherwise(kind)
            rules = F.coalesce(needed, rules)
        fields = {**fields, "class": kind, "rules": rules}
        struct = F.struct(*(fields[name].alias(name) for name in _FIELDS if name in fields))
        return F.when(~equal, struct)

    def _rules_needed(self, left: Column, right: Column) -> Column:
        """The names of the rules that forgive the difference; null if none do.

        That is the first rule that suffices alone; without such a one, all rules that change a
        value.
        """
        single = [
            F.when(make_left(left).eqNullSafe(make_right(right)), F.array(F.lit(s.rule)))
            for s in self.normalizations
            for make_left, make_right in [(s.alone or s.left, s.alone or s.right)]
        ]
        single += [F.when(n.holds(left, right), F.array(F.lit(n.rule))) for n in self.tolerances]
        changing: list[Column] = []
        for step in self.normalizations:
            after = step.left(left), step.right(right)
            changes = ~(after[0].eqNullSafe(left) & after[1].eqNullSafe(right))
            changing.append(F.when(changes, step.rule))
            left, right = after
        several = [F.when(left.eqNullSafe(right), _not_null(changing))]
        several += [
            F.when(n.holds(left, right), _not_null([*changing, F.lit(n.rule)]))
            for n in self.tolerances
        ]
        return F.coalesce(*single, *several)


def not_null_differences(differences: Sequence[Column]) -> Column:
    """An array of the structs `DIFFERENCE` that are not null."""
    kind = f"array<{DIFFERENCE}>"
    if not differences:
        return F.array().cast(kind)
    return F.filter(F.array(*differences), lambda difference: difference.isNotNull()).cast(kind)


def column_pair(
    name: str,
    left_type: T.DataType,
    right_type: T.DataType,
    rules: ColumnRules | None,
    marked: Collection[str] = (),
) -> ColumnPair:
    """The pair of a column's types, with its rules. ConfigurationError, naming it, if it cannot be
    compared.

    `marked` are the kinds of its values where each is a marked text, as are numbers that are
    compared by their digits; empty for other columns.
    """
    rules = rules or ColumnRules()
    if rules.map and marked:
        # As of a column whose own rules map it: by the values themselves.
        common, marked = CommonForm(plain_text, plain_text, T.StringType()), ()
    elif rules.map:
        common = CommonForm(
            lambda value: values.value_text(value, left_type),
            lambda value: values.value_text(value, right_type),
            T.StringType(),
        )
    elif rules.zone is not None:
        common = _instants(name, left_type, right_type, rules)
    else:
        common = common_form(name, left_type, right_type)
        if digits(left_type) is not None and isinstance(common.type, T.StringType):
            marked = ("number",)
    return ColumnPair(
        name,
        left_type,
        right_type,
        common,
        tuple(normalizations(name, common.type, rules, marked)),
        tuple(tolerance_rules(name, common.type, rules)),
        frozenset() if rules.map or rules.zone is None else _local_sides(left_type, right_type),
    )


def _local_sides(left: T.DataType, right: T.DataType) -> frozenset[str]:
    kinds = {"left": left, "right": right}
    return frozenset(s for s, kind in kinds.items() if isinstance(kind, T.TimestampNTZType))


def _instants(name: str, left: T.DataType, right: T.DataType, rules: ColumnRules) -> CommonForm:
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
    return CommonForm(sides[0], sides[1], T.TimestampType())


def _in_zone(zone: str, doubled: RepeatedTime | None) -> Conversion:
    # The session's zone is UTC, so that the cast changes the type only.
    return lambda value: instant(value.cast("timestamp"), zone, doubled)


def _not_null(rules: list[Column]) -> Column:
    return F.filter(F.array(*rules), lambda rule: rule.isNotNull())
