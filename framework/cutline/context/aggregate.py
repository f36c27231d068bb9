"""Aggregates: a bounded context's consistency units, as declarations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from cutline.context.column_rule import ColumnRule
from cutline.context.event import Event
from cutline.context.fold_value import exact_fold_value
from cutline.context.order import Excludes, Expects, OrderRule, Requires
from cutline.context.part_of import PartOf
from cutline.context.payload import PayloadField, payload_fields
from cutline.context.state import HISTORY_COLUMNS, OF_FIELDS, SUM, Fold, Lines, StateColumn
from cutline.errors import ConfigurationError, did_you_mean

_LITERALS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "bigint": (int,),
    "boolean": (bool,),
    "decimal": (int, Decimal),
    "date": (dt.date,),
    "timestamp": (dt.datetime,),
}
"""By Spark type, the Python types of the values that a condition may compare a field with."""
_NUMBERS = ("bigint", "decimal")
"""The kinds of fields that can be added up."""

CONTINUES, SPLITS = "continues", "splits"
"""The values of `renamed`, for a changed key that is a subject's id: the history of the subject
continues under the new id, or it ends and another subject begins."""


@dataclass(frozen=True)
class Aggregate:
    """A consistency unit of the context.

    `events` are listed in causal order: where two business times tie, the one listed first comes
    first. Their payloads are read here, and what columns cannot check is refused. `state` declares
    the columns of `state_<name>`. `order` holds the causal rules. `renamed` decides about a
    subject whose id the source changes: CONTINUES (its whole history is under the new id) or SPLITS
    (the old subject ends as if it were deleted, and a new one begins). While the last event of a
    subject is one of `ended_by` it has no state: a tombstone tells consumers so. `categories` are
    state columns of few values, such as a sales channel: reconciliation counts by them. `rules` are
    the differences that reconciliation forgives, by state column. `part_of` is the aggregate of
    which each subject is a part, as an order's lines are of the order.

    ConfigurationError for a rule or state column that names an event of another aggregate, for a
    state column of a field that its event has not or with a name that it cannot have, and for
    `requires` rules that form a cycle.
    """

    name: str
    doc: str
    events: tuple[type[Event], ...]
    state: Mapping[str, StateColumn]
    order: tuple[OrderRule, ...] = ()
    renamed: str = CONTINUES
    ended_by: tuple[type[Event], ...] = ()
    categories: tuple[str, ...] = ()
    rules: Mapping[str, ColumnRule] = field(default_factory=dict)
    part_of: PartOf | None = None

    def __post_init__(self) -> None:
        for event in self.events:
            payload_fields(event)
        if self.renamed not in (CONTINUES, SPLITS):
            raise ConfigurationError(
                f"aggregate {self.name}: renamed is {self.renamed!r}."
                + did_you_mean(self.renamed, (CONTINUES, SPLITS)),
                next_step=f"It is {CONTINUES!r} or {SPLITS!r}.",
            )
        for rule in self.order:
            named = {rule.event, rule.other if isinstance(rule, Excludes) else rule.first}
            for event in named - set(self.events):
                raise ConfigurationError(
                    f"aggregate {self.name}: an order rule names {event.__name__}, "
                    "which is not one of its events"
                )
        for event in set(self.ended_by) - set(self.events):
            raise ConfigurationError(
                f"aggregate {self.name}: it is ended by {event.__name__}, "
                "which is not one of its events"
            )
        for column in set(self.rules) - set(self.state):
            raise ConfigurationError(
                f"aggregate {self.name}: a rule is about {column!r}, which is not one of its state "
                f"columns.{did_you_mean(column, self.state)}",
                next_step=f"It has: {', '.join(self.state) or 'none'}.",
            )
        self._refuse_unusable_columns()
        self._refuse_unknown_columns()
        for column, state in self.state.items():
            for event in set(state.events) - set(self.events):
                raise ConfigurationError(
                    f"aggregate {self.name}: state column {column} listens to {event.__name__}, "
                    "which is not one of its events"
                )
            self._refuse_unknown_fields(column, state)
            self._refuse_wrong_lines(column, state)
            self._refuse_wrong_fold(column, state)
        self.required_levels()

    def _refuse_unusable_columns(self) -> None:
        """ConfigurationError for a name that a state table has already, or that SQL cannot say."""
        taken_names = dict.fromkeys(("subject", *HISTORY_COLUMNS), "every state table has it")
        self._refuse_unusable_names("a state column", self.state, taken_names)

    def _refuse_unusable_names(
        self, columns: str, names: Iterable[str], taken_names: dict[str, str]
    ) -> None:
        """ConfigurationError for a name that is none, or that is taken but for its case: as one of
        `taken_names`, in small letters and each with the reason, or as one before it."""
        for name in names:
            reason = taken_names.get(name.casefold())
            if not name.isidentifier():
                reason = "it is no name: letters, digits and _ only"
            if reason is not None:
                raise ConfigurationError(
                    f"aggregate {self.name}: {columns} cannot be called {name!r}: {reason}",
                    next_step="Give it another name.",
                )
            taken_names[name.casefold()] = f"{name!r} differs in upper and lower case only"

    def _refuse_unknown_columns(self) -> None:
        plain = [name for name, state in self.state.items() if not isinstance(state, Lines)]
        whole_columns = () if self.part_of is None else self.part_of.by
        named = [("category", c) for c in self.categories]
        named += [("the column of its whole", c) for c in whole_columns]
        for role, column in named:
            if column not in plain:
                raise ConfigurationError(
                    f"aggregate {self.name}: {role} {column!r} is not one of its plain state "
                    f"columns.{did_you_mean(column, plain)}",
                    next_step=f"It has: {', '.join(plain) or 'none'}.",
                )
        if self.part_of is not None and not whole_columns:
            raise ConfigurationError(
                f"aggregate {self.name}: it is a part of {self.part_of.aggregate} by no column",
                next_step="Name the state columns that are the id of the whole.",
            )

    def _refuse_unknown_fields(self, column: str, state: StateColumn) -> None:
        if not state.events:
            raise ConfigurationError(
                f"aggregate {self.name}: state column {column} listens to no event",
                next_step=f"Its events are: {', '.join(e.__name__ for e in self.events)}.",
            )
        for event, name in state.fields():
            if name not in event.model_fields:
                raise ConfigurationError(
                    f"aggregate {self.name}: state column {column} takes {event.__name__}.{name}, "
                    f"but {event.__name__} has no such field."
                    + did_you_mean(name, event.model_fields),
                    next_step=f"It has: {', '.join(event.model_fields) or 'no field'}.",
                )
        for event in state.events:
            for payload_field in payload_fields(event):
                if state.kind == SUM and payload_field.name == state.events[event]:
                    self._refuse_no_number(column, event, payload_field)
                for value in state.where.get(payload_field.name, ()):
                    self._refuse_value(f"{column} asks {event.__name__}", payload_field, value)
        if state.kind in OF_FIELDS:
            self._refuse_unlike_types(column, state.events)

    def _refuse_unlike_types(self, column: str, fields: Mapping[type[Event], str]) -> None:
        """ConfigurationError where a column takes fields of several types, by event."""
        types = {
            f"{event.__name__}.{name}": payload_field.type
            for event, name in fields.items()
            for payload_field in payload_fields(event)
            if payload_field.name == name
        }
        if len(set(types.values())) > 1:
            raise ConfigurationError(
                f"aggregate {self.name}: state column {column} takes values of different types: "
                + ", ".join(f"{field} is a {kind}" for field, kind in types.items()),
                next_step="Give the fields one type, or each its own column.",
            )

    def _refuse_no_number(
        self, column: str, event: type[Event], payload_field: PayloadField
    ) -> None:
        if payload_field.kind not in _NUMBERS:
            raise ConfigurationError(
                f"aggregate {self.name}: state column {column} is the total of "
                f"{event.__name__}.{payload_field.name}, which is a {payload_field.type}",
                next_step="A total is of whole numbers or decimals.",
            )

    def _refuse_value(self, where: str, field: PayloadField, value: object) -> None:
        choices = [str(choice) for choice in field.choices]
        if choices and str(value) not in choices:
            raise ConfigurationError(
                f"aggregate {self.name}: state column {where}.{field.name} for {value!r}, which it "
                f"never is.{did_you_mean(str(value), choices)}",
                next_step=f"It may be: {', '.join(choices)}.",
            )
        if type(value) not in _LITERALS.get(field.kind, ()):
            raise ConfigurationError(
                f"aggregate {self.name}: state column {where}.{field.name} for {value!r}, "
                f"but it is a {field.type}"
            )

    def _refuse_wrong_lines(self, column: str, state: StateColumn) -> None:
        if not isinstance(state, Lines):
            return
        if not state.key:
            raise ConfigurationError(f"aggregate {self.name}: the lines of {column} have no key")
        self._refuse_unusable_names(
            f"a column of the lines of {column}",
            [name for name in state.columns if name not in state.key],
            {key.casefold(): f"the key is {key!r}" for key in state.key},
        )
        for key in state.key:
            self._refuse_unlike_types(f"{column}.{key}", dict.fromkeys(state.events, key))
        for name, inner in state.columns.items():
            if isinstance(inner, Lines | Fold) or name in state.key:
                why = "is the key" if name in state.key else "nests again, or is a fold"
                raise ConfigurationError(
                    f"aggregate {self.name}: column {name} of the lines of {column} {why}",
                    next_step="The key's fields are columns of their own; lines nest only once.",
                )
            self._refuse_unknown_fields(f"{column}.{name}", inner)

    def _refuse_wrong_fold(self, column: str, state: StateColumn) -> None:
        kind = state.type.split("(")[0] if isinstance(state, Fold) else None
        if isinstance(state, Fold) and kind not in _LITERALS:
            raise ConfigurationError(
                f"aggregate {self.name}: state column {column} folds to a {state.type}."
                f"{did_you_mean(state.type, _LITERALS)}",
                next_step=f"It may be: {', '.join(_LITERALS)}.",
            )
        if isinstance(state, Fold):
            try:
                exact_fold_value(state.type, state.initial)
            except ValueError as error:
                raise ConfigurationError(
                    f"aggregate {self.name}: state column {column} folds to a {state.type}, and "
                    f"begins with {state.initial!r}: {error}",
                    next_step=f"Begin with a {state.type}, or with None.",
                ) from error

    def folded(self) -> tuple[str, ...]:
        """The names of the state columns that are folded in Python, event by event."""
        return tuple(name for name, state in self.state.items() if isinstance(state, Fold))

    def rank(self, event: type[Event]) -> int:
        """The place of an event type in the declared order, from 1."""
        return self.events.index(event) + 1

    def finding_rules(self) -> tuple[str, ...]:
        """The names under which findings of this aggregate are counted."""
        names: list[str] = []
        for rule in self.order:
            if isinstance(rule, Expects):
                names += [rule.rule, *([rule.missing] if rule.missing else [])]
            elif isinstance(rule, Excludes):
                names.append(rule.rule)
        return tuple(names)

    def required_levels(self) -> tuple[tuple[Requires, ...], ...]:
        """The `requires` rules by depth: those of one level depend only on levels before it.

        Raises ConfigurationError if they form a cycle.
        """
        pending = [r for r in self.order if isinstance(r, Requires)]
        levels: list[tuple[Requires, ...]] = []
        while pending:
            unsettled = {r.event for r in pending}
            level = tuple(r for r in pending if r.first not in unsettled)
            if not level:
                cycle = ", ".join(sorted(e.__name__ for e in unsettled))
                raise ConfigurationError(
                    f"aggregate {self.name}: its required order has a cycle among {cycle}"
                )
            levels.append(level)
            pending = [r for r in pending if r not in level]
        return tuple(levels)


def state_name(aggregate: str) -> str:
    """The name of an aggregate's projected table."""
    return f"state_{aggregate}"


def truth_name(aggregate: str) -> str:
    """The name of the table that holds the legacy's own answer for an aggregate."""
    return f"truth_{aggregate}"
