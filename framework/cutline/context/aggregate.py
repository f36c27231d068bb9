"""Aggregates: a bounded context's consistency units, as declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cutline.context.event import Event
from cutline.context.order import Excludes, Expects, OrderRule, Requires
from cutline.context.payload import payload_fields
from cutline.context.state import OF_FIELDS, StateColumn
from cutline.errors import ConfigurationError, did_you_mean


@dataclass(frozen=True)
class Aggregate:
    """A consistency unit of the context.

    `events` are listed in causal order: where two business times tie, the one listed first comes
    first. Their payloads are read here, and what columns cannot check is refused. `state` declares
    the columns of `state_<name>`. `order` holds the causal rules.

    ConfigurationError for a rule or state column that names an event of another aggregate, for a
    state column of a field that its event has not, and for `requires` rules that form a cycle.
    """

    name: str
    doc: str
    events: tuple[type[Event], ...]
    state: Mapping[str, StateColumn]
    order: tuple[OrderRule, ...] = ()

    def __post_init__(self) -> None:
        for event in self.events:
            payload_fields(event)
        for rule in self.order:
            named = {rule.event, rule.other if isinstance(rule, Excludes) else rule.first}
            for event in named - set(self.events):
                raise ConfigurationError(
                    f"aggregate {self.name}: an order rule names {event.__name__}, "
                    "which is not one of its events"
                )
        for column, state in self.state.items():
            for event in set(state.events) - set(self.events):
                raise ConfigurationError(
                    f"aggregate {self.name}: state column {column} listens to {event.__name__}, "
                    "which is not one of its events"
                )
            self._refuse_unknown_fields(column, state)
        self.required_levels()

    def _refuse_unknown_fields(self, column: str, state: StateColumn) -> None:
        for event, name in state.events.items() if state.kind in OF_FIELDS else ():
            if name not in event.model_fields:
                raise ConfigurationError(
                    f"aggregate {self.name}: state column {column} takes {event.__name__}.{name}, "
                    f"but {event.__name__} has no such field."
                    + did_you_mean(name, event.model_fields),
                    next_step=f"It has: {', '.join(event.model_fields) or 'no field'}.",
                )

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
