"""A bounded context: its aggregates, its outcomes and its merge policy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from cutline.context.aggregate import Aggregate
from cutline.context.event import Event
from cutline.context.merge_policy import MergePolicy
from cutline.context.outcome import Outcome
from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class Context:
    """Everything that a bounded context declares about itself; plugins offer one each."""

    name: str
    doc: str
    aggregates: tuple[Aggregate, ...]
    outcomes: tuple[Outcome, ...] = ()
    merge: MergePolicy = field(default_factory=MergePolicy)

    def __post_init__(self) -> None:
        for what, name in (
            ("its name", self.name),
            *(("event type", e.event_type()) for a in self.aggregates for e in a.events),
        ):
            # They stand in every id: there they are written as they are.
            if json.dumps(name, ensure_ascii=False) != f'"{name}"':
                raise ConfigurationError(
                    f"context {self.name!r}: {what} {name!r} holds a quote, a backslash or a "
                    "control character",
                    next_step="Name it with letters, digits, dots, dashes and underscores.",
                )
        seen: dict[str, str] = {}
        for aggregate in self.aggregates:
            for event in aggregate.events:
                other = seen.setdefault(event.event_type(), aggregate.name)
                if other != aggregate.name:
                    raise ConfigurationError(
                        f"context {self.name}: event {event.event_type()} belongs to both "
                        f"{other} and {aggregate.name}"
                    )

    def aggregate_of(self, event: type[Event]) -> Aggregate:
        """The aggregate that an event type belongs to; ConfigurationError if it is no one's."""
        for aggregate in self.aggregates:
            if event in aggregate.events:
                return aggregate
        raise ConfigurationError(
            f"context {self.name}: event {event.__name__} belongs to no aggregate",
            next_step="Add it to the `events` of the aggregate it happens to.",
        )
