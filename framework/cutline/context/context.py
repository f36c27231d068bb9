"""A bounded context: its aggregates, its outcomes and its merge policy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from cutline.context.aggregate import Aggregate
from cutline.context.event import Event
from cutline.context.merge_policy import MergePolicy
from cutline.context.outcome import Outcome
from cutline.context.twin import Twin
from cutline.errors import ConfigurationError, did_you_mean


@dataclass(frozen=True)
class Context:
    """Everything that a bounded context declares about itself; plugins offer one each.

    `twins` are the live events that announce its facts in other words than its own events.
    """

    name: str
    doc: str
    aggregates: tuple[Aggregate, ...]
    outcomes: tuple[Outcome, ...] = ()
    merge: MergePolicy = field(default_factory=MergePolicy)
    twins: tuple[Twin, ...] = ()

    def __post_init__(self) -> None:
        for role, name in (
            ("its name", self.name),
            *(("event type", e.event_type()) for a in self.aggregates for e in a.events),
        ):
            # They are part of every event id, written without escapes.
            if json.dumps(name, ensure_ascii=False) != f'"{name}"':
                raise ConfigurationError(
                    f"context {self.name!r}: {role} {name!r} holds a quote, a backslash or a "
                    "control character",
                    next_step="Name it with letters, digits, dots, dashes and underscores.",
                )
        owners: dict[str, str] = {}
        for aggregate in self.aggregates:
            for event in aggregate.events:
                owner = owners.setdefault(event.event_type(), aggregate.name)
                if owner != aggregate.name:
                    raise ConfigurationError(
                        f"context {self.name}: event {event.event_type()} belongs to both "
                        f"{owner} and {aggregate.name}"
                    )
        self._refuse_wrong_outcomes()
        self._refuse_wrong_parts()
        self._refuse_wrong_twins()

    def _refuse_wrong_outcomes(self) -> None:
        names = [aggregate.name for aggregate in self.aggregates]
        if len(names) == 1:
            whole = tuple(replace(o, aggregate=o.aggregate or names[0]) for o in self.outcomes)
            object.__setattr__(self, "outcomes", whole)
        for outcome in self.outcomes:
            if outcome.aggregate and outcome.aggregate not in names:
                raise ConfigurationError(
                    f"context {self.name}: outcome {outcome.name} decides on subjects of "
                    f"{outcome.aggregate!r}, which is not one of its aggregates."
                    + did_you_mean(outcome.aggregate, names),
                    next_step=f"It has: {', '.join(names) or 'none'}.",
                )

    def _refuse_wrong_parts(self) -> None:
        for aggregate in self.aggregates:
            others = [one.name for one in self.aggregates if one is not aggregate]
            whole = aggregate.part_of
            if whole is not None and whole.aggregate not in others:
                raise ConfigurationError(
                    f"context {self.name}: aggregate {aggregate.name} is a part of "
                    f"{whole.aggregate!r}, which is not one of its other aggregates."
                    + did_you_mean(whole.aggregate, others),
                    next_step=f"It has: {', '.join(others) or 'none'}.",
                )

    def _refuse_wrong_twins(self) -> None:
        events_by_type = {e.event_type(): e for a in self.aggregates for e in a.events}
        live: set[str] = set()
        for twin in self.twins:
            name = twin.live.event_type()
            self.aggregate_of(twin.of)
            if name in live:
                raise ConfigurationError(
                    f"context {self.name}: two twins read the live event {name}"
                )
            if events_by_type.get(name, twin.of) is not twin.of:
                raise ConfigurationError(
                    f"context {self.name}: the live event {name} is read as "
                    f"{twin.of.__name__}, but it has the type of another event of the context"
                )
            live.add(name)

    def aggregate_of(self, event: type[Event]) -> Aggregate:
        """The aggregate that an event type belongs to; ConfigurationError if it is no one's."""
        for aggregate in self.aggregates:
            if event in aggregate.events:
                return aggregate
        raise ConfigurationError(
            f"context {self.name}: event {event.__name__} belongs to no aggregate",
            next_step="Add it to the `events` of the aggregate it happens to.",
        )
