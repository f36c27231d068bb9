"""What a domain team declares about its bounded context; free of Spark."""

from cutline.context.aggregate import Aggregate, state_name, truth_name
from cutline.context.context import Context
from cutline.context.event import Event, ValueObject
from cutline.context.marks import personal, unit
from cutline.context.merge_policy import MergePolicy
from cutline.context.order import Excludes, Expects, Requires, excludes, expects, requires
from cutline.context.outcome import Outcome
from cutline.context.state import (
    StateColumn,
    count,
    distinct,
    first,
    furthest_of_types,
    last_of_types,
    latest,
    total,
)

__all__ = [
    "Aggregate",
    "Context",
    "Event",
    "Excludes",
    "Expects",
    "MergePolicy",
    "Outcome",
    "Requires",
    "StateColumn",
    "ValueObject",
    "count",
    "distinct",
    "excludes",
    "expects",
    "first",
    "furthest_of_types",
    "last_of_types",
    "latest",
    "personal",
    "requires",
    "state_name",
    "total",
    "truth_name",
    "unit",
]
